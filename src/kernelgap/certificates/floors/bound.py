"""The floor under every kernel fixed beforehand: what F functions, fixed before the target, cannot capture.

Let T be any N-dimensional space of functions (the span of K(., x_1), ... K(., x_N), or of N features), and B what all
base signals of the family span. The composite parities chi_S are orthonormal and orthogonal to B, so that B + T holds
of chi_S only what its part orthogonal to B holds, a space of dimension N at most; over all C parities the squared
lengths of these projections add up to N at most. Hence, over the draw of S, for each output,
  E dist(beta F_S + alpha chi_S, T)^2 >= alpha^2 (1 - N / C).
B + (N of the parities) meets it with equality: the bound gives B away for free. Markov's inequality turns the mean into
a share of the targets. Outputs may have scalar kernels of their own: the bound holds for each. A matrix-valued kernel
mixes the r outputs: with N inputs it spans the N r functions K(., x_n) e_j, and N r stands in place of N. A kernel that
the labels pick among M spans, whichever it is, a part of what all M span: N M functions. A start function that is added
to the regression is one function more. (A constant is orthogonal to the parities and captures nothing, so that counting
it is safe and costs next to nothing.)
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, nextafter
from numbers import Integral
from typing import Literal, get_args

from kernelgap.certificates.floors.family import (
    MOST_DIGITS,
    FamilyBound,
    Hypothesis,
    exact_number,
    family_by_numbers,
    family_of,
)
from kernelgap.certificates.floors.johnson import MOST_PARTS, least_risk
from kernelgap.display import Card
from kernelgap.errors import InputError
from kernelgap.problems import Problem

PAPER_SHARE = Fraction(99, 100)
MOST = 10**MOST_DIGITS  # samples

KernelKind = Literal["scalar", "matrix"]


FIXED_BEFOREHAND: dict[str, Hypothesis] = {
    kind: Hypothesis(f"{what} and the training inputs are fixed before the target is drawn.", checked=False)
    for kind, what in {
        "scalar": "The kernel is scalar (one, or one for each output); it, or the features,",
        "matrix": "The matrix-valued kernel",
    }.items()
}
START_FIXED = Hypothesis("The function that is added to the regression is fixed before the target is drawn.", False)


@dataclass(frozen=True, repr=False)
class AnyKernelBound(FamilyBound):
    """What no kernel of this kind, fixed beforehand, gets under with n samples.

    Attributes
    ----------
    n
        The samples or features.
    kernel
        "scalar" (one scalar kernel, or one for each output; any map to n features, too) or "matrix" (a matrix-valued
        kernel, which mixes the outputs).
    picked_among
        The number of kernels fixed beforehand among which the labels may pick one.
    intercept
        Whether an intercept, or another function fixed beforehand, is added.
    """

    n: int
    kernel: KernelKind = "scalar"
    picked_among: int = 1
    intercept: bool = False

    def _card(self) -> Card:
        facts = {"mean risk": self.mean_risk, "threshold": self.threshold, "functions": self.functions}
        about = (
            f"On average over which coordinates matter, no {self.kernel} kernel fixed beforehand has a lower risk with "
            f"{self.n:,} samples or features (proved)."
        )
        return Card(
            "floor", f"for any {self.kernel} kernel, n = {self.n:,}", facts | self._facts(self.hypotheses), about
        )

    @property
    def functions_each(self) -> int:
        """The functions that each sample adds: those of one kernel, times the kernels to pick from."""
        return (1 if self.kernel == "scalar" else self.family.outputs) * self.picked_among

    @property
    def functions(self) -> int:
        """The functions that the regression can use, for each output or, of a matrix-valued kernel, in all."""
        return self._functions(self.n)

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        fixed = FIXED_BEFOREHAND[self.kernel]
        if self.picked_among > 1:
            kind = "scalar (or are one scalar kernel for each output)" if self.kernel == "scalar" else "matrix-valued"
            text = f"All {self.picked_among:,} kernels are {kind}; they"
            text = f"{text} and the training inputs are fixed before the target is drawn. The labels may pick one."
            fixed = Hypothesis(text, checked=False)
        return (*self.family.hypotheses, fixed, *((START_FIXED,) if self.intercept else ()))

    @property
    def exact_mean_risk(self) -> Fraction:
        """``mean_risk`` as a rational number."""
        return self.family.threshold - self._captured(self.n)

    @property
    def mean_risk(self) -> float:
        """The least possible mean, over the family, of the best risk: sum over outputs of alpha^2 (1 - functions/C)."""
        return float(self.exact_mean_risk)

    def risk_for_share(self, share: float) -> float:
        """A risk that at least this share of the targets exceeds, whatever the kernel (0 where nothing is implied).

        Of the mean that n functions capture, c, at most a share c/a of the targets can give a or more.
        """
        exact = exact_number("share", share, "a number from 0 to 1", lambda value: 0 <= value <= 1)
        if exact == 1:
            return 0.0
        return float(max(Fraction(0), self.family.threshold - self._captured(self.n) / (1 - exact)))

    def share_above(self, risk: float) -> float:
        """The least share of targets whose best risk exceeds this one."""
        room = self.family.threshold - _risk(risk)
        if room <= 0:
            return 0.0
        return float(max(Fraction(0), 1 - self._captured(self.n) / room))

    def samples_for(self, risk: float, *, share: float = 1.0) -> int:
        """The least number of samples with which the bound allows this mean risk, or this risk for a share of targets.

        A risk of rho for a share q of the targets captures at least q (threshold - rho) on average: the mean that
        n functions capture must reach that.
        """
        part = exact_number("share", share, "a number from 0 to 1", lambda value: 0 <= value <= 1)
        return self.samples_for_exact(_risk(risk), part)

    def samples_for_exact(self, risk: Fraction, share: Fraction = Fraction(1)) -> int:
        """``samples_for`` a rational number."""
        goal = share * (self.family.threshold - risk)  # what has to be captured
        if goal <= 0:
            return 0
        functions = Fraction(max(self.family.sizes))
        full = Fraction(0)  # captured of outputs whose parities are fewer than the functions
        slope = sum((Fraction(count, size) for size, count in self.family.counted), Fraction(0)) * self.family.alpha**2
        for size, count in sorted(self.family.counted):
            functions = (goal - full) / slope
            if functions <= size:
                break
            full += count * self.family.alpha**2
            slope -= count * self.family.alpha**2 / size
        return max(0, ceil((functions - self.intercept) / self.functions_each))

    @property
    def exact_sharp_mean_risk(self) -> Fraction | None:
        """``sharp_mean_risk`` as a rational number, rounded down by less than 2^-300."""
        return self._sharp(self.functions)

    @property
    def sharp_mean_risk(self) -> float | None:
        """The least mean risk of any one space of so many functions, with the base signals not for free.

        ``mean_risk`` gives away what all base signals of the family span; this does not, and a space attains it. It is
        about one scalar kernel for all outputs. None where it is not computed: for matrix-valued kernels, and where the
        base signals are unknown or of several degrees.
        """
        exact = self.exact_sharp_mean_risk
        return None if exact is None else _rounded_down(max(exact, self.exact_mean_risk))

    def sharp_samples_for(self, risk: float) -> int | None:
        """The least number of samples with which ``sharp_mean_risk`` is at or below a risk; None as there."""
        goal = _risk(risk)
        if self._sharp(0) is None:
            return None

        def above(n: int) -> bool:
            exact = self._sharp(self._functions(n))
            assert exact is not None
            return exact > goal

        if not above(0):
            return 0
        low, high = 0, 1
        while above(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if above(middle) else (low, middle)
        return high

    def _sharp(self, functions: int) -> Fraction | None:
        family = self.family
        if self.kernel == "matrix" or family.signals is None or max(family.degrees) > MOST_PARTS:
            return None
        return least_risk(family.d1, family.signals, family.alpha, family.beta, functions)

    @property
    def paper_floor(self) -> float:
        """Theorem 2's and 3's own: alpha^2 / 16, for 99% of the targets, while n <= C / 1000 and 0 < alpha < 1."""
        return float(self.family.alpha**2 / 16)

    @property
    def paper_samples(self) -> int:
        """The most samples for which the paper states its floor: with C / 1000 functions."""
        return max(0, self.family_size // 1000 - self.intercept) // self.functions_each

    @property
    def paper_applies(self) -> bool:
        return 1000 * self.functions <= self.family_size and 0 < self.family.alpha < 1

    def _functions(self, n: int) -> int:
        return n * self.functions_each + self.intercept

    def _captured(self, n: int) -> Fraction:
        """The most that n samples capture on average of the composite signals, summed over outputs."""
        functions = self._functions(n)
        shares = (count * min(Fraction(1), Fraction(functions, size)) for size, count in self.family.counted)
        return self.family.alpha**2 * sum(shares, Fraction(0))


def any_kernel(
    problem: Problem, n: int, kernel: KernelKind = "scalar", picked_among: int = 1, intercept: bool = False
) -> AnyKernelBound:
    r"""The bound for any kernel with n samples, or any map to n features, fixed before the target is drawn.

    With F functions the mean over the family of the least risk is at least
    :math:`\sum_j \alpha^2 (1 - \min(1, F / C_j))`, where :math:`C_j` counts the parities of output j.

    Parameters
    ----------
    problem
        A problem of parities: the target is drawn from its family.
    n
        Samples or features.
    kernel
        "scalar" (one kernel, or one for each output): F = n. "matrix" (any matrix-valued kernel, such as the full
        tangent kernel of a network with several outputs): F = n times the outputs.
    picked_among
        The number of kernels fixed beforehand among which the labels may pick one, for instance on a validation sample:
        F is multiplied by it.
    intercept
        Whether a function that is fixed beforehand is added to the regression: an intercept, or the network's function
        at its start. F grows by 1. A mere constant is orthogonal to the parities and captures nothing, so that counting
        it is safe.

    Raises
    ------
    InputError
        If no bound is known for the problem: the sentence says which hypothesis it fails.

    Examples
    --------
    >>> from kernelgap import problems
    >>> any_kernel(problems.get("sec8"), n=500).samples_for(0.02)
    5766215
    >>> any_kernel(problems.get("sec8"), n=500, kernel="matrix").samples_for(0.02)
    384415
    >>> any_kernel(problems.get("sec8"), n=500, picked_among=20, intercept=True).functions
    10001
    """
    return AnyKernelBound(family_of(problem), *_checked(n, kernel, picked_among, intercept))


def any_kernel_by_numbers(
    *,
    d: int,
    degree: int,
    outputs: int,
    alpha: float,
    n: int,
    kernel: KernelKind = "scalar",
    picked_among: int = 1,
    intercept: bool = False,
) -> AnyKernelBound:
    """The same for a family given by its numbers.

    Parameters
    ----------
    d, degree
        Each composite signal is a parity of ``degree`` out of ``d`` uniform coordinates.
    outputs, alpha
        How many there are, and their strength.
    n, kernel, picked_among, intercept
        As in ``any_kernel``.
    """
    family = family_by_numbers(d, degree, outputs, alpha)
    return AnyKernelBound(family, *_checked(n, kernel, picked_among, intercept))


def _risk(risk: float) -> Fraction:
    what = "a finite number that is not negative"
    return exact_number("risk", risk, what, lambda value: 0 <= value < float("inf"))


def _checked(n: int, kernel: KernelKind, picked_among: int, intercept: bool) -> tuple[int, KernelKind, int, bool]:
    if kernel not in get_args(KernelKind):
        raise InputError(f"kernel must be 'scalar' or 'matrix', not {kernel!r}.")
    if not isinstance(intercept, bool):
        raise InputError(f"intercept must be True or False, not {intercept!r}.")
    return (
        _count("n", n, 0, "samples or features"),
        kernel,
        _count("picked_among", picked_among, 1, "kernels to pick from"),
        intercept,
    )


def _count(name: str, value: int, least: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name} must be a whole number of {what}, at least {least}, not {value!r}.")
    if value > MOST:
        raise InputError(f"{name} must be a number of {what} of at most {MOST_DIGITS:,} digits.")
    return int(value)


def _rounded_down(value: Fraction) -> float:
    """The greatest float that is not above."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else nextafter(nearest, -inf)
