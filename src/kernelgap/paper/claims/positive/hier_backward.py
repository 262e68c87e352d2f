"""sec. 2.1 (and its follow-up)

With enough samples and both hidden layers trained together, the first block's distance to F falls below alpha (k
alpha^2 summed over outputs), and further with more samples."""

from functools import partial

from kernelgap import networks, problems
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict, holds_if
from kernelgap.paper.theory.hierarchy import follow_passes
from kernelgap.training import Schedule

SIZES = {"quick": (100, (500, 1000, 2000), 300, 1), "full": (500, (500, 1000, 2000, 4000), 800, 3)}
NETWORKS = {"joint": networks.resnet, "alone": networks.two_layer}


def measure(scale: str, seed: int) -> Numbers:
    width, sizes, epochs, starts = SIZES[scale]
    problem = problems.sec8()
    follow = partial(follow_passes, problem=problem, width=width, rates=(0.05, 0.09), decay=0.005, epochs=[epochs])
    rows = []
    for n in sizes:
        for start in range(seed, seed + starts):
            row: Numbers = {"samples": n, "start": start}
            for name, network in NETWORKS.items():
                course = follow(network, samples=n, schedule=Schedule(epochs=epochs), seed=start)
                row[name] = {key: course.values[key][-1] for key in ("base", "base_up_to", "risk")}
            rows.append(row)
    return {"threshold": problem.threshold, "rows": rows}


def _by_samples(rows: list[Numbers], block: str, key: str) -> dict[int, list[float]]:
    sizes = sorted({row["samples"] for row in rows})
    return {n: [row[block][key] for row in rows if row["samples"] == n] for n in sizes}


def judge(numbers: Numbers) -> Verdict:
    rows, threshold = numbers["rows"], numbers["threshold"]
    joint = {n: max(values) for n, values in _by_samples(rows, "joint", "base_up_to").items()}
    alone = {n: min(values) for n, values in _by_samples(rows, "alone", "base_up_to").items()}
    plain = {n: max(values) for n, values in _by_samples(rows, "joint", "base").items()}
    first, n = min(plain), max(plain)
    distances = ", ".join(f"{value:.3g} (N = {m})" for m, value in plain.items())
    measured = f"|out1 - F|^2 {distances} of k alpha^2 = {threshold:.3g}; up to an affine map of out1 {joint[n]:.2g}"
    mapped = joint[n] < threshold and joint[n] < alone[n] and joint[n] < joint[first]
    known = (
        f"Up to an affine map, which the second block is free to apply, out1 does come to F: {joint[n]:.2g} at N = "
        f"{n}, where the first block trained alone has {alone[n]:.2g}."
        if mapped
        else "Nor does it up to an affine map of out1."
    )
    if plain[n] < threshold and plain[n] < plain[first]:
        return holds_if(mapped, measured, known)
    reason = (
        f"As it stands, out1's distance to F does not fall below alpha with more samples. {known} Nothing in training "
        "makes the second block give back the part of F that it carries (footnote 4 of the paper grants as much)."
    )
    return Verdict("fails", measured, reason)


def picture(numbers: Numbers) -> Picture:
    lines = []
    for block, name in {"joint": "both blocks trained", "alone": "the first block alone"}.items():
        values = _by_samples(numbers["rows"], block, "base_up_to")
        lines.append(Line.of_repeats(name, list(values), values.values()))
    levels = (("k alpha^2", numbers["threshold"]),)
    return Picture("samples", "out1 from F, up to a linear map", lines, levels, x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "hier.backward", "below k alpha^2, and falling with N", measure, judge, picture, seconds=25)
