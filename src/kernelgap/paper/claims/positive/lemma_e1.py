"""Lemmas E.1, E.1'

For F of general complexity (p, C_s, C_eps), a random start and m large enough, weights W* that are written down from
the start (not trained, the same for all x) give sum_r |F_r(x) - [A D_W(0) W* (x,1)]_r| <= epsilon |(x,1)|, with
|W*|_F at most of order k p C_s and its rows at most k p C_eps / sqrt(m), both up to logarithms, for A of variance
1/m (the paper's A of variance 1 divides W* by sqrt(m))."""

import math

import numpy as np

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict, from_docstring
from kernelgap.paper.theory.complexity import C_STAR, PLAIN, complexity, log_C_eps_of
from kernelgap.paper.theory.construction import as_general, build, expected_square, gated
from kernelgap.paper.theory.exponents import fit_exponent
from kernelgap.paper.theory.start import Start, with_one
from kernelgap.problems import concept2

D, K = 5, 2
KINDS: dict[str, tuple[int, str | list[str]]] = {
    "sin(z), p=1": (1, "sin(z)"),
    "sin(z) or z^3 + 0.5, p=2": (2, ["sin(z)", "z^3 + 0.5"]),
}


def measure(scale: str, seed: int) -> Numbers:
    powers, repeats = (range(10, 19), 4) if scale == "quick" else (range(10, 22), 12)
    widths = [2**power for power in powers]
    rows = []
    for name, (p, activations) in KINDS.items():
        function = as_general(concept2(D, K, 0.1, pF=p, F=activations, size="none", seed=seed).F)
        size = complexity(function, PLAIN).C_s
        epsilon = 0.9 / (p * K * size)
        x1 = with_one(np.random.default_rng([seed, 1]).standard_normal((32, D)) / math.sqrt(D))
        lengths = np.linalg.norm(x1, axis=1)
        values = function(x1[:, :-1])
        errors, norms, rows_norms, squares = [], [], [], []
        for m in widths:
            one: list[list[float]] = []
            for n in range(repeats):
                rng = np.random.default_rng([seed, m, n])
                start = Start.draw(rng, d=D, k=K, m=m, sigma_w=m**-0.5, sigma_v=1.0)
                W = build(function, start.A, start.W0, start.sigma_w, epsilon)
                wrong = gated(start.A, start.W0, W, x1) - values
                one.append(
                    [
                        float((np.abs(wrong).sum(axis=1) / lengths).max()),
                        float(np.linalg.norm(W)) / (K * p * size),
                        float(np.linalg.norm(W, axis=1).max()) * math.sqrt(m) / (K * p),
                        float((wrong[0] ** 2).sum()),
                    ]
                )
            columns = np.array(one).T
            errors.append(columns[0].tolist())
            norms.append(float(columns[1].max()))
            rows_norms.append(float(columns[2].max()))
            squares.append(float(columns[3].mean()))
        within = [m for m, error in zip(widths, errors, strict=True) if max(error) <= epsilon]
        rows.append(
            {
                "function": name,
                "p": p,
                "C_s": size,
                "epsilon": epsilon,
                "errors": errors,
                "exponent": fit_exponent(widths, np.array(errors)).as_dict(),
                "reached": kept_from(widths, within),
                "norm_ratio": max(norms),
                "row_ratio": max(rows_norms),
                "log_C_eps": log_C_eps_of(function, math.log(1 / epsilon), C_STAR),
                "mean_square_over_expected": (
                    float(
                        np.mean([s / expected_square(function, x1[0], m) for s, m in zip(squares, widths, strict=True)])
                    )
                    if p == 1
                    else None
                ),
            }
        )
    return {"widths": widths, "d": D, "k": K, "functions": rows}


def kept_from(widths: list[int], within: list[int]) -> int | None:
    """The width from which on all are within."""
    first = None
    for m in reversed(widths):
        if m not in within:
            break
        first = m
    return first


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["functions"]
    broken = []
    for row in rows:
        if row["norm_ratio"] > C_STAR:
            broken.append(f"|W*|_F for {row['function']}")
        if math.log(row["row_ratio"]) > row["log_C_eps"]:
            broken.append(f"the longest row for {row['function']}")
        if row["exponent"]["low"] > 0:
            broken.append(f"the error of {row['function']}, which grows")
    measured = "; ".join(
        f"{row['function']}: error m^{row['exponent']['value']:.2f} "
        f"[{row['exponent']['low']:.2f}, {row['exponent']['high']:.2f}], "
        + (f"below epsilon = {row['epsilon']:.3f} from m = {row['reached']}" if row["reached"] else "above epsilon")
        + f", |W*|_F = {row['norm_ratio']:.2f} k p sum (i+1)|c_i|, rows at most {row['row_ratio']:.1f} k p / sqrt(m)"
        for row in rows
    )
    if broken:
        return Verdict("fails", measured, f"Not as stated: {'; '.join(broken)}.")
    late = [row["function"] for row in rows if row["reached"] is None]
    if late:
        return Verdict("undecided", measured, f"The widths measured do not bring {late} below epsilon.")
    share = next(row["mean_square_over_expected"] for row in rows if row["mean_square_over_expected"] is not None)
    return Verdict(
        "holds",
        measured,
        "The error falls about as m^(-1/2), by the concentration in the proof, and gets below epsilon = 0.9/(p k C_s) "
        f"with C* = 1; at one input its mean square is {share:.2f} of what quadrature predicts. With C* = 10^4 epsilon "
        "is 10^4 times smaller and the width 10^8 times larger; the norms' bounds, which grow with C*, already hold.",
    )


def picture(numbers: Numbers) -> Picture:
    lines = [
        Line(row["function"], numbers["widths"], [float(np.mean(error)) for error in row["errors"]])
        for row in numbers["functions"]
    ]
    levels = [(f"epsilon of {row['function']}", row["epsilon"]) for row in numbers["functions"]]
    return Picture("width m", "largest error / |(x,1)|", lines, levels, x_axis="log", y_axis="log")


claim = Claim(
    "lemma.e1",
    *from_docstring(__doc__),
    "error below epsilon from m = poly(C_eps, 1/epsilon) on; |W*|_F <= O(k p C_s)",
    measure,
    judge,
    picture,
)
