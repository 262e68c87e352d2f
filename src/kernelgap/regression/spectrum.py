"""Whether a Gram matrix is positive semi-definite, and whether the ridge keeps rounding small; warnings if not."""

import math
import warnings
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError

PerRidge = Float[np.ndarray, " r"]  # a number for each ridge
Square = Float[np.ndarray, "n n"]
Targets = Float[np.ndarray, "n k"]  # or anything else with k numbers for each sample
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
    """The ends of a Gram matrix's spectrum, and what was added to its diagonal.

    Attributes
    ----------
    samples
        The number of rows of the matrix.
    smallest, largest
        Its smallest and its largest eigenvalue, before anything is added.
    jitter
        What was added to the diagonal on top of the ridge: 0, unless it had to be. With several ridges it is what the
        smallest of them needed; larger ones get less, or nothing.
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

    def safe(self, ridges: PerRidge) -> PerRidge:
        """The ridges, each with what it needs to make K + ridge I safely positive definite: usually nothing."""
        return np.maximum(ridges, 2 * self.rounding - self.smallest)

    def condition(self, ridge: float) -> float:
        """The condition number of K + ridge I: its largest over its smallest eigenvalue."""
        return (self.largest + ridge) / (self.smallest + ridge)

    def __str__(self) -> str:
        verdict = "positive semi-definite" if self.positive else "not positive semi-definite"
        added = f", {self.jitter:.3g} added to the diagonal" if self.jitter else ""
        return f"{verdict}: eigenvalues from {self.smallest:.3g} to {self.largest:.3g}{added}"


def with_jitter(smallest: float, largest: float, samples: int, ridges: PerRidge, *, quiet: bool = False) -> Spectrum:
    """The spectrum with what the smallest ridge needs: usually nothing, else with a warning."""
    spectrum = Spectrum(samples, smallest, largest)
    least = float(ridges.min())
    if largest <= 0 and least <= 0:
        raise InputError("The Gram matrix has no positive eigenvalue: nothing can be learned from it.")
    jitter = float(spectrum.safe(ridges).min()) - least
    which = "the ridge" if len(ridges) == 1 else "the smallest ridge, and to others what they need"
    added = f"{jitter:.3g} was added to its diagonal on top of {which}."
    what = added if jitter > 0 else "The ridge outweighs it."
    if not quiet and (jitter > 0 or not spectrum.positive):
        _warn(spectrum, what)
    if not quiet and jitter <= 0 and EPS * spectrum.condition(least) > MOST_ROUNDING:
        _warn_of_condition(spectrum, least)
    return replace(spectrum, jitter=jitter)


def _warn(spectrum: Spectrum, what: str) -> None:
    if spectrum.positive:
        problem = "is singular to rounding, too much so for the ridge asked for"
        advice = "Take a larger ridge, or leave out repeated rows."
    else:
        problem = "is not positive semi-definite"
        advice = "Check that the kernel is one."
    message = f"The Gram matrix {problem}: its smallest eigenvalue is {spectrum.smallest:.3g}, its largest "
    warnings.warn(f"{message}{spectrum.largest:.3g}. {what} {advice}", NotPositiveWarning, stacklevel=4)


def _warn_of_condition(spectrum: Spectrum, ridge: float) -> None:
    """(K + ridge I) a = Y is solved to about eps times the condition number: all of it where Y is least smooth."""
    condition = spectrum.condition(ridge)
    digits = max(0, math.floor(-math.log10(EPS * condition)))
    enough = EPS * spectrum.largest / MOST_ROUNDING - spectrum.smallest
    warnings.warn(
        f"With the ridge {ridge:.3g} the Gram matrix has the condition number {condition:.2g}: where the targets of "
        f"nearly equal rows differ, rounding leaves about {digits} digit{'' if digits == 1 else 's'} of the "
        f"predictions. From a ridge of {1.01 * enough:.2g} on there are more than 3.",
        ConditionWarning,
        stacklevel=4,
    )
