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


@dataclass(frozen=True)
class KernelGap:
    """A method with its samples and errors, and the samples that any kernel needs for their mean."""

    method: str
    samples: int
    errors: tuple[float, ...]  # one for each seed: a start, a draw of the data and its order
    scalar: AnyKernelBound
    matrix: AnyKernelBound
    best_kernel: OracleRisk | None = None  # the lowest floor among kernels that were tried

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
        reached = f"{self.method} reached {self._reached} with {self.samples:,} samples"
        told = (
            f"{reached}; any scalar kernel fixed beforehand needs at least {self.needed:,} on average over which "
            f"coordinates matter: a gap of {_times(self.ratio)} (a matrix-valued kernel: {self.needed_matrix:,})"
        )
        if self.ratio <= 1:
            told = (
                f"{reached}: no gap is proved, since the bound for any scalar kernel fixed beforehand allows that "
                f"with {self.needed:,}"
            )
        if self.best_kernel is None:
            return f"{told}."
        return (
            f"{told}; the best of the kernels here ({self.best_kernel.kernel}), with perfect knowledge of the target, "
            f"cannot get under {_down(self.best_kernel.interval[0])}."
        )

    @property
    def _reached(self) -> str:
        """The error, and from how many seeds it is."""
        if len(self.errors) == 1:
            return f"{self.error:.2g} (one start)"
        least, most = min(self.errors), max(self.errors)
        return f"{self.error:.2g} on average over {len(self.errors)} seeds ({least:.2g} to {most:.2g})"

    def as_record(self) -> dict[str, object]:
        """Plain values, for JSON."""
        best = self.best_kernel
        return {
            "method": self.method,
            "samples": self.samples,
            "error": self.error,
            "errors": list(self.errors),
            "needed": self.needed,
            "needed_matrix": self.needed_matrix,
            "ratio": self.ratio,
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
    """The gap of a result: of one start, or of several with their errors.

    ``floors`` are oracle risks of kernels on the same samples; the lowest is told.
    """
    errors = tuple(error) if isinstance(error, Sequence) else (error,)
    best = min(floors, key=lambda floor: floor.interval[0]) if floors else None
    scalar, matrix = (any_kernel(problem, samples, kind) for kind in ("scalar", "matrix"))
    return KernelGap(method, samples, errors, scalar, matrix, best)


def _down(value: float) -> str:
    """Four digits, rounded down: a floor stays a floor."""
    exact = Decimal(value)
    return f"{exact.quantize(Decimal(1).scaleb(exact.adjusted() - 3), ROUND_FLOOR).normalize():f}"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio >= 100 else f"{ratio:.3g} times"
