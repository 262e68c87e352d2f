"""Backward feature correction (sec. 2.1 and its follow-up): out1's distance to F when both blocks are trained.

Two halves of one statement, each under two ways of training: passes over a sample with all layers trained (sec. 8.1),
and Algorithm 1, where A stays and every step has a fresh sample.
"""

from functools import partial

from kernelgap import networks, problems
from kernelgap.networks import Initialisation, TheoremStart
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Outcome, Picture, Verdict
from kernelgap.paper.claims.growth import together
from kernelgap.paper.claims.spread import median, median_and_range
from kernelgap.paper.theory.hierarchy import follow_online, follow_passes
from kernelgap.training import Schedule

KEYS = ("base", "base_up_to", "risk")
SIZES: dict[str, Numbers] = {
    "quick": {"width": 100, "samples": (500, 1000, 2000, 4000), "epochs": 300, "steps": 128_000, "starts": 5},
    "full": {"width": 500, "samples": (500, 1000, 2000, 4000), "epochs": 800, "steps": 2_048_000, "starts": 5},
}
NETWORKS = {"joint": networks.resnet, "alone": networks.two_layer}
ONLINE: Numbers = {"d": 16, "k": 3, "alpha": 0.3}
RATES = (1.0, 0.1)
# V(0) in the middle of Table 1's range, and as small as it admits
ONLINE_STARTS = {"sigma_v = m^(3/16)": TheoremStart(), "sigma_v = 1": TheoremStart(sigma_v=1.0)}


def measure(scale: str, seed: int) -> Numbers:
    size = SIZES[scale]
    starts = list(range(seed, seed + size["starts"]))
    online = [_online(size, starts, name, start) for name, start in ONLINE_STARTS.items()]
    return {"starts": len(starts), "ways": [_by_passes(size, starts), *online]}


def _by_passes(size: Numbers, starts: list[int]) -> Numbers:
    problem, epochs = problems.sec8(), size["epochs"]
    follow = partial(follow_passes, problem=problem, width=size["width"], rates=(0.05, 0.09), decay=0.005)
    rows: list[Numbers] = []
    for n in size["samples"]:
        row: Numbers = {"samples": n}
        for name, network in NETWORKS.items():
            ends = []
            for start in starts:
                schedule = Schedule(epochs=epochs)
                course = follow(network, samples=n, epochs=[epochs], schedule=schedule, seed=start)
                ends.append({key: course.values[key][-1] for key in KEYS})
            row[name] = {key: [end[key] for end in ends] for key in KEYS}
        rows.append(row)
    return {"name": "passes, all layers, sec. 8.1's target", "threshold": problem.threshold, "rows": rows}


def _online(size: Numbers, starts: list[int], name: str, start: Initialisation) -> Numbers:
    problem, steps = problems.hard(seed=starts[0], **ONLINE), size["steps"]
    times = [steps // 4**i for i in (3, 2, 1)]
    follow = partial(follow_online, problem, width=size["width"], steps=steps, rates=RATES, times=times)
    courses = follow(seeds=starts, initialisation=start)
    rows = [
        {"samples": time, "joint": {key: [course.values[key][i] for course in courses] for key in KEYS}}
        for i, time in enumerate(courses[0].times)
    ]
    return {"name": f"Algorithm 1, A frozen, eq. 7.1, {name}", "threshold": problem.threshold, "rows": rows}


def judge_below(numbers: Numbers) -> Verdict:
    """With the most samples, as out1 stands: below in every start, above in every start, or neither."""
    ways = numbers["ways"]
    return Verdict(together(map(_below, ways)), "; ".join(map(_distance, ways)), _reason(numbers))


def _below(way: Numbers) -> Outcome:
    values = way["rows"][-1]["joint"]["base"]
    return _sided([value - way["threshold"] for value in values])


def judge_more(numbers: Numbers) -> Verdict:
    """From the fewest samples to the most: nearer in every start, farther in every start, or neither."""
    ways = numbers["ways"]
    measured = "; ".join(f"{way['name']}: {_over_samples(way, 'base')}" for way in ways)
    return Verdict(together(map(_nearer, ways)), measured, _reason(numbers))


def _nearer(way: Numbers) -> Outcome:
    few, most = (way["rows"][i]["joint"]["base"] for i in (0, -1))
    return _sided([after - before for before, after in zip(few, most, strict=True)])


def _sided(differences: list[float]) -> Outcome:
    return "holds" if max(differences) < 0 else "fails" if min(differences) > 0 else "undecided"


def _distance(way: Numbers) -> str:
    last = way["rows"][-1]
    return (
        f"{way['name']}: |out1 - F|^2 {median_and_range(last['joint']['base'])} of k alpha^2 = {way['threshold']:.3g} "
        f"(N = {last['samples']}); up to an affine map of out1 {median_and_range(last['joint']['base_up_to'])}"
    )


def _over_samples(way: Numbers, key: str) -> str:
    few, most = ((way["rows"][i]["samples"], median_and_range(way["rows"][i]["joint"][key])) for i in (0, -1))
    return f"{few[1]} (N = {few[0]}), {most[1]} (N = {most[0]})"


def _reason(numbers: Numbers) -> str:
    ways = numbers["ways"]
    each = "; ".join(f"{way['name']}: {_below(way)} and {_nearer(way)}" for way in ways)
    mapped = "; ".join(f"{way['name']}: {_over_samples(way, 'base_up_to')}" for way in ways)
    alone = ways[0]["rows"][-1]["alone"]["base_up_to"]
    return (
        f"{numbers['starts']} starts each. Below alpha, and nearer with more samples, as out1 stands: {each}. Up to an "
        f"affine map of out1, which the second block is free to apply: {mapped}; the first block trained alone by "
        f"passes has {median_and_range(alone)}. Nothing in training makes the second block give back the part of F "
        "that it carries (footnote 4 of the paper grants as much)."
    )


def picture(numbers: Numbers) -> Picture:
    lines, levels = [], []
    for way in numbers["ways"]:
        sizes = [row["samples"] for row in way["rows"]]
        for key, name in {"base": "as it is", "base_up_to": "up to an affine map"}.items():
            values = [row["joint"][key] for row in way["rows"]]
            medians, low, high = ([f(v) for v in values] for f in (median, min, max))
            lines.append(Line(f"{way['name']}, {name}", sizes, medians, low, high))
        levels.append((f"k alpha^2, {way['name']}", way["threshold"]))
    return Picture("samples", "out1 from F", lines, levels, x_axis="log", y_axis="log")


claims = (
    Claim(
        "hier.backward",
        "sec. 2.1 (and its follow-up)",
        "With enough samples and both hidden layers trained together, the first block's distance to F falls below "
        "alpha (k alpha^2 summed over outputs).",
        "below k alpha^2",
        measure,
        judge_below,
        picture,
        seconds=15,
    ),
    Claim(
        "hier.backward.samples",
        "sec. 2.1 (and its follow-up)",
        "With both hidden layers trained together, the first block comes nearer to F the more samples there are.",
        "falling with N",
        measure,
        judge_more,
        picture,
        seconds=15,
    ),
)
