"""conference version, Theorem 2

Kernels that depend on the angle between inputs alone, trained on about d^(k/2) samples, keep a risk above alpha^2/4
for 99 in 100 draws of target and sample, for d large enough."""

from collections.abc import Sequence

from kernelgap import problems
from kernelgap.certificates import oracle_risks
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import first_lasting

# Kernels of <x,z> / |x||z|. The least risk over all weights is no more than that of any minimiser of eq. 3.2.
KERNELS = ("arcsin", "arcsin(bias=True)", "recursive", "gaussian", "ck2", "ntk2", "ntk3")
SIZES = {"quick": (4, (10, 14, 18), 2), "full": (4, (10, 14, 18, 22, 26, 30), 3)}  # k, every d, draws of the inputs
ALPHA = 0.3
SHARE = 0.99


def measure(scale: str, seed: int) -> Numbers:
    k, dimensions, draws = SIZES[scale]
    rows = []
    for d in dimensions:
        problem = problems.hard(d=d, k=k, alpha=ALPHA)
        n = round(d ** (k / 2))
        samples = [problem.sample(n, (seed, draw))[0] for draw in range(draws)]
        for kernel in KERNELS:
            risks = [oracle_risks(problem, kernel, X, seed=seed) for X in samples]
            share = min(each.share_above(ALPHA**2 / 4) for each in risks)
            mean, least = sum(each.mean for each in risks) / draws, min(float(each.low.min()) for each in risks)
            rows.append({"d": d, "n": n, "kernel": kernel, "share": share, "mean": mean, "least": least})
    return {"k": k, "alpha": ALPHA, "draws": draws, "rows": rows}


def judge(numbers: Numbers) -> Verdict:
    """The statement is for large d: what counts is from which d on every kernel measured is above."""
    rows = numbers["rows"]
    dimensions = sorted({row["d"] for row in rows})
    worst = {d: min((row for row in rows if row["d"] == d), key=lambda row: row["share"]) for d in dimensions}
    least = min(worst.values(), key=lambda row: row["share"])
    power = f"N = d^{numbers['k'] / 2:g} to {max(row['n'] for row in rows)}"
    measured = f"share {least['share']:.2%} or more ({least['kernel']}, d = {least['d']}), {power}"
    first = first_lasting(dimensions, [worst[d]["share"] >= SHARE for d in dimensions])
    if first is None:
        largest = worst[dimensions[-1]]
        short = f"At d = {largest['d']}, the largest here, {largest['kernel']} has a share of {largest['share']:.2%}"
        if largest["share"] <= worst[dimensions[0]]["share"]:
            return Verdict("fails", measured, f"{short}, and it does not grow with d.")
        return Verdict("undecided", measured, f"{short}; it grows with d, and the statement is for large d.")
    since = "At every d" if first == dimensions[0] else f"From d = {first} on, not at d = {_before(dimensions, first)}"
    reason = (
        f"{since}. Over all weights, so for the minimiser of eq. 3.2 with any regulariser; N without the logarithms "
        "that the statement divides by, so more samples than it allows."
    )
    return Verdict("holds", measured, reason)


def _before(dimensions: Sequence[int], d: int) -> int:
    return dimensions[dimensions.index(d) - 1]


def picture(numbers: Numbers) -> Picture:
    rows = numbers["rows"]
    names = dict.fromkeys(row["kernel"] for row in rows)
    lines = [Line.of_rows(name, [row for row in rows if row["kernel"] == name], "d", "mean") for name in names]
    levels = (("alpha^2 / 4", numbers["alpha"] ** 2 / 4), ("k alpha^2", numbers["k"] * numbers["alpha"] ** 2))
    return Picture("d, with d^(k/2) samples", "mean best risk over all weights", lines, levels, y_axis="log")


claim = Claim.of(__doc__, "thm2.correlation", "share 99% above alpha^2/4", measure, judge, picture, seconds=2)
