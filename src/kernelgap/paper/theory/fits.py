"""How a measured quantity grows with a size, with intervals: a power, y ~ c x^a, or an affine law, y ~ a + b x.

The noise of y is a share of y in both.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats

from kernelgap.errors import InputError

LEVEL = 0.95
Interval = tuple[float, float]


@dataclass(frozen=True)
class Exponent:
    """The slope of log y over log x with its confidence interval, and the constant of the fitted power."""

    value: float
    low: float
    high: float
    constant: float

    def as_dict(self) -> dict[str, float]:
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}]"


def fit_exponent(
    x: Sequence[float] | Float[np.ndarray, " n"],
    y: Float[np.ndarray, "n repeats"] | Float[np.ndarray, " n"],
    level: float = LEVEL,
) -> Exponent:
    """Least squares on a log-log scale, with Student's interval.

    Of repeated measurements (columns of y) each size's mean logarithm is one point: what repeats share at one size
    (curvature, a common seed) then counts as deviation from the line and widens the interval, as it should.
    """
    sizes = np.log(np.asarray(x, dtype=float))
    values = np.asarray(y, dtype=float)
    if len(sizes) < 3 or len(values) != len(sizes):
        raise InputError(f"An exponent needs at least 3 sizes with a value each, not {len(sizes)} and {len(values)}.")
    if not np.all(np.isfinite(sizes)) or not np.all(values > 0) or not np.all(np.isfinite(values)):
        raise InputError("An exponent can be fitted to finite positive numbers only.")
    logs = np.log(values).reshape(len(sizes), -1).mean(axis=1)
    line = stats.linregress(sizes, logs)
    half = stats.t.ppf((1 + level) / 2, len(sizes) - 2) * line.stderr
    return Exponent(
        float(line.slope), float(line.slope - half), float(line.slope + half), float(np.exp(line.intercept))
    )


@dataclass(frozen=True)
class Affine:
    """a + b x.

    Parameters
    ----------
    constant, slope
        a and b.
    constant_interval, slope_interval
        Their confidence intervals.
    off
        The largest |y - (a + b x)| / y over the sizes.
    """

    constant: float
    slope: float
    constant_interval: Interval
    slope_interval: Interval
    off: float

    def as_dict(self) -> dict[str, float | Interval]:
        return asdict(self)


def fit_affine(
    x: Sequence[float] | Float[np.ndarray, " n"],
    y: Float[np.ndarray, "n repeats"] | Float[np.ndarray, " n"],
    level: float = LEVEL,
) -> Affine:
    """Least squares of (y - a - b x) / y, with Student's intervals.

    Parameters
    ----------
    x
        Sizes, at least three.
    y
        What was measured at each. Of repeats (columns) each size's mean is one point, as in ``fit_exponent``.
    level
        Of the intervals.

    Returns
    -------
    Affine
    """
    sizes = np.asarray(x, dtype=float)
    values = np.asarray(y, dtype=float)
    if len(sizes) < 3 or len(values) != len(sizes) or len(set(sizes.tolist())) < 3:
        raise InputError(f"An affine law needs at least 3 sizes with a value each, not {len(sizes)} and {len(values)}.")
    if not (np.isfinite(sizes).all() and np.isfinite(values).all() and (values > 0).all()):
        raise InputError("An affine law with relative noise can be fitted to finite positive numbers only.")
    means = values.reshape(len(sizes), -1).mean(axis=1)
    rows = np.stack([1 / means, sizes / means], axis=1)  # 1 = a / y + b x / y
    inverse = np.linalg.inv(rows.T @ rows)
    a, b = inverse @ rows.sum(axis=0)
    residuals = 1 - rows @ (a, b)
    half = stats.t.ppf((1 + level) / 2, len(sizes) - 2)
    half = half * np.sqrt(np.diag(inverse) * (residuals @ residuals) / (len(sizes) - 2))
    return Affine(
        float(a),
        float(b),
        (float(a - half[0]), float(a + half[0])),
        (float(b - half[1]), float(b + half[1])),
        float(np.abs(residuals).max()),
    )
