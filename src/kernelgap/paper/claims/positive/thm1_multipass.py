"""Footnote 13

Several passes of SGD over a finite sample give results similar to those of Algorithm 1 with fresh samples: from as many
samples they get as far, and their steps are worth about as much as long as the sample is not too small."""

from functools import partial

from kernelgap import problems
from kernelgap.networks import TheoremStart
from kernelgap.paper.algorithms import algorithm1
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.spread import median, median_and_range
from kernelgap.paper.theory.hierarchy import sample_need

D, K, ALPHA, RATES, SHARE = 32, 3, 0.3, (1.0, 0.1), 0.25
PASSES = 40
SHARES = (0.125, 0.25, 0.5, 1.0, 2.0)  # of the samples that fresh ones need, for each start its own
SIMILAR = 1.5  # steps to the level from a sample as large as fresh ones need, and risks from as many samples
SIZES = {"quick": (100, 5), "full": (400, 8)}  # width, starts


def measure(scale: str, seed: int) -> Numbers:
    width, starts = SIZES[scale]
    problem = problems.hard(d=D, k=K, alpha=ALPHA, seed=seed)
    level = SHARE * problem.threshold
    need = partial(
        sample_need, problem, level=level, width=width, rates=RATES, initialisation=TheoremStart(), most=20_000
    )
    seeds = range(seed, seed + starts)
    fresh = need(seeds=seeds)
    numbers: Numbers = {"threshold": problem.threshold, "level": level, "width": width, "fresh": fresh}
    if None in fresh:
        return numbers
    typical = round(median(fresh))
    train = partial(algorithm1, problem, width=width, rates=[RATES], seeds=seeds, initialisation=TheoremStart())
    rows = []
    for share in SHARES:
        samples = round(share * typical)
        once = train(steps=samples).final()[:, 0]
        again = train(steps=PASSES * samples, samples=samples).final()[:, 0]
        long = train(steps=PASSES * samples).final()[:, 0]
        row: Numbers = {"share": share, "samples": samples, "steps": need(seeds=seeds, samples=samples)}
        rows.append(row | {"once": once.tolist(), "again": again.tolist(), "as many steps": long.tolist()})
    return numbers | {"rows": rows}


def judge(numbers: Numbers) -> Verdict:
    if "rows" not in numbers:
        return Verdict("undecided", "", "With fresh samples some start did not get there.")
    rows, fresh = numbers["rows"], numbers["fresh"]
    same = next(row for row in rows if row["share"] == 1.0)
    measured = (
        f"from N = {same['samples']}: {median_and_range(same['again'])} after {PASSES} passes, "
        f"{median_and_range(same['once'])} after one fresh pass; steps to {SHARE:g} k alpha^2 "
        f"{median_and_range(same['steps'], '.0f')}, fresh {median_and_range(fresh, '.0f')}"
    )
    enough = [row["samples"] for row in rows if max(row["again"]) < numbers["level"]]
    few = f"from {min(enough)} samples on" if enough else "from none of the samples tried"
    beside = "; ".join(f"{r['samples']}: {median(r['again']):.2g} ({median(r['as many steps']):.2g})" for r in rows)
    reason = (
        f"Eq. 7.1 with d = {D}, k = {K}, alpha = {ALPHA:g}, width {numbers['width']}, {len(fresh)} starts. {PASSES} "
        f"passes get every start to {SHARE:g} of k alpha^2 {few}. Medians after them, and after as many fresh steps, "
        f"by N: {beside}: passes over few samples end higher."
    )
    worse = max(b / a for a, b in zip(same["once"], same["again"], strict=True))
    if worse > SIMILAR:
        return Verdict("fails", measured, f"A start ends {worse:.1f} times as high as after one fresh pass. {reason}")
    slower = median(same["steps"]) / median(fresh)
    if not 1 / SIMILAR <= slower <= SIMILAR:
        return Verdict(
            "undecided", measured, f"The passes take {slower:.1f} times the steps of fresh samples. {reason}"
        )
    return Verdict("holds", measured, reason)


def picture(numbers: Numbers) -> Picture:
    rows = numbers.get("rows", [])
    sizes = [row["samples"] for row in rows]
    names = {
        "once": "one fresh pass",
        "again": f"{PASSES} passes over the sample",
        "as many steps": "as many steps on fresh samples",
    }
    lines = [Line.of_repeats(name, sizes, [row[key] for row in rows]) for key, name in names.items()]
    return Picture("samples", "risk", lines, (("k alpha^2", numbers["threshold"]),), x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "thm1.multipass", "similar to fresh samples", measure, judge, picture, seconds=5)
