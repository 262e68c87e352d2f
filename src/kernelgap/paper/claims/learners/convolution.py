"""slides

A convolutional ResNet learns the convolutional target sum_j F(x_j) + alpha G(sum_j v_j F(x_j)) as the three-layer
ResNet learns F + alpha G(F): it gets well under the E |alpha G|^2 that learning F alone would leave, and kernels
with as many samples do not get under it."""

import numpy as np
from scipy import stats

from kernelgap import problems
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.side_by_side import Contest, Learner, interval
from kernelgap.paper.claims.spread import median_and_range

PATCHES = 4
CONV = f"3resnet-conv(patches={PATCHES})"
# G is a product of three. (Of a product of two even the kernel of the network's own random features sees something:
# with 500 samples it gets to 0.65 where the line, 3 alpha^2, is at 0.75, and the network to 0.01.)
TARGET: Numbers = {"patches": PATCHES, "d": 6, "alpha": 0.5, "degree": 3}
SIZES: dict[str, Numbers] = {
    "quick": {"samples": (800,), "seeds": 5, "epochs": 200, "width": 100},
    "full": {"samples": (400, 800, 1600), "seeds": 5, "epochs": 400, "width": 200},
}
RATES, DECAYS = (0.04, 0.07), (0.001, 0.003)
KERNELS = ("ntk2", "ntk3res", "gaussian")
WELL = 0.5  # of the line: more than half of the composite signal is learned
FRESH = 1000  # added to seeds: no pilot used these


def measure(scale: str, seed: int) -> Numbers:
    size = SIZES[scale]
    rows, line = [], 0.0
    for samples in size["samples"]:
        for s in range(FRESH + seed, FRESH + seed + size["seeds"]):
            problem = problems.convolutional(**TARGET, seed=s)  # with a v of its own
            line = problem.threshold
            contest = Contest(problem, samples, size["epochs"], s)
            conv = Learner(CONV, size["width"], RATES, DECAYS)
            resnet = Learner("3resnet", size["width"], (0.02, 0.05), (0.005,))
            two_layer = Learner("2layer", size["width"], (0.05, 0.1), (0.01,))
            rows += [contest.by_sgd(learner) for learner in (conv, resnet, two_layer)]
            rows += [*contest.by_ridge(KERNELS), *contest.by_own_kernels(conv)]
    return {"target": TARGET, "threshold": line, "width": size["width"], "rows": rows}


def judge(numbers: Numbers) -> Verdict:
    line = numbers["threshold"]
    most = max(row["samples"] for row in numbers["rows"])
    rows = [row for row in numbers["rows"] if row["samples"] == most]
    errors = {name: [row["test_error"] for row in _of(rows, name)] for name in _names(rows, "network")}
    kernels = {name: _above([row["above"] for row in _of(rows, name)]) for name in _names(rows, "kernel")}
    best = min(kernels, key=lambda name: kernels[name][0])
    above, low, high = kernels[best]
    worst = max(_of(rows, CONV), key=lambda row: interval(row)[1])
    others = [f"{name} {median_and_range(values)}" for name, values in errors.items() if name != CONV]
    measured = (
        f"{median_and_range(errors[CONV])} over {len(errors[CONV])} seeds, {', '.join(others)}; the best kernel, "
        f"{best}, {above:.2g} [{low:.2g}, {high:.2g}] above knowing F; N = {most}"
    )
    seeds = sorted({row["seed"] for row in rows})
    how = (
        f"Learning sum_j F(x_j) alone leaves {line:.3g}. Sizes, rates, decays and that G is a product of three were "
        f"set after pilot runs; seeds {seeds[0]} to {seeds[-1]} were in none of them."
    )
    if interval(worst)[0] > WELL * line:
        return Verdict("fails", measured, f"With seed {worst['seed']} it does not get to half of the line. {how}")
    under = [name for name, (_, _, most) in kernels.items() if most < 0]
    if under:
        reason = f"It gets under the line, but so does the kernel {', '.join(under)} with as many samples. {how}"
        return Verdict("fails", measured, reason)
    if interval(worst)[1] > WELL * line:
        return Verdict("undecided", measured, f"With some seed within two standard errors of half of the line. {how}")
    open_ = [name for name, (_, least, _) in kernels.items() if least < 0]
    if open_:
        return Verdict("undecided", measured, f"The line is in the interval of {', '.join(open_)} over seeds. {how}")
    reason = (
        "With every seed the convolutional ResNet gets under half of the line, and no kernel under it, those of its "
        f"own features and gradients included (intervals over seeds, at the same points as knowing F). {how}"
    )
    return Verdict("holds", measured, reason)


def _names(rows: list[Numbers], kind: str) -> list[str]:
    return list(dict.fromkeys(row["learner"] for row in rows if row["kind"] == kind))


def _of(rows: list[Numbers], name: str) -> list[Numbers]:
    return [row for row in rows if row["learner"] == name]


def _above(values: list[float]) -> tuple[float, float, float]:
    """The mean over seeds with Student's interval."""
    mean, half = float(np.mean(values)), float("inf")
    if len(values) > 1:
        half = float(stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5)
    return mean, mean - half, mean + half


def picture(numbers: Numbers) -> Picture:
    """Mean test errors over seeds by learner."""
    names = list(dict.fromkeys(row["learner"] for row in numbers["rows"]))
    lines = []
    for samples in dict.fromkeys(row["samples"] for row in numbers["rows"]):
        errors: dict[int, list[float]] = {i: [] for i in range(len(names))}
        for row in numbers["rows"]:
            if row["samples"] == samples and row["test_error"] is not None:
                errors[names.index(row["learner"])].append(row["test_error"])
        means = {i: float(np.mean(values)) for i, values in errors.items() if values}
        lines.append(Line(f"N = {samples}", list(means), list(means.values()), points_only=True))
    levels = (("knowing F alone", numbers["threshold"]),)
    return Picture("learner", "test error", lines, levels, y_axis="log", categories=names)


claim = Claim.of(__doc__, "net.conv", "learned likewise", measure, judge, picture, seconds=17)
