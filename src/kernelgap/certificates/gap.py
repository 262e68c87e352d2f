"""The kernel gap: how many samples any kernel needs for what a network reached, over those that the network used.

The floor is a mean over a family of targets, so the network's side is a mean too: over starts, data and orders. The
theorem is about scalar kernels that are fixed beforehand; what a matrix-valued kernel needs stands beside it.

A few errors with heavy tails say little about their mean: without an assumption on the tail there is no upper limit
for it (one start in a thousand may end anywhere). What they do say, exactly and for any distribution, is how many
starts end low. Of n independent starts the greatest error lies below the q-quantile with a chance of q^n at most. So
with confidence 1 - K q^n at least a share q of all starts ends at or below the greatest error seen, even if these n are
the best of K candidates, as K such chances add up to K q^n. A share is what the floor can be compared with: by symmetry
it is the same share of the family's targets, and with N samples a kernel gets a risk of rho for a share q of the
targets only if N functions capture q (threshold - rho) on average (``AnyKernelBound.samples_for``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from functools import cached_property
from statistics import mean

from kernelgap.certificates.floors.bound import AnyKernelBound, any_kernel
from kernelgap.certificates.floors.oracle import OracleRisk
from kernelgap.display import Card, Displayed
from kernelgap.errors import InputError
from kernelgap.problems import Problem

AT_BEST = "with perfect knowledge of the target, cannot get under"
CONFIDENCE = 0.95
ASSUMES = (
    "Starts, data and orders of different seeds are independent.",
    "The candidates were fixed before these seeds were seen.",
    "An error measured on test points stands for the risk.",
)


@dataclass(frozen=True)
class ShareBound:
    """How many starts end low, and what a kernel needs to do as well for as many targets.

    Attributes
    ----------
    confidence
        Of the statement about the starts; what the kernel needs is certain.
    share
        At least this share of all starts ends at ``error`` or below.
    error
        The greatest error of the seeds.
    candidates
        From how many the network was picked, itself included.
    needed, needed_matrix
        The samples that any scalar kernel fixed beforehand, or any matrix-valued one, needs to reach ``error`` for this
        share of the targets.
    ratio
        ``needed`` over the samples that the network used.
    """

    confidence: float
    share: float
    error: float
    candidates: int
    needed: int
    needed_matrix: int
    ratio: float


def share_reached(seeds: int, candidates: int = 1, confidence: float = CONFIDENCE) -> float:
    """The share of all starts that ends at or below the greatest error of so many seeds, at least.

    Parameters
    ----------
    seeds
        How many independent starts were seen.
    candidates
        They belong to the best of so many candidates, whatever "best" means.
    confidence
        Of the statement.

    Returns
    -------
    float
        ((1 - confidence) / candidates)^(1 / seeds), rounded down to three decimals.

    Examples
    --------
    >>> share_reached(5), share_reached(5, candidates=20), share_reached(20)
    (0.549, 0.301, 0.86)
    """
    if seeds < 1 or candidates < 1 or not 0 < confidence < 1:
        raise InputError("seeds and candidates must be at least 1, and confidence between 0 and 1.")
    return math.floor(1000 * ((1 - confidence) / candidates) ** (1 / seeds)) / 1000


@dataclass(frozen=True, repr=False)
class KernelGap(Displayed):
    """A method with its samples and errors, and the samples that any kernel needs for their mean.

    Attributes
    ----------
    method, samples, errors
        One error for each seed: a start, a draw of the data and its order.
    scalar, matrix
        The bounds for any scalar and any matrix-valued kernel.
    best_kernel
        The lowest floor among kernels that were tried.
    candidates
        From how many networks, widths and settings this one was picked, itself included.
    """

    method: str
    samples: int
    errors: tuple[float, ...]
    scalar: AnyKernelBound
    matrix: AnyKernelBound
    best_kernel: OracleRisk | None = None
    candidates: int = 1

    def _card(self) -> Card:
        facts = {
            "gap": f"{self.ratio:,.4g} times",
            "samples": self.samples,
            "error": self.error,
            "seeds": len(self.errors),
        }
        needs = {"any scalar kernel needs": self.needed, "any matrix-valued kernel needs": self.needed_matrix}
        return Card("kernel gap", self.method, facts | needs, self.sentence)

    @property
    def error(self) -> float:
        """The mean over seeds."""
        return mean(self.errors)

    @property
    def needed(self) -> int:
        """The samples that any scalar kernel fixed beforehand needs, on average over the family, for this error."""
        return self.scalar.samples_for(self.error)

    @property
    def needed_matrix(self) -> int:
        """The same for any matrix-valued kernel."""
        return self.matrix.samples_for(self.error)

    @property
    def ratio(self) -> float:
        return self.needed / self.samples

    @property
    def ratio_range(self) -> tuple[float, float]:
        """The gap from the greatest and from the least error of the seeds, each as if it were the mean."""
        worst, best = (self.scalar.samples_for(error) for error in (max(self.errors), min(self.errors)))
        return worst / self.samples, best / self.samples

    @cached_property
    def bound(self) -> ShareBound | None:
        """What the seeds say without an assumption on their distribution; None for a single one."""
        if len(self.errors) < 2:
            return None
        share, worst = share_reached(len(self.errors), self.candidates), max(self.errors)
        needed, matrix = (each.samples_for(worst, share=share) for each in (self.scalar, self.matrix))
        return ShareBound(CONFIDENCE, share, worst, self.candidates, needed, matrix, needed / self.samples)

    @property
    def sentence(self) -> str:
        of_seeds = "(one start)"
        if len(self.errors) > 1:
            least, most = min(self.errors), max(self.errors)
            of_seeds = f"on average over {len(self.errors)} seeds ({least:.2g} to {most:.2g})"
        text = f"{self.method} reached {self.error:.2g} {of_seeds} with {self.samples:,} samples"
        if self.ratio <= 1:
            text += ": no gap is proved, since the bound for any scalar kernel fixed beforehand allows that "
            text += f"with {self.needed:,}"
        else:
            text += f"; any scalar kernel fixed beforehand needs at least {self.needed:,} on average over which "
            text += f"coordinates matter: a gap of {_times(self.ratio)}"
            if self.bound is not None:
                low, high = self.ratio_range
                text += f", {_times(low, '')} to {_times(high)} from the worst and the best seed"
            text += f" (a matrix-valued kernel: {self.needed_matrix:,})"
        if self.best_kernel is not None:
            text += f"; the best of the kernels here ({self.best_kernel.kernel}), {AT_BEST} "
            text += round_down(self.best_kernel.interval[0])
        return f"{text}."

    @property
    def interval_sentence(self) -> str:
        """What the seeds say whatever the distribution of errors; empty for a single one."""
        bound = self.bound
        if bound is None:
            return ""
        of = f", picked from {bound.candidates:,} candidates" if bound.candidates > 1 else ""
        text = f"Whatever the distribution of errors, with confidence {bound.confidence:.0%} at least "
        text += f"{100 * bound.share:.3g}% of all starts end at {bound.error:.2g} or below ({len(self.errors)} "
        text += f"independent seeds{of}); "
        if bound.ratio <= 1:
            return f"{text}from so few seeds no gap follows."
        text += f"for as many targets any scalar kernel fixed beforehand needs at least {bound.needed:,} samples: "
        return f"{text}a gap of at least {_times(bound.ratio)}."

    def as_record(self) -> dict[str, object]:
        """Plain values, for JSON."""
        best, bound = self.best_kernel, self.bound
        fields = ("confidence", "share", "error", "candidates", "needed", "needed_matrix", "ratio")
        return {
            **{name: getattr(self, name) for name in ("method", "samples", "error")},
            "errors": list(self.errors),
            "seeds": len(self.errors),
            **{name: getattr(self, name) for name in ("needed", "needed_matrix", "ratio")},
            "ratio_range": list(self.ratio_range),
            "interval": None
            if bound is None
            else {
                **{name: getattr(bound, name) for name in fields},
                "assumes": list(ASSUMES),
                "sentence": self.interval_sentence,
            },
            "family_size": self.scalar.family_size,
            "best_kernel": None if best is None else {"kernel": best.kernel, "floor": best.interval[0]},
            "sentence": self.sentence,
        }


def kernel_gap(
    problem: Problem,
    samples: int,
    error: float | Sequence[float],
    *,
    method: str = "The network",
    floors: list[OracleRisk] | None = None,
    candidates: int = 1,
) -> KernelGap:
    """The gap of a result.

    Parameters
    ----------
    problem, samples
        What was learned, and from how many samples.
    error
        The network's error, or those of several starts: their mean counts.
    method
        What the sentence calls the network.
    floors
        Oracle risks of kernels on the same samples; the sentence gives the lowest.
    candidates
        From how many networks, widths and settings it was picked on the same seeds, itself included.
    """
    errors = tuple(error) if isinstance(error, Sequence) else (error,)
    best = min(floors, key=lambda floor: floor.interval[0]) if floors else None
    scalar, matrix = (any_kernel(problem, samples, kind) for kind in ("scalar", "matrix"))
    return KernelGap(method, samples, errors, scalar, matrix, best, candidates)


def _times(ratio: float, word: str = " times") -> str:
    return (f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}") + word


def round_down(value: float) -> str:
    """Four digits, rounded down: a floor stays a floor."""
    exact = Decimal(value)
    return f"{exact.quantize(Decimal(1).scaleb(exact.adjusted() - 3), ROUND_FLOOR).normalize():f}"
