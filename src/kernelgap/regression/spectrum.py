"""Is a Gram matrix positive semi-definite, and does the ridge keep rounding small? If not, that is said."""

import math
import warnings
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError

EPS = float(np.finfo(float).eps)
# Of the size of the targets: what rounding may change before it is said. Default paths stay below, as no eigenvalue is
# above n times the mean diagonal m: n eps / 1e-9 up to 1,062 samples, and n m eps / (4 n^2 eps m) = 1 / 4n beyond.
MOST_ROUNDING = 2.5e-4


class ConditionWarning(UserWarning):
    """A ridge is so small for its Gram matrix that rounding shows in the predictions."""


class NotPositiveWarning(UserWarning):
    """A Gram matrix has an eigenvalue below 0 that rounding does not explain, or one too small for its ridge."""


@dataclass(frozen=True)
class Spectrum:
    """The ends of a Gram matrix's spectrum, and what was added to its diagonal (0, unless it had to be).

    With several ridges ``jitter`` is what the smallest of them needed; larger ones get less, or nothing.
    """

    samples: int
    smallest: float
    largest: float
    jitter: float = 0.0

    @property
    def rounding(self) -> float:
        """How far the rounding of a factorisation can move an eigenvalue."""
        return float(self.samples * EPS * max(abs(self.smallest), abs(self.largest)))

    @property
    def positive(self) -> bool:
        """Whether the matrix is positive semi-definite, its entries taken as accurate to 12 digits."""
        return self.smallest >= -self.rounding - 1e-12 * self.largest

    def safe(self, ridges: Float[np.ndarray, " r"]) -> Float[np.ndarray, " r"]:
        """The ridges, each with what it needs to make K + ridge I safely positive definite: usually nothing."""
        return np.maximum(ridges, 2 * self.rounding - self.smallest)

    def condition(self, ridge: float) -> float:
        """The condition number of K + ridge I: its largest over its smallest eigenvalue."""
        return (self.largest + ridge) / (self.smallest + ridge)

    def __str__(self) -> str:
        verdict = "positive semi-definite" if self.positive else "not positive semi-definite"
        added = f", {self.jitter:.3g} added to the diagonal" if self.jitter else ""
        return f"{verdict}: eigenvalues from {self.smallest:.3g} to {self.largest:.3g}{added}"


def with_jitter(
    smallest: float, largest: float, samples: int, ridges: Float[np.ndarray, " r"], *, quiet: bool = False
) -> Spectrum:
    """The spectrum with what the smallest ridge needs: usually nothing, else said aloud."""
    found = Spectrum(samples, smallest, largest)
    least = float(ridges.min())
    if largest <= 0 and least <= 0:
        raise InputError("The Gram matrix has no positive eigenvalue: nothing can be learned from it.")
    jitter = float(found.safe(ridges).min()) - least
    if jitter > 0:
        which = "the ridge" if len(ridges) == 1 else "the smallest ridge, and to others what they need"
        what = f"{jitter:.3g} was added to its diagonal on top of {which}."
    else:
        what = "The ridge outweighs it."
    if not quiet and (jitter > 0 or not found.positive):
        _warn(found, what)
    if not quiet and jitter <= 0 and EPS * found.condition(least) > MOST_ROUNDING:
        _warn_of_condition(found, least)
    return replace(found, jitter=jitter)


def _warn(found: Spectrum, what: str) -> None:
    if found.positive:
        problem = "is singular to rounding, too much so for the ridge asked for"
        advice = "Take a larger ridge, or leave out repeated rows."
    else:
        problem = "is not positive semi-definite"
        advice = "Check that the kernel is one."
    message = f"The Gram matrix {problem}: its smallest eigenvalue is {found.smallest:.3g}, its largest "
    warnings.warn(f"{message}{found.largest:.3g}. {what} {advice}", NotPositiveWarning, stacklevel=4)


def _warn_of_condition(found: Spectrum, ridge: float) -> None:
    """(K + ridge I) a = Y is solved to about eps times the condition number: all of it where Y is least smooth."""
    condition = found.condition(ridge)
    digits = max(0, math.floor(-math.log10(EPS * condition)))
    enough = EPS * found.largest / MOST_ROUNDING - found.smallest
    warnings.warn(
        f"With the ridge {ridge:.3g} the Gram matrix has the condition number {condition:.2g}: where the targets of "
        f"nearly equal rows differ, rounding leaves about {digits} digit{'' if digits == 1 else 's'} of the "
        f"predictions. From a ridge of {1.01 * enough:.2g} on there are more than 3.",
        ConditionWarning,
        stacklevel=4,
    )
