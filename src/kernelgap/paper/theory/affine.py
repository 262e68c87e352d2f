"""Affine growth, y ~ a + b x: both coefficients with intervals, where the noise of y is a share of y."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats

from kernelgap.errors import InputError
from kernelgap.paper.theory.exponents import LEVEL

Interval = tuple[float, float]


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
