"""ours (sharper than Theorem 2)

For any N functions fixed before the target is drawn, the best risk over all weights, averaged over the C targets, is
at least the number of outputs times alpha^2 (1 - N/C); no kernel measured gets under it."""

from kernelgap import problems
from kernelgap.certificates import any_kernel, feature_risks, oracle_risks
from kernelgap.certificates.floors.theorems import FAMILIES
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.negative.theorems import coordinates_and_parities

SIZES = {"quick": (12, 4, (10, 50, 150, 300)), "full": (20, 4, (20, 200, 1000, 2000))}
ALPHA = 0.3
SHOWN = ("gaussian", "ck2", "ntk2", "ntk3", "arcsin(bias=True)")


def measure(scale: str, seed: int) -> Numbers:
    d, k, sizes = SIZES[scale]
    problem = problems.hard(d=d, k=k, alpha=ALPHA)
    rows = []
    for n in sizes:
        X, _ = problem.sample(n, seed)
        bound = any_kernel(problem, n).mean_risk
        for kernel in FAMILIES:
            risks = oracle_risks(problem, kernel, X, seed=seed)
            rows.append({"kernel": kernel, "n": n, "mean": risks.mean, "high": risks.interval[1], "bound": bound})
    return {"d": d, "k": k, "rows": rows, "best": [_best(n) for n in (20, 200, 400)]}


def _best(n: int) -> dict[str, float]:
    """All coordinates and n parities: the bound gives the coordinates away, so they are not counted here."""
    problem = problems.hard(d=12, k=4, alpha=ALPHA)
    risks = feature_risks(problem, coordinates_and_parities(12, 4, n))
    low, high = risks.interval
    return {"n": n, "mean": risks.mean, "low": low, "high": high, "bound": any_kernel(problem, n).mean_risk}


def judge(numbers: Numbers) -> Verdict:
    under = [row for row in numbers["rows"] if row["high"] < row["bound"]]
    nearest = min(numbers["rows"], key=lambda row: row["mean"] / row["bound"])
    measured = f"the nearest of {len(numbers['rows'])} is {nearest['mean'] / nearest['bound']:.4g} times the floor"
    if under:
        row = under[0]
        return Verdict("fails", measured, f"{row['kernel']} with {row['n']} samples is under it: {row['mean']:.6g}.")
    if not all(row["low"] - 1e-9 <= row["bound"] <= row["high"] + 1e-9 for row in numbers["best"]):
        return Verdict("fails", measured, "The coordinates and N parities, which should meet the floor, do not.")
    reason = (
        f"Means over every target and every point. Nearest: {nearest['kernel']} with {nearest['n']} samples. All "
        "coordinates together with N of the parities meet the floor exactly, so it cannot be raised."
    )
    return Verdict("holds", measured, reason)


def picture(numbers: Numbers) -> Picture:
    rows = numbers["rows"]
    of_kernel = {kernel: [row for row in rows if row["kernel"] == kernel] for kernel in SHOWN}
    lines = [Line.of_rows(kernel, own, "n", "mean") for kernel, own in of_kernel.items()]
    lines.append(Line.of_rows("floor under any scalar kernel", of_kernel[SHOWN[0]], "n", "bound"))
    return Picture("samples N", "mean over targets of the best risk", lines, y_axis="log")


claim = Claim.of(
    __doc__, "bound.sharp", ">= outputs * alpha^2 (1 - N/C)", measure, judge, picture, seconds=12, identity=True
)
