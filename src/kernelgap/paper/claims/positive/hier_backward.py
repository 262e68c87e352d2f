"""sec. 2.1 (and its follow-up)

With enough samples and both hidden layers trained together, the first block's distance to F falls below alpha (k
alpha^2 summed over outputs), and further with more samples."""

from kernelgap import networks, problems
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict, from_docstring
from kernelgap.paper.theory.hierarchy import follow_passes
from kernelgap.training import Schedule

RATES, DECAY = (0.05, 0.09), 0.005
SIZES = {"quick": (100, (500, 1000, 2000), 300, 1), "full": (500, (500, 1000, 2000, 4000), 800, 3)}


def measure(scale: str, seed: int) -> Numbers:
    width, sizes, epochs, starts = SIZES[scale]
    problem = problems.sec8()
    rows = []
    for n in sizes:
        for start in range(seed, seed + starts):
            row: Numbers = {"samples": n, "start": start}
            for name, network in {"joint": networks.resnet, "alone": networks.two_layer}.items():
                course = follow_passes(
                    network,
                    problem,
                    width=width,
                    samples=n,
                    rates=RATES,
                    decay=DECAY,
                    schedule=Schedule(epochs=epochs),
                    epochs=[epochs],
                    seed=start,
                )
                row[name] = {key: course.values[key][-1] for key in ("base", "base_up_to", "risk")}
            rows.append(row)
    return {"threshold": problem.threshold, "rows": rows}


def judge(numbers: Numbers) -> Verdict:
    rows, threshold = numbers["rows"], numbers["threshold"]
    sizes = sorted({row["samples"] for row in rows})
    joint = {n: max(row["joint"]["base_up_to"] for row in rows if row["samples"] == n) for n in sizes}
    alone = {n: min(row["alone"]["base_up_to"] for row in rows if row["samples"] == n) for n in sizes}
    plain = {n: max(row["joint"]["base"] for row in rows if row["samples"] == n) for n in sizes}
    n = sizes[-1]
    found = ", ".join(f"{plain[m]:.3g} (N = {m})" for m in sizes)
    measured = f"|out1 - F|^2 {found} of k alpha^2 = {threshold:.3g}; up to an affine map of out1 {joint[n]:.2g}"
    mapped = joint[n] < threshold and joint[n] < alone[n] and joint[n] < joint[sizes[0]]
    known = (
        f"Up to an affine map, which the second block is free to apply, out1 does come to F: {joint[n]:.2g} at N = "
        f"{n}, where the first block trained alone has {alone[n]:.2g}."
        if mapped
        else "Nor does it up to an affine map of out1."
    )
    if plain[n] < threshold and plain[n] < plain[sizes[0]]:
        return Verdict("holds", measured, known) if mapped else Verdict("fails", measured, known)
    return Verdict(
        "fails",
        measured,
        f"As it stands, out1's distance to F does not fall below alpha with more samples. {known} Nothing in training "
        "makes the second block give back the part of F that it carries (footnote 4 of the paper grants as much).",
    )


def picture(numbers: Numbers) -> Picture:
    rows = numbers["rows"]
    sizes = sorted({row["samples"] for row in rows})
    lines = []
    for key, name in {"joint": "both blocks trained", "alone": "the first block alone"}.items():
        own = [[row[key]["base_up_to"] for row in rows if row["samples"] == n] for n in sizes]
        lines.append(
            Line(name, sizes, [sum(v) / len(v) for v in own], low=[min(v) for v in own], high=list(map(max, own)))
        )
    levels = (("k alpha^2", numbers["threshold"]),)
    return Picture("samples", "out1 from F, up to a linear map", lines, levels, x_axis="log", y_axis="log")


claim = Claim(
    "hier.backward",
    *from_docstring(__doc__),
    "below k alpha^2, and falling with N",
    measure,
    judge,
    picture,
    seconds=25,
)
