"""The kernel gap: how many samples any kernel needs for what a network reached, over those that the network used."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from kernelgap.certificates.bound import AnyKernelBound, any_kernel
from kernelgap.certificates.oracle import OracleRisk
from kernelgap.problems import Problem


@dataclass(frozen=True)
class KernelGap:
    """A method with its samples and error, and the samples that any kernel needs for the same."""

    method: str
    samples: int
    error: float
    bound: AnyKernelBound
    best_kernel: OracleRisk | None = None  # the lowest floor among kernels that were tried

    @property
    def needed(self) -> int:
        """The samples that any kernel needs, on average over the family, for this error."""
        return self.bound.samples_for(self.error)

    @property
    def ratio(self) -> float:
        return self.needed / self.samples

    @property
    def sentence(self) -> str:
        told = (
            f"{self.method} reached {self.error:.2g} with {self.samples:,} samples; any kernel needs at least "
            f"{self.needed:,} on average over which coordinates matter: a gap of {_times(self.ratio)}"
        )
        if self.ratio <= 1:
            told = (
                f"{self.method} reached {self.error:.2g} with {self.samples:,} samples: no gap is proved, since the "
                f"bound for any kernel allows that with {self.needed:,}"
            )
        if self.best_kernel is None:
            return f"{told}."
        return (
            f"{told}; the best of the kernels here ({self.best_kernel.kernel}), with perfect knowledge of the target, "
            f"cannot get under {_down(self.best_kernel.interval[0])}."
        )

    def as_record(self) -> dict[str, object]:
        """Plain values, for JSON."""
        best = self.best_kernel
        return {
            "method": self.method,
            "samples": self.samples,
            "error": self.error,
            "needed": self.needed,
            "ratio": self.ratio,
            "family_size": self.bound.family_size,
            "best_kernel": None if best is None else {"kernel": best.kernel, "floor": best.interval[0]},
            "sentence": self.sentence,
        }


def kernel_gap(
    problem: Problem, samples: int, error: float, *, method: str = "The network", floors: list[OracleRisk] | None = None
) -> KernelGap:
    """The gap of a result; ``floors`` are oracle risks of kernels on the same samples, the lowest of which is told."""
    best = min(floors, key=lambda floor: floor.interval[0]) if floors else None
    return KernelGap(method, samples, error, any_kernel(problem, samples), best)


def _down(value: float) -> str:
    """Four digits, rounded down: a floor stays a floor."""
    exact = Decimal(value)
    return f"{exact.quantize(Decimal(1).scaleb(exact.adjusted() - 3), ROUND_FLOOR).normalize():f}"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio >= 100 else f"{ratio:.3g} times"
