"""Exponents: how a measured quantity grows or falls with a size, y ~ c x^a, with an interval for a."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats

from kernelgap.errors import InputError

LEVEL = 0.95


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
