"""Lemmas E.1, E.1'

For F of general complexity (p, C_s, C_eps), a random start and m large enough, weights W* that are written down from
the start (not trained, the same for all x) give sum_r |F_r(x) - [A D_W(0) W* (x,1)]_r| <= epsilon |(x,1)|, with
|W*|_F at most of order k p C_s and its rows at most k p C_eps / sqrt(m), both up to logarithms, for A of variance
1/m (the paper's A of variance 1 divides W* by sqrt(m)). One C* is used for epsilon and for both bounds."""

import math

import numpy as np

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Outcome, Picture, Verdict
from kernelgap.paper.claims.growth import (
    at_most,
    constant,
    exponent,
    first_lasting,
    interval,
    means,
    over_widths,
    together,
)
from kernelgap.paper.theory.complexity import complexity, log_C_eps_of
from kernelgap.paper.theory.construction import as_general, build, expected_square, gated
from kernelgap.paper.theory.start import Start, with_one
from kernelgap.problems import concept2

D, K = 5, 2
SIZES = {"quick": (range(10, 19), 4), "full": (range(10, 22), 12)}  # log2 of the widths, repeats
C_STAR = 5.0  # large enough for C_eps to bound the rows, and small enough for epsilon to be reached
FUNCTIONS: dict[str, tuple[int, str | list[str]]] = {  # p and the activations
    "sin(z), p=1": (1, "sin(z)"),
    "0.4 sin(z) or 0.4 z^3 + 0.2, p=2": (2, ["0.4*sin(z)", "0.4*z^3 + 0.2"]),
}


def measure(scale: str, seed: int) -> Numbers:
    powers, repeats = SIZES[scale]
    widths = [2**power for power in powers]
    return {"widths": widths, "d": D, "k": K, "functions": [_row(name, widths, repeats, seed) for name in FUNCTIONS]}


def _row(name: str, widths: list[int], repeats: int, seed: int) -> Numbers:
    p, activations = FUNCTIONS[name]
    function = as_general(concept2(D, K, 0.1, pF=p, F=activations, size="none", seed=seed).F)
    size = complexity(function, C_STAR).C_s
    epsilon = 0.9 / (p * K * size)
    x1 = with_one(np.random.default_rng([seed, 1]).standard_normal((32, D)) / math.sqrt(D))
    lengths, exact = np.linalg.norm(x1, axis=1), function(x1[:, :-1])

    def draw(rng: np.random.Generator, m: int, _: int) -> dict[str, float]:
        start = Start.draw(rng, d=D, k=K, m=m, sigma_w=m**-0.5, sigma_v=1.0)
        W = build(function, start.A, start.W0, start.sigma_w, epsilon)
        wrong = gated(start.A, start.W0, W, x1) - exact
        return {
            "error": (np.abs(wrong).sum(axis=1) / lengths).max(),
            "norm": float(np.linalg.norm(W)) / (K * p * size),
            "row": float(np.linalg.norm(W, axis=1).max()) * math.sqrt(m) / (K * p),
            "square": (wrong[0] ** 2).sum(),
        }

    values = over_widths(widths, repeats, seed, draw)
    row: Numbers = {
        "function": name,
        "p": p,
        "C_s": size,
        "epsilon": epsilon,
        "errors": values["error"],
        "exponent": exponent(widths, values["error"]),
        "reached": first_lasting(widths, [max(error) <= epsilon for error in values["error"]]),
        "norms": values["norm"],
        "rows": values["row"],
        "log_C_eps": log_C_eps_of(function, math.log(1 / epsilon), C_STAR),
        "mean_square_over_expected": None,
    }
    if p == 1:
        squares = zip(means(values["square"]), widths, strict=True)
        row["mean_square_over_expected"] = float(np.mean([s / expected_square(function, x1[0], m) for s, m in squares]))
    return row


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["functions"]
    outcomes = {f"{what} {row['function']}": outcome for row in rows for what, outcome in _bounds(row).items()}
    measured = "; ".join(
        f"{row['function']}: error m^{interval(row['exponent'])}, "
        + (f"below epsilon = {row['epsilon']:.3f} from m = {row['reached']}" if row["reached"] else "above epsilon")
        + f", |W*|_F = {interval(constant(row['norms'][-1]))} k p C_s, rows at most "
        f"{max(map(max, row['rows'])) / math.exp(row['log_C_eps']):.2f} k p C_eps / sqrt(m)"
        for row in rows
    )
    if (outcome := together(outcomes.values())) != "holds":
        return Verdict(
            outcome, measured, f"Not as stated: {'; '.join(n for n, o in outcomes.items() if o == outcome)}."
        )
    late = [row["function"] for row in rows if row["reached"] is None]
    if late:
        return Verdict("undecided", measured, f"The widths measured do not bring {late} below epsilon.")
    share = next(row["mean_square_over_expected"] for row in rows if row["mean_square_over_expected"] is not None)
    reason = (
        "The error falls about as m^(-1/2), by the concentration in the proof, and gets below epsilon = 0.9/(p k C_s); "
        f"at one input its mean square is {share:.2f} of what quadrature predicts. C* is {C_STAR:g} throughout, with 1 "
        f"in each O: with C* = 1 C_eps would not bound the rows; with C* = 10^4 epsilon is {1e4 / C_STAR:.0f} times "
        "smaller, and the width out of reach."
    )
    return Verdict("holds", measured, reason)


def _bounds(row: Numbers) -> dict[str, Outcome]:
    """The bounds on both norms at every width, with 1 in each O; and that the error does not grow."""
    rows = [[value / math.exp(row["log_C_eps"]) for value in each] for each in row["rows"]]
    growth = at_most(row["exponent"], 0.0)
    return {
        "|W*|_F for": together(at_most(constant(each), 1.0) for each in row["norms"]),
        "the longest row for": together(at_most(constant(each), 1.0) for each in rows),
        "the error, which grows, of": "fails" if growth == "fails" else "holds",
    }


def picture(numbers: Numbers) -> Picture:
    rows = numbers["functions"]
    lines = [Line(row["function"], numbers["widths"], means(row["errors"])) for row in rows]
    levels = [(f"epsilon of {row['function']}", row["epsilon"]) for row in rows]
    return Picture("width m", "largest error / |(x,1)|", lines, levels, x_axis="log", y_axis="log")


claim = Claim.of(
    __doc__,
    "lemma.e1",
    "error below epsilon from m = poly(C_eps, 1/epsilon) on; |W*|_F <= O(k p C_s)",
    measure,
    judge,
    picture,
)
