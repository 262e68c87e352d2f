"""The floor under every kernel: what N functions, fixed before the target is drawn, cannot capture of it.

Let T be any N-dimensional space of functions (the span of K(., x_1), ... K(., x_N), or of N features), and B what all
base signals of the family span. The composite parities chi_S are orthonormal and orthogonal to B, so that B + T holds
of chi_S only what its part orthogonal to B holds, a space of dimension N at most; over all C parities the squared
lengths of these projections add up to N at most. Hence, over the draw of S, for each output,
  E dist(beta F_S + alpha chi_S, T)^2 >= alpha^2 (1 - N / C).
B + (N of the parities) meets it with equality: the bound gives B away for free. Markov's inequality turns the mean into
a share of the targets. Outputs may have kernels of their own: the bound holds for each.
"""

from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Real

from kernelgap.certificates.family import Family, Hypothesis, as_written, family_by_numbers, family_of
from kernelgap.errors import InputError
from kernelgap.problems import Problem

PAPER_SHARE = Fraction(99, 100)


@dataclass(frozen=True)
class AnyKernelBound:
    """What no kernel with n samples, and no map to n features, gets under."""

    family: Family
    n: int

    @property
    def family_size(self) -> int:
        return self.family.size

    @property
    def threshold(self) -> float:
        return float(self.family.threshold)

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        return self.family.hypotheses

    @property
    def exact_mean_risk(self) -> Fraction:
        """``mean_risk`` as a rational number."""
        return self.family.threshold - self._captured(self.n)

    @property
    def mean_risk(self) -> float:
        """The least possible mean, over the family, of the best risk: sum over outputs of alpha^2 (1 - n/C)."""
        return float(self.exact_mean_risk)

    def risk_for_share(self, share: float) -> float:
        """A risk that at least this share of the targets exceeds, whatever the kernel (0 where nothing is implied).

        Of the mean that n functions capture, c, at most a share c/a of the targets can give a or more.
        """
        exact = _share(share)
        if exact == 1:
            return 0.0
        return float(max(Fraction(0), self.family.threshold - self._captured(self.n) / (1 - exact)))

    def share_above(self, risk: float) -> float:
        """The least share of targets whose best risk exceeds this one."""
        room = self.family.threshold - _risk(risk)
        if room <= 0:
            return 0.0
        return float(max(Fraction(0), 1 - self._captured(self.n) / room))

    def samples_for(self, risk: float) -> int:
        """The least number of samples, or of features, with which the bound allows this mean risk."""
        goal = _risk(risk)
        low, high = 0, max(self.family.sizes)
        while low < high:
            middle = (low + high) // 2
            if self.family.threshold - self._captured(middle) <= goal:
                high = middle
            else:
                low = middle + 1
        return low

    @property
    def paper_floor(self) -> float:
        """Theorem 2's and 3's own: alpha^2 / 16, for 99% of the targets, while n <= C / 1000 and 0 < alpha < 1."""
        return float(self.family.alpha**2 / 16)

    @property
    def paper_samples(self) -> int:
        """C / 1000: the most samples for which the paper states its floor."""
        return self.family_size // 1000

    @property
    def paper_applies(self) -> bool:
        return 1000 * self.n <= self.family_size and 0 < self.family.alpha < 1

    def _captured(self, n: int) -> Fraction:
        """The most that n functions capture on average of the composite signals, summed over outputs."""
        return sum(
            (self.family.alpha**2 * min(Fraction(1), Fraction(n, size)) for size in self.family.sizes), Fraction(0)
        )


def any_kernel(problem: Problem, n: int) -> AnyKernelBound:
    """The bound for any kernel with n samples, or any map to n features, chosen before the target.

    >>> from kernelgap import problems
    >>> any_kernel(problems.get("sec8"), n=500).family_size
    5852925
    """
    return AnyKernelBound(family_of(problem), _count(n))


def any_kernel_by_numbers(*, d: int, degree: int, outputs: int, alpha: float, n: int) -> AnyKernelBound:
    """The same for a family given by its numbers: parities of ``degree`` of d coordinates, in each output."""
    return AnyKernelBound(family_by_numbers(d, degree, outputs, alpha), _count(n))


def _count(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 0:
        raise InputError(f"n must be a whole number of samples or features, not {n!r}.")
    return int(n)


def _share(share: float) -> Fraction:
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 <= share <= 1:
        raise InputError(f"share must be a number from 0 to 1, not {share!r}.")
    return as_written(float(share))


def _risk(risk: float) -> Fraction:
    if isinstance(risk, bool) or not isinstance(risk, Real) or not 0 <= risk < float("inf"):
        raise InputError(f"risk must be a finite number that is not negative, not {risk!r}.")
    return as_written(float(risk))
