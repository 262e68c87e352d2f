r"""The floor under gradient descent with noise on a parity that is not known beforehand, whatever the network.

For the target alpha chi_S the population gradient of a loss at w is g_0(w) + c alpha E chi_S(x) grad f(x), where g_0 is
the gradient without a signal and c = 1 for (f - y)^2 / 2. By Bessel's inequality, coordinate by coordinate, the mean of
|E chi_S grad f|^2 over the C parities is at most E |grad f|^2 / C. Let P_0 be the law of a run without a signal and P_S
that of a run on the target. Each step adds |difference of the gradients|^2 / (2 sigma^2) to KL(P_0 | P_S), so that its
mean over S is at most T (c alpha G)^2 / (2 C sigma^2). Pinsker's and Jensen's inequalities bound the mean total
variation:

    advantage <= sqrt(T (c alpha G)^2 / (4 C sigma^2)).

docs/gradient-floors.md has every step.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf, isqrt, nextafter
from numbers import Rational, Real

from kernelgap.certificates.floors.family import UNIFORM, FamilyBound, Hypothesis, as_written, exact_number, family_of
from kernelgap.display import Card
from kernelgap.errors import InputError, shown, unknown
from kernelgap.problems import FourierProblem, Problem

# c: the gradient for a target less that without a signal is -c E y(x) grad f(x)
FACTORS = {"half-square": Fraction(1), "square": Fraction(2), "correlation": Fraction(1), "logistic": Fraction(1, 2)}
WRITTEN = {
    "half-square": "E (f - y)^2 / 2",
    "square": "E (f - y)^2",
    "correlation": "-E y f",
    "logistic": "E log(1 + exp(-y f))",
}
MOST_STEPS = 10**18
DIGITS = 10**40  # square roots are rounded up to 1/DIGITS
NOT_COVERED = (
    "SGD on single examples or small batches: products of examples within a step show correlations that no population "
    "gradient has, and networks exist that learn parities from them.",
    "Passes over a finite sample: its gradients differ from those of the population by more than independent noise.",
    "Gradients without noise: how far rounding stands in for noise is another question.",
    "Targets with a base signal or several parities: what is learned first tells where the rest is (see problem.leap).",
)


@dataclass(frozen=True, repr=False)
class AnyGradientBound(FamilyBound):
    """What no gradient method of this kind gets under, on average over which coordinates the parity multiplies.

    Attributes
    ----------
    steps, noise, gradient_norm, loss
        T, sigma, G and the loss whose population gradients the learner sees.
    """

    steps: int
    noise: Fraction
    gradient_norm: Fraction
    loss: str = "half-square"

    def _card(self) -> Card:
        facts = {"advantage": self.advantage, "mean risk": self.mean_risk, "noise": float(self.noise)}
        return Card("floor", f"for gradients with noise, {self.steps:,} steps", facts | self._facts(self.hypotheses))

    @property
    def exact_squared_advantage(self) -> Fraction:
        """T (c alpha G)^2 / (4 C sigma^2) as a rational number, which may exceed 1."""
        return self.steps * self._each_step

    @property
    def exact_advantage(self) -> Fraction:
        """The bound of the mean advantage as a rational number, at most 1; rounded up by less than 10^-39."""
        return min(Fraction(1), _root_above(self.exact_squared_advantage))

    @property
    def advantage(self) -> float:
        """How much likelier any event is on the target than without a signal, at most, on average over the family."""
        return _rounded_up(self.exact_advantage)

    @property
    def exact_mean_risk(self) -> Fraction:
        """``mean_risk`` as a rational number."""
        left = 1 - Fraction(1, self.family_size) - self.exact_advantage
        return max(Fraction(0), self.family.threshold * left)

    @property
    def mean_risk(self) -> float:
        """The least mean of E (f - H)^2 over the family: alpha^2 (1 - 1/C - advantage), or 0."""
        return -_rounded_up(-self.exact_mean_risk)

    @property
    def accuracy(self) -> float:
        """The greatest mean share of inputs at which f has the sign of H: 1/2 + 1/(2 sqrt(C)) + advantage, or 1."""
        chance = _root_above(Fraction(1, 4 * self.family_size))
        return _rounded_up(min(Fraction(1), Fraction(1, 2) + chance + self.exact_advantage))

    def advantage_for_share(self, share: float) -> float:
        """An advantage that at least this share of the targets does not exceed (Markov's inequality)."""
        exact = exact_number("share", share, "a number from 0 to 1", lambda value: 0 <= value <= 1)
        return 1.0 if exact == 1 else _rounded_up(min(Fraction(1), self.exact_advantage / (1 - exact)))

    def steps_for(self, advantage: float) -> int:
        """The least number of steps with which the bound allows this mean advantage."""
        exact = exact_number("advantage", advantage, "a number from 0 to 1", lambda value: 0 <= value <= 1)
        return ceil(exact**2 / self._each_step)

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        k, noise, norm = self.family.degrees[0], float(self.noise), float(self.gradient_norm)
        parity = f"The target is a parity of degree {k}, of one output and without a base signal."
        sees = (
            f"The learner sees the target through {self.steps:,} gradients of {WRITTEN[self.loss]} over the population "
            f"alone, each with independent normal noise of standard deviation {noise:g} in every coordinate. Its "
            "start, its rates and how it moves on the gradients seen so far do not depend on the target otherwise."
        )
        small = (
            f"In runs without a signal (labels are fair coins) the root mean square of |grad f(x)|, over inputs, steps "
            f"and runs, is at most {norm:g}."
        )
        checked = (self.family.hypotheses[0], Hypothesis(parity, checked=True))
        return (*checked, UNIFORM, Hypothesis(sees, checked=False), Hypothesis(small, checked=False))

    @property
    def not_covered(self) -> tuple[str, ...]:
        return NOT_COVERED

    @property
    def _each_step(self) -> Fraction:
        signal = FACTORS[self.loss] * self.family.alpha * self.gradient_norm
        return signal**2 / (4 * self.family_size * self.noise**2)


def any_gradient(
    problem: Problem, steps: float, noise: float, gradient_norm: float, *, loss: str = "half-square"
) -> AnyGradientBound:
    r"""The floor for gradient descent on the population with normal noise, on a parity drawn from the problem's family.

    After T steps the mean advantage is at most :math:`\sqrt{T (c \alpha G)^2 / (4 C \sigma^2)}`, where C counts the
    parities and c = 1 for half the squared error (2 for the squared error, 1 for the correlation, 1/2 for the logistic
    loss).

    Parameters
    ----------
    problem
        A parity of one output without a base signal.
    steps
        T, the number of gradients that are seen.
    noise
        sigma, the standard deviation of the noise on each coordinate of each gradient.
    gradient_norm
        G, a bound of the root mean square of :math:`|\nabla_w f(x)|` in runs without a signal: ``null_runs`` measures
        it.
    loss
        "half-square", "square", "correlation" or "logistic".

    Raises
    ------
    InputError
        If the problem is of another kind, or a number makes no sense.

    Examples
    --------
    >>> from kernelgap import problems
    >>> bound = any_gradient(problems.get("parity(d=40, k=6)"), steps=1000, noise=0.1, gradient_norm=1)
    >>> bound.family_size, round(bound.advantage, 4), round(bound.mean_risk, 4)
    (3838380, 0.0807, 0.9193)
    >>> bound.steps_for(0.5)
    38384
    """
    family = family_of(problem)
    assert isinstance(problem, FourierProblem)
    if problem.outputs != 1 or problem.base_fourier.coefficients.any() or not family.alpha:
        raise InputError(
            f"No bound for {problem.name}: it is about one parity of one output without a base signal, such as "
            "parity(d=40, k=6)."
        )
    if loss not in FACTORS:
        raise unknown("loss", loss, FACTORS)
    if loss == "logistic" and family.alpha != 1:
        raise InputError("The logistic loss takes labels of +-1: give a parity with weight 1.")
    numbers = _positive("noise", noise), _positive("gradient_norm", gradient_norm)
    return AnyGradientBound(family, _steps(steps), *numbers, loss)


def _steps(steps: float) -> int:
    """A whole number, also as 1e6."""
    whole = isinstance(steps, Real) and not isinstance(steps, bool) and 0 <= steps <= MOST_STEPS
    if not whole or floor(steps) != steps:
        raise InputError(f"steps must be a whole number from 0 to {MOST_STEPS:.0e}, not {shown(steps)}.")
    return int(steps)


def _positive(name: str, value: float) -> Fraction:
    if not isinstance(value, Real) or isinstance(value, bool) or not 1e-150 <= value <= 1e150:
        raise InputError(f"{name} must be a positive number (from 1e-150 to 1e150), not {shown(value)}.")
    return Fraction(value) if isinstance(value, Rational) else as_written(float(value))


def _root_above(value: Fraction) -> Fraction:
    """The square root, rounded up by less than 1/DIGITS (or not at all)."""
    scaled = ceil(value * DIGITS**2)
    root = isqrt(scaled)
    return Fraction(root + (root**2 < scaled), DIGITS)


def _rounded_up(value: Fraction) -> float:
    """The least float that is not below."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else nextafter(nearest, inf)
