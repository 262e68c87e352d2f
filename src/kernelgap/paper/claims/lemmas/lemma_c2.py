"""Lemma C.2

Weights W*, V* written down from the random start alone satisfy (a) E |A D_W(0) W*(x,1) - F(x)|^2 <= alpha~^4 and (b)
|A D_V(0),W V*(z,1) - alpha G(z)| <= alpha~^2 |(z,1)| for every z that out1 could be, with |W*|_F at most of order k
p_F C_s(F) and |V*|_F of order alpha k p_G C_s(G), for alpha~ = alpha / (k (p_F C_s(F) + p_G C_s(G))) and m large
enough."""

import numpy as np

from kernelgap.paper.claims import growth
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.theory.complexity import PLAIN
from kernelgap.paper.theory.construction import gated, solution
from kernelgap.paper.theory.coupling import half_sphere
from kernelgap.paper.theory.start import Start, with_one
from kernelgap.paper.theory.theorem1 import quantities
from kernelgap.problems import concept2

D, K, ALPHA = 5, 2, 0.9
SIZES = {"quick": (range(9, 17), 4, 400), "full": (range(9, 20), 10, 3000)}  # log2 of the widths, repeats, points


def measure(scale: str, seed: int) -> Numbers:
    """With C* = 1 everywhere and small F and G, so that the widths that the lemma asks for are within reach."""
    powers, repeats, count = SIZES[scale]
    widths = [2**power for power in powers]
    problem = concept2(D, K, ALPHA, F="0.5*sin(z)", G="0.3*sin(z) + 0.1*z^3", size="none", seed=seed)
    size = quantities(problem, PLAIN)
    X, _ = problem.sample(256, seed=seed)
    z1 = half_sphere(count)
    z = z1[:, :-1] / z1[:, -1:]
    wanted = ALPHA * problem.G(z) * z1[:, -1:]  # both sides divided by |(z,1)|

    def draw(rng: np.random.Generator, m: int, _: int) -> dict[str, float]:
        start = Start.draw(rng, d=D, k=K, m=m, sigma_w=m**-0.25, sigma_v=m**0.125)
        made = solution(start, problem.F, problem.G, ALPHA)
        return {
            "first": ((gated(start.A, start.W0, made.W, with_one(X)) - problem.F(X)) ** 2).sum(axis=1).mean(),
            "second": np.linalg.norm(gated(start.A, start.V0, made.V, z1) - wanted, axis=1).max(),
            "W": float(np.linalg.norm(made.W)) / size.size_F,
            "V": float(np.linalg.norm(made.V)) / (ALPHA * size.size_G),
        }

    values = growth.over_widths(widths, repeats, seed, draw)
    return {
        "widths": widths,
        "alpha": ALPHA,
        "alpha_tilde": size.alpha_tilde,
        "C_s": {"F": size.C_F, "G": size.C_G},
        "mean_square": values["first"],
        "largest": values["second"],
        "mean_square_exponent": growth.exponent(widths, values["first"]),
        "largest_exponent": growth.exponent(widths, values["second"]),
        "norm_W": values["W"],
        "norm_V": values["V"],
    }


def judge(numbers: Numbers) -> Verdict:
    target = numbers["alpha_tilde"]
    worst_a, worst_b = (list(map(max, numbers[name])) for name in ("mean_square", "largest"))
    from_a = growth.first_lasting(numbers["widths"], [value <= target**4 for value in worst_a])
    from_b = growth.first_lasting(numbers["widths"], [value <= target**2 for value in worst_b])
    slopes = numbers["mean_square_exponent"], numbers["largest_exponent"]
    measured = (
        f"(a) mean square {worst_a[-1]:.1e} of alpha~^4 = {target**4:.1e}, m^{slopes[0]['value']:.2f}, kept from "
        f"m = {from_a}; (b) largest {worst_b[-1]:.3f} of alpha~^2 = {target**2:.3f}, m^{slopes[1]['value']:.2f}, kept "
        f"from m = {from_b}; |W*|_F = {_last(numbers['norm_W'])} k p_F C_s(F), "
        f"|V*|_F = {_last(numbers['norm_V'])} alpha k p_G C_s(G); C* = 1 throughout"
    )
    norms = growth.together(
        growth.at_most(growth.constant(row), 1.0) for name in ("norm_W", "norm_V") for row in numbers[name]
    )
    if norms != "holds":
        return Verdict(norms, measured, "At some width a norm is not within its bound.")
    if "fails" in [growth.at_most(slope, 0.0) for slope in slopes]:
        return Verdict("fails", measured, "An error grows with the width.")
    if from_a is None or from_b is None:
        return Verdict("undecided", measured, "The errors are not below their bounds at the widths measured.")
    reason = (
        "Errors and norms are within their bounds at the largest width, with C* = 1 in C_s wherever it stands (in "
        "alpha~, and in the bounds on the norms, whose O is taken as 1) and mild F and G. With C* = 10^4 alpha~^2 is "
        "10^8 times smaller and the widths 10^16 times larger: out of reach. The norm of V* is alpha k p_G C_s(G) as "
        "in Table 1: the alpha~ printed in its place in Lemma C.2 is a slip."
    )
    return Verdict("holds", measured, reason)


def _last(rows: list[list[float]]) -> str:
    return growth.interval(growth.constant(rows[-1]))


def picture(numbers: Numbers) -> Picture:
    names = {"mean_square": "(a) mean square over x", "largest": "(b) largest over all z, over |(z,1)|"}
    lines = [Line(title, numbers["widths"], growth.means(numbers[name])) for name, title in names.items()]
    levels = [("alpha~^4", numbers["alpha_tilde"] ** 4), ("alpha~^2", numbers["alpha_tilde"] ** 2)]
    return Picture("width m", "error of W*, V*", lines, levels, x_axis="log", y_axis="log")


claim = Claim.of(
    __doc__,
    "lemma.c2",
    "<= alpha~^4 and <= alpha~^2 |(z,1)| from some m on; norms <= O(k p_F C_s(F)), O(alpha k p_G C_s(G))",
    measure,
    judge,
    picture,
)
