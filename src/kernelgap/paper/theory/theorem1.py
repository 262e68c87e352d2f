"""Theorem 1's choices for a given problem (sec. 6, Table 1), with every hidden constant named.

tau_w = k p_F C_s(F) >= 1           tau_v = alpha k p_G C_s(G) <= 1/polylog(m)        (radii the proof works in)
sigma_w in [m^(-1/2+0.01), m^-0.01]                sigma_v in [polylog(m), m^(3/8-0.01)]
tau_w in [m^(1/8+0.001) sigma_w, m^(1/8-0.001) sigma_w^(1/4)]
tau_v in [sigma_v (k/m)^(3/8), sigma_v / polylog(m)]
eta_w = min(1, delta)    eta_v = eta_w (alpha p_G C_s(G) / (p_F C_s(F)))^2    T = (k p_F C_s(F))^2 / min(1, delta^2)
delta >= OPT + alpha^4 (k p_G C_s(G))^4 (1 + B_F)^2       alpha <= 1 / (k p_G C_s(G))

each up to the factors in ``Hidden``. Widths can be astronomically large: everything in m is kept as log10.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kernelgap.errors import InputError
from kernelgap.networks.network import SIGMA_V_POWER, SIGMA_W_POWERS, TheoremStart
from kernelgap.paper.theory.complexity import C_STAR, complexity, log_C_eps_of
from kernelgap.paper.theory.polarise import coordinates_function, product_function
from kernelgap.problems.concept import ConceptProblem
from kernelgap.problems.parity import ParityProblem
from kernelgap.problems.smooth import Function

LARGEST_LOG10_M = 1e9  # widths are looked for up to 10 to this


@dataclass(frozen=True)
class Quantities:
    """What Theorem 1 asks of a problem: (k, p, C_s) of F and G, alpha, OPT and B_F.

    ``log_C_alpha``: the larger of log C_alpha~(F) and log C_alpha~(G), or None if a series would have to be cut.
    """

    k: int
    p_F: int
    p_G: int
    C_F: float
    C_G: float
    alpha: float
    opt: float = 0.0
    B_F: float = 1.0
    log_C_alpha: float | None = None

    def __post_init__(self) -> None:
        for name in ("k", "p_F", "p_G", "C_F", "C_G", "alpha"):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(f"Theorem 1 needs {name} positive and finite, not {getattr(self, name)}.")
        if not (0 <= self.opt < math.inf and 0 <= self.B_F < math.inf):
            raise InputError(f"Theorem 1 needs finite OPT and B_F, at least 0, not {self.opt} and {self.B_F}.")

    @property
    def size_F(self) -> float:
        """k p_F C_s(F)."""
        return self.k * self.p_F * self.C_F

    @property
    def size_G(self) -> float:
        """k p_G C_s(G)."""
        return self.k * self.p_G * self.C_G

    @property
    def alpha_tilde(self) -> float:
        """alpha / (k (p_F C_s(F) + p_G C_s(G))), the accuracy of Lemma C.2's construction."""
        return self.alpha / (self.size_F + self.size_G)


def quantities(problem: ConceptProblem | ParityProblem, C_star: float = C_STAR) -> Quantities:
    """Of a member of a concept class, or of the hard instance, which D.4 writes as one (labels divided by sqrt(k)).

    B_F is the proved bound, and OPT = E |H(x) - y|^2 / 2 comes of the label noise.
    """
    F, G, B_F = _functions(problem)
    if not math.isfinite(B_F):
        raise InputError("Inputs without a bound have no B_F: Theorem 1 wants |F(x)| <= B_F for all inputs.")
    of_F, of_G = complexity(F, C_star), complexity(G, C_star)
    opt = problem.outputs * problem.noise**2 / 2
    known = Quantities(problem.outputs, of_F.p, of_G.p, of_F.C_s, of_G.C_s, problem.alpha, opt, B_F)
    if any(phi.radius <= C_star for function in (F, G) for phi in function.distinct):
        return known
    logs = (log_C_eps_of(function, -math.log(known.alpha_tilde), C_star) for function in (F, G))
    return replace(known, log_C_alpha=max(logs))


def _functions(problem: ConceptProblem | ParityProblem) -> tuple[Function, Function, float]:
    if isinstance(problem, ConceptProblem):
        return problem.F, problem.G, problem.bound
    if problem.name != "hard":
        raise InputError(f"The problem {problem.name} has no form of Concept 1 here: use hard(...) or concept1(...).")
    chosen = [index for (index,) in problem.base_sets]
    return coordinates_function(problem.d, chosen), product_function(problem.outputs), 1.0


@dataclass(frozen=True)
class Hidden:
    """What O, Theta and polylog hide: a constant for each, and polylog(m) = (ln m)^polylog. All 1 by default.

    ``tilde`` is the power of ln m in each Theta~ of Table 1 (tau_w, tau_v). ``M`` and ``M_power`` make
    M = M (C_alpha p_F / alpha)^M_power of the theorem's M = poly(C_alpha(F), C_alpha(G), p_F, 1/alpha).
    """

    tau_w: float = 1.0
    tau_v: float = 1.0
    alpha: float = 1.0
    delta: float = 1.0
    eta_w: float = 1.0
    eta_v: float = 1.0
    T: float = 1.0
    M: float = 1.0
    M_power: float = 1.0
    polylog: float = 0.0
    tilde: float = 0.0


@dataclass(frozen=True)
class Range:
    """Numbers from 10^low to 10^high, each end with the condition that sets it; empty if low > high."""

    low: float
    high: float
    low_because: str
    high_because: str

    @classmethod
    def between(cls, lows: Mapping[str, float], highs: Mapping[str, float]) -> "Range":
        """What meets all these conditions: lower and upper ends, by what sets them."""
        low, high = max(lows, key=lambda name: lows[name]), min(highs, key=lambda name: highs[name])
        return cls(lows[low], highs[high], low, high)

    @property
    def empty(self) -> bool:
        return self.low > self.high

    @property
    def middle(self) -> float:
        return 10 ** ((self.low + self.high) / 2)

    def __str__(self) -> str:
        return f"[{power_of_ten(self.low)}, {power_of_ten(self.high)}]"


@dataclass(frozen=True)
class Table1:
    """Table 1 at one width: which conditions hold, and what is left for sigma_w and sigma_v."""

    log10_m: float
    tau_w: float
    tau_v: float
    sigma_w: Range
    sigma_v: Range
    objections: tuple[str, ...]

    @property
    def satisfiable(self) -> bool:
        return not self.objections

    def __str__(self) -> str:
        if self.satisfiable:
            return f"At m = {power_of_ten(self.log10_m)}: sigma_w in {self.sigma_w}, sigma_v in {self.sigma_v}."
        return f"At m = {power_of_ten(self.log10_m)} Table 1 cannot be met: {'; '.join(self.objections)}."

    def start(self) -> TheoremStart:
        """A random start in the middle of both ranges."""
        if not self.satisfiable:
            raise InputError(str(self))
        return TheoremStart(self.sigma_w.middle, self.sigma_v.middle)


@dataclass(frozen=True)
class Theorem1:
    """The theorem for a problem with these quantities. ``proof`` adds what Claim C.6 uses beside Table 1:
    sigma_v >= 1 / tau_v^2."""

    of: Quantities
    hidden: Hidden = Hidden()
    proof: bool = False

    @property
    def largest_alpha(self) -> float:
        """alpha's admissible range is (0, this), before polylog(m)."""
        return self.hidden.alpha / self.of.size_G

    @property
    def least_delta(self) -> float:
        """The smallest average risk (up to O) that the theorem promises."""
        q = self.of
        return q.opt + self.hidden.delta * (q.alpha * q.size_G) ** 4 * (1 + q.B_F) ** 2

    def eta_w(self, delta: float | None = None) -> float:
        return self.hidden.eta_w * min(1.0, self._delta(delta))

    def eta_v(self, delta: float | None = None) -> float:
        q = self.of
        return self.eta_w(delta) * self.hidden.eta_v * (q.alpha * q.size_G / q.size_F) ** 2

    def T(self, delta: float | None = None) -> float:
        """Steps, each with a fresh sample: the sample complexity."""
        return self.hidden.T * self.of.size_F**2 / min(1.0, self._delta(delta)) ** 2

    def _delta(self, delta: float | None) -> float:
        if delta is None:
            return self.least_delta
        if delta < self.least_delta:
            least = f"{self.least_delta:.4g}"
            raise InputError(f"Theorem 1 promises no risk below {least} here, so not delta = {delta:.4g}.")
        return delta

    @property
    def log10_M(self) -> float | None:
        """Theorem 1's least width M, as its logarithm; None if C_alpha is infinite (a series with a finite radius)."""
        q = self.of
        if q.log_C_alpha is None:
            return None
        inside = q.log_C_alpha / math.log(10) + math.log10(q.p_F) - math.log10(q.alpha)
        return math.log10(self.hidden.M) + self.hidden.M_power * inside

    def table1(self, m: float | None = None, *, log10_m: float | None = None) -> Table1:
        """Table 1 at a width m."""
        if (m is None) == (log10_m is None):
            raise InputError("Table 1 needs a width, as m or as log10_m.")
        x = math.log10(m) if m is not None else float(log10_m or 0.0)
        if x < math.log10(2):
            raise InputError("Table 1 needs a width of at least 2.")
        q, loglog = self.of, math.log10(x * math.log(10))
        polylog, tilde = self.hidden.polylog * loglog, self.hidden.tilde * loglog
        tau_w = math.log10(self.hidden.tau_w * q.size_F) + tilde
        tau_v = math.log10(self.hidden.tau_v * q.alpha * q.size_G) + tilde
        sigma_w = Range.between(
            {
                "sigma_w >= m^(-1/2+0.01)": SIGMA_W_POWERS[0] * x,
                "tau_w <= m^(1/8-0.001) sigma_w^(1/4)": 4 * (tau_w - (1 / 8 - 0.001) * x),
            },
            {
                "sigma_w <= m^-0.01": SIGMA_W_POWERS[1] * x,
                "tau_w >= m^(1/8+0.001) sigma_w": tau_w - (1 / 8 + 0.001) * x,
            },
        )
        lows = {"sigma_v >= polylog(m)": polylog, "tau_v <= sigma_v / polylog(m)": tau_v + polylog}
        if self.proof:
            lows["sigma_v >= 1/tau_v^2 (Claim C.6)"] = -2 * tau_v
        high = tau_v + 3 / 8 * (x - math.log10(q.k))
        sigma_v = Range.between(
            lows, {"sigma_v <= m^(3/8-0.01)": SIGMA_V_POWER * x, "tau_v >= sigma_v (k/m)^(3/8)": high}
        )
        objections = [
            *([f"tau_w = {power_of_ten(tau_w)} is below 1"] if tau_w < 0 else []),
            *([f"tau_v = {power_of_ten(tau_v)} exceeds 1/polylog(m)"] if tau_v > -polylog else []),
            *(
                f"no {name} meets both {r.low_because} (at least {power_of_ten(r.low)}) and {r.high_because} "
                f"(at most {power_of_ten(r.high)})"
                for name, r in (("sigma_w", sigma_w), ("sigma_v", sigma_v))
                if r.empty
            ),
        ]
        return Table1(x, 10**tau_w, 10**tau_v, sigma_w, sigma_v, tuple(objections))

    @cached_property
    def widths(self) -> tuple[tuple[float, float], ...]:
        """All m at which Table 1 can be met, as intervals of log10 m; the last may be infinite.

        Each condition compares a power of m with a power of ln m, so there are few; they are looked for from m = 2 to
        10^(10^9), on a fine grid, and each end is then refined.
        """
        xs = np.geomspace(math.log10(2), LARGEST_LOG10_M, 800).tolist()
        inside = [self.table1(log10_m=x).satisfiable for x in xs]
        ends = [xs[0]] if inside[0] else []
        for j in range(len(xs) - 1):
            if inside[j] != inside[j + 1]:
                ends.append(self._boundary(xs[j], xs[j + 1], inside[j]))
        if inside[-1]:
            ends.append(math.inf)
        return tuple(zip(ends[::2], ends[1::2], strict=True))

    def _boundary(self, left: float, right: float, left_inside: bool) -> float:
        """The last width, from within, at which Table 1 is possible between one where it is and one where it is not."""
        while right - left > 1e-12 * right:
            middle = (left + right) / 2
            same = self.table1(log10_m=middle).satisfiable == left_inside
            left, right = (middle, right) if same else (left, middle)
        return left if left_inside else right

    def __str__(self) -> str:
        if not self.widths:
            return f"Table 1 can be met at no width up to 10^({LARGEST_LOG10_M:.0e}). {self.table1(log10_m=100.0)}"
        spans = [
            f"from m = {power_of_ten(low)} on"
            if math.isinf(high)
            else f"for m from {power_of_ten(low)} to {power_of_ten(high)}"
            for low, high in self.widths
        ]
        return f"Table 1 can be met {', and '.join(spans)}."


def power_of_ten(log10: float) -> str:
    """A number by its logarithm: written out if it is not too large or small, else as a power of ten.

    >>> power_of_ten(-0.5), power_of_ten(3.0), power_of_ten(41.27), power_of_ten(4342.9)
    ('0.316', '1000', '10^41.3', '10^4343')
    """
    if -4 <= log10 <= 7:
        return f"{10**log10:.3g}" if log10 < 3 - 1e-9 else f"{10**log10:.0f}"
    return f"10^{log10:.1f}" if abs(log10) < 1000 else f"10^{log10:.0f}"
