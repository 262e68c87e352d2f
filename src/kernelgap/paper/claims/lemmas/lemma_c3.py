"""Lemma C.3

With gates of perturbed weights, |W|_2 <= tau_w and |V|_2 <= tau_v, W* and V* of norm at most tau_w/10 and tau_v/10
keep their promise: (a) E |A D_W W*(x,1) - F(x)|^2 and (c) E |A D_W (W* - W)(x,1) - (F(x) - out1(x))|^2 are O(alpha~^4),
and (b) |A D_V,W V*(out1,1) - alpha G(out1)| is at most (alpha~^2 + O(tau_v (tau_v/sigma_v)^(1/3))) |(out1,1)|. In the
proof, (a) and (c) come from terms tau_w (tau_w/sigma_w)^(1/3) m^(-1/6) under the square. Measured at the worst
perturbation found for each input, (b) also at the worst direction of (out1,1) on a grid."""

import math
from functools import partial

import numpy as np
from jaxtyping import Float

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Outcome, Picture, Verdict
from kernelgap.paper.claims.growth import at_most, exponent, interval, listed, means, over_widths, together
from kernelgap.paper.theory.complexity import complexity
from kernelgap.paper.theory.construction import Solution, solution
from kernelgap.paper.theory.coupling import half_sphere, worst_distance
from kernelgap.paper.theory.hypotheses import Parameters, Power, of_m, unmet
from kernelgap.paper.theory.start import Start, with_one
from kernelgap.paper.theory.theorem1 import power_of_ten
from kernelgap.problems import concept2
from kernelgap.problems.concept import ConceptProblem
from kernelgap.problems.smooth import Function

D, K, ALPHA = 5, 2, 0.9
C_STAR = 10.0  # |W*|_F is at most k p_F sum (i+1)|c_i| (lemma.c2), hence at most tau_w/10 with tau_w = k p_F C_s(F)
# log2 of the widths, repeats of the first and of the second layer, directions
SIZES = {"quick": (range(10, 17), 40, 5, 16), "full": (range(10, 20), 100, 8, 64)}
PATH = Parameters(Power(1.0), of_m(-1 / 4), of_m(-1 / 8), of_m(1 / 8), K)
TERMS = {"a": -1 / 12, "b": -5 / 24, "c": -1 / 12}  # the proof's terms on this path, as powers of m


def measure(scale: str, seed: int) -> Numbers:
    """tau_w = 1, sigma_w = m^(-1/4), tau_v = m^(-1/8), sigma_v = m^(1/8); F and G are scaled so that tau_w and tau_v
    are k p_F C_s(F) and alpha k p_G C_s(G), as in Table 1. W* and V* are linear in them.
    """
    powers, first, second, directions = SIZES[scale]
    widths = [2**power for power in powers]
    problem = concept2(D, K, ALPHA, F="sin(z)", G="sin(z) + 0.3*z^3", seed=seed)
    values = over_widths(widths, first, seed, partial(_first, problem, seed))
    values |= over_widths(widths, second, seed + 1, partial(_second, problem, half_sphere(directions)))
    stated = {part: [_stated(part, m) for m in widths] for part in TERMS}
    ratios = {p: [_ratio(p, row, to) for row, to in zip(values[p], stated[p], strict=True)] for p in TERMS}
    return {
        "widths": widths,
        "unmet": _unmet(widths, values),
        "worst": {part: values[part] for part in TERMS},
        "exponents": {part: exponent(widths, values[part]) for part in TERMS},
        "terms": TERMS,
        "constants": {part: means(values[part])[-1] / float(widths[-1]) ** TERMS[part] for part in TERMS},
        "alpha_tilde": [_alpha_tilde(m) for m in widths],
        "stated": stated,
        "stated_ratios": ratios,
        "stated_exponents": {part: exponent(widths, ratios[part]) for part in TERMS},
    }


def _start(rng: np.random.Generator, problem: ConceptProblem, m: int) -> tuple[Start, Solution]:
    """A start, and W*, V* for F and G as they are, without alpha."""
    start = Start.draw(rng, d=D, k=K, m=m, sigma_w=PATH.sigma_w.at(m), sigma_v=PATH.sigma_v.at(m))
    return start, solution(start, problem.F, problem.G, 1.0)


def _size(function: Function) -> float:
    """k p C_s."""
    of = complexity(function, C_STAR)
    return K * of.p * of.C_s


def _first(problem: ConceptProblem, seed: int, rng: np.random.Generator, m: int, n: int) -> dict[str, float]:
    """(a) and (c) at one input, and |W*|_F as a share of tau_w/10."""
    start, made = _start(rng, problem, m)
    scale = PATH.tau_w.at(m) / _size(problem.F)
    x, _ = problem.sample(1, seed=[seed, n])
    x1 = with_one(x)[0]
    F, g, W = scale * problem.F(x)[0], start.W0 @ x1, scale * (made.W @ x1)
    budget = PATH.tau_w.at(m) * float(np.linalg.norm(x1))
    # A D_W (W* - W)(x,1) - (F - out1) = A D_W W*(x,1) - F + A D_W W(0)(x,1)
    distances = {"a": worst_distance(start.A, g, budget, W, F), "c": worst_distance(start.A, g, budget, W + g, F)}
    return {**distances, "W": 10 * scale * float(np.linalg.norm(made.W)) / PATH.tau_w.at(m)}


def _second(
    problem: ConceptProblem, grid: Float[np.ndarray, "n k1"], rng: np.random.Generator, m: int, _: int
) -> dict[str, float]:
    """(b) over |(out1,1)|, at the worst of the directions, and |V*|_F as a share of tau_v/10."""
    start, made = _start(rng, problem, m)
    tau = PATH.tau_v.at(m)
    scale = tau / _size(problem.G)  # of alpha G
    wanted = scale * problem.G(grid[:, :-1] / grid[:, -1:]) * grid[:, -1:]
    distances = (
        worst_distance(start.A, start.V0 @ z, tau, scale * (made.V @ z), to) for z, to in zip(grid, wanted, strict=True)
    )
    return {"b": max(distances), "V": 10 * scale * float(np.linalg.norm(made.V)) / tau}


def _unmet(widths: list[int], values: dict[str, list[list[float]]]) -> list[str]:
    """What Lemmas C.1 and C.2 ask and the parameters do not meet."""
    unmet_conditions = [f"{c.text} at m = {m}" for m in widths for c in unmet(PATH.of_lemma_c1(), m)]
    shares = {name: max(map(max, values[name])) for name in "WV"}
    return unmet_conditions + [f"|{name}*|_F is {share:.2g} of tau/10" for name, share in shares.items() if share > 1]


def _alpha_tilde(m: int) -> float:
    """alpha / (k (p_F C_s(F) + p_G C_s(G)))."""
    return ALPHA / (PATH.tau_w.at(m) + PATH.tau_v.at(m) / ALPHA)


def _stated(part: str, m: int) -> float:
    """The lemma's own bound, with 1 in its O."""
    if part != "b":
        return _alpha_tilde(m) ** 4
    tau, sigma = PATH.tau_v.at(m), PATH.sigma_v.at(m)
    return _alpha_tilde(m) ** 2 + tau * (tau / sigma) ** (1 / 3)


def _ratio(part: str, row: list[float], bound: float) -> float:
    """To the stated bound: of the mean square in (a) and (c), of the largest in (b)."""
    return (max(row) if part == "b" else float(np.mean(np.square(row)))) / bound


def outcomes(numbers: Numbers) -> dict[str, Outcome]:
    """By part, of the proof's term and of the lemma's bound: neither ratio may grow with the width."""
    of_terms = {f"({p}), term": at_most(numbers["exponents"][p], numbers["terms"][p]) for p in TERMS}
    return of_terms | {f"({p}), bound": at_most(numbers["stated_exponents"][p], 0.0) for p in TERMS}


def judge(numbers: Numbers) -> Verdict:
    if numbers["unmet"]:
        return Verdict("undecided", "outside", f"The lemma asks for more: {'; '.join(numbers['unmet'])}.")
    fits, found = numbers["exponents"], outcomes(numbers)
    measured = "; ".join(
        f"({part}) m^{interval(fits[part], '.3f')} of m^{numbers['terms'][part]:.3f}, constant "
        f"{numbers['constants'][part]:.2f}; {numbers['stated_ratios'][part][-1]:.2g} of the stated bound "
        f"{numbers['stated'][part][-1]:.2f}"
        for part in TERMS
    )
    reason = (
        f"{listed(found)}. The terms are those of the proof on the path measured, as powers of m; the bounds "
        f"are the lemma's, with alpha~ = {numbers['alpha_tilde'][-1]:.2f}, C* = {C_STAR:g} and 1 in each O. The "
        f"largest, (c), is under alpha~^2 itself from about m = {power_of_ten(_enough(numbers))} on, by the proof's "
        "power. In (b) the alpha~ before G is a slip for alpha."
    )
    return Verdict(together(found.values()), measured, reason)


def _enough(numbers: Numbers) -> float:
    """log10 of the width at which constant m^(-1/12) is alpha~^2."""
    return math.log10(numbers["constants"]["c"] / numbers["alpha_tilde"][-1] ** 2) / -numbers["terms"]["c"]


def picture(numbers: Numbers) -> Picture:
    names = {"a": "(a) |A D_W W*(x,1) - F|", "b": "(b) |A D_V,W V*z - alpha G|", "c": "(c) with W - W*"}
    lines = [Line(title, numbers["widths"], means(numbers["worst"][part])) for part, title in names.items()]
    lines.append(Line("alpha~^2", numbers["widths"], [value**2 for value in numbers["alpha_tilde"]]))
    return Picture("width m", "error at the worst perturbation", lines, x_axis="log", y_axis="log")


claim = Claim.of(
    __doc__,
    "lemma.c3",
    "O(alpha~^4) for (a), (c), alpha~^2 + O(tau_v (tau_v/sigma_v)^(1/3)) for (b); in the proof m^(-1/12), m^(-5/24)",
    measure,
    judge,
    picture,
    seconds=10,
)
