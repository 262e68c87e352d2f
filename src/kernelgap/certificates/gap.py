"""The kernel gap: how many samples any kernel needs for what a network reached, over those that the network used.

The floor is a mean over a family of targets, so the network's side is a mean too: over starts, data and orders. The
theorem is about scalar kernels that are fixed beforehand; what a matrix-valued kernel needs stands beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from statistics import mean

from kernelgap.certificates.floors.bound import AnyKernelBound, any_kernel
from kernelgap.certificates.floors.oracle import OracleRisk
from kernelgap.problems import Problem

AT_BEST = "with perfect knowledge of the target, cannot get under"


@dataclass(frozen=True)
class KernelGap:
    """A method with its samples and errors, and the samples that any kernel needs for their mean.

    Attributes
    ----------
    method, samples, errors
        One error for each seed: a start, a draw of the data and its order.
    scalar, matrix
        The bounds for any scalar and any matrix-valued kernel.
    best_kernel
        The lowest floor among kernels that were tried.
    """

    method: str
    samples: int
    errors: tuple[float, ...]
    scalar: AnyKernelBound
    matrix: AnyKernelBound
    best_kernel: OracleRisk | None = None

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
            times = f"{self.ratio:,.0f}" if self.ratio >= 100 else f"{self.ratio:.3g}"
            text += f"; any scalar kernel fixed beforehand needs at least {self.needed:,} on average over which "
            text += f"coordinates matter: a gap of {times} times (a matrix-valued kernel: {self.needed_matrix:,})"
        if self.best_kernel is not None:
            text += f"; the best of the kernels here ({self.best_kernel.kernel}), {AT_BEST} "
            text += round_down(self.best_kernel.interval[0])
        return f"{text}."

    def as_record(self) -> dict[str, object]:
        """Plain values, for JSON."""
        best = self.best_kernel
        return {
            **{name: getattr(self, name) for name in ("method", "samples", "error")},
            "errors": list(self.errors),
            **{name: getattr(self, name) for name in ("needed", "needed_matrix", "ratio")},
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
    """
    errors = tuple(error) if isinstance(error, Sequence) else (error,)
    best = min(floors, key=lambda floor: floor.interval[0]) if floors else None
    scalar, matrix = (any_kernel(problem, samples, kind) for kind in ("scalar", "matrix"))
    return KernelGap(method, samples, errors, scalar, matrix, best)


def round_down(value: float) -> str:
    """Four digits, rounded down: a floor stays a floor."""
    exact = Decimal(value)
    return f"{exact.quantize(Decimal(1).scaleb(exact.adjusted() - 3), ROUND_FLOOR).normalize():f}"
