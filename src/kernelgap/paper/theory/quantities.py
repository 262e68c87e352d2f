"""What Theorem 1 asks of a problem: (k, p, C_s) of F and G, alpha, OPT and B_F."""

import math
from dataclasses import dataclass

from kernelgap.errors import InputError
from kernelgap.paper.theory.complexity import C_STAR, complexity, log_C_eps_of
from kernelgap.paper.theory.polarise import coordinates_function, product_function
from kernelgap.problems.concept import ConceptProblem
from kernelgap.problems.parity import ParityProblem
from kernelgap.problems.smooth import Function


@dataclass(frozen=True)
class Quantities:
    """``log_C_alpha``: the larger of log C_alpha~(F) and log C_alpha~(G), or None if a series would have to be cut."""

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
    found = Quantities(
        k=problem.outputs,
        p_F=of_F.p,
        p_G=of_G.p,
        C_F=of_F.C_s,
        C_G=of_G.C_s,
        alpha=problem.alpha,
        opt=problem.outputs * problem.noise**2 / 2,
        B_F=B_F,
    )
    return Quantities(**{**found.__dict__, "log_C_alpha": _log_C_alpha(F, G, found, C_star)})


def _functions(problem: ConceptProblem | ParityProblem) -> tuple[Function, Function, float]:
    if isinstance(problem, ConceptProblem):
        return problem.F, problem.G, problem.bound
    if problem.name != "hard":
        raise InputError(f"The problem {problem.name} has no form of Concept 1 here: use hard(...) or concept1(...).")
    chosen = [index for (index,) in problem.base_sets]
    return coordinates_function(problem.d, chosen), product_function(problem.outputs), 1.0


def _log_C_alpha(F: Function, G: Function, found: Quantities, C_star: float) -> float | None:
    if any(phi.radius <= C_star for function in (F, G) for phi in function.distinct):
        return None
    return max(log_C_eps_of(function, -math.log(found.alpha_tilde), C_star) for function in (F, G))
