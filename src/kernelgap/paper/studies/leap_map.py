"""The two-sided map: targets by degree and leap, what kernels need at least, gradient descent with noise, and SGD."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

from kernelgap import problems
from kernelgap.certificates import any_gradient, any_kernel
from kernelgap.curves import need
from kernelgap.curves.needed_samples import in_words
from kernelgap.paper.claims.claim import Line, Picture
from kernelgap.paper.claims.spread import median
from kernelgap.paper.studies.study import HeatMap, Part, Row, Rows, Study, StudyScale
from kernelgap.paper.theory.plain_sgd import PlainSgd
from kernelgap.problems.staircases import ExpandedProblem

SHARE = 0.25  # of the variance of the last step: the risk to be reached
ADVANTAGE = 0.5  # for the floor of gradient methods
KERNEL = "ntk2(bias=True)"
FIRST_RATE, TUNING, FRESH = 0.25, 9000, 5000  # seeds of tuning and of judging are apart
KERNELS, GRADIENTS, TRAINED = (
    "any scalar kernel: samples, at least",
    "noisy gradient descent: steps, at least",
    "SGD: samples, median",
)


Whole = Annotated[int, Field(ge=1, le=10**30)]
Samples = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class MapRow(TypedDict):
    """One start: the target, its floors, and the samples that SGD needed (None: more than ``most``)."""

    d: Whole
    degree: Whole
    leap: Whole
    most: Whole
    floor: Whole
    kernel: Whole | None
    gradient: Whole
    rate: Samples
    seed: Annotated[int, Field(ge=0)]
    needed: Samples | None


def _measure(d: int, degree: int, leap: int, width: int, most: int, starts: int, tuning: int, seed: int) -> Rows:
    problem = problems.leaps(d=d, leap=leap, degree=degree)
    level = SHARE * problem.threshold
    trainer = PlainSgd(width=width, most=most)
    tuned = trainer.tuned_rate(problem, level, range(seed + TUNING, seed + TUNING + tuning), FIRST_RATE)
    rate = tuned or FIRST_RATE
    seeds = range(seed + FRESH, seed + FRESH + starts)
    needed = trainer.needed(problem, level, rate, seeds)
    about = {
        "d": d,
        "degree": degree,
        "leap": leap,
        "most": most,
        "floor": any_kernel(problem, 1).samples_for(level),
        "kernel": need(problem, KERNEL, level).samples,
        "gradient": hardest_step(problem),
        "rate": rate,
    }
    return [{**about, "seed": s, "needed": each} for s, each in zip(seeds, needed, strict=True)]


def hardest_step(problem: ExpandedProblem) -> int:
    """Steps that gradient descent on the population needs at least for the hardest step of a staircase.

    All steps before it and their coordinates are given; the noise of each coordinate of a gradient is as large as the
    gradient's norm, and the parity has the weight 1. The floor is that of a parity of the new coordinates among those
    that are not known: multiplied by a known parity, such parities are still orthonormal.
    """
    known, most = 0, 0
    for new in problem.staircase().new:
        step = problems.parity(d=problem.d - known, k=len(new))
        most = max(most, any_gradient(step, steps=1, noise=1.0, gradient_norm=1.0).steps_for(ADVANTAGE))
        known += len(new)
    return most


def _summarise(rows: Rows) -> Rows:
    cells: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        cells.setdefault((row["degree"], row["leap"]), []).append(row)
    return [_cell(cells[key]) for key in sorted(cells)]


def _cell(rows: list[Row]) -> Row:
    needed = [row["needed"] for row in rows]
    middle = median(needed)
    learned = [n for n in needed if n is not None]
    return {
        **{key: rows[0][key] for key in ("d", "degree", "leap", "most", "floor", "kernel", "gradient", "rate")},
        "median": middle if np.isfinite(middle) else None,
        "least": min(learned, default=None),
        "greatest": max(learned) if len(learned) == len(needed) else None,
        "learned": f"{len(learned)} of {len(needed)}",
        "under_floor": bool(middle < rows[0]["floor"]),
    }


def _sentence(rows: Rows) -> str:
    d, most = rows[0]["d"], rows[0]["most"]
    learned = [row for row in rows if row["median"] is not None]
    missed = [row for row in rows if row["median"] is None]
    if not learned:
        return f"At d = {d} SGD learned no target with {most:,} samples."
    best = max(learned, key=lambda row: row["floor"] / row["median"])
    text = (
        f"At d = {d} SGD with at most {most:,} samples learned targets of leaps up to "
        f"{max(row['leap'] for row in learned)}; where the degree is {best['degree']} and the leap {best['leap']} it "
        f"needed {in_words(round(best['median']))}, and no scalar kernel fixed beforehand can with fewer than "
        f"{in_words(best['floor'])}."
    )
    if missed:
        cells = ", ".join(f"{row['degree']} and {row['leap']}" for row in missed)
        text += f" Not learned within the samples, by degree and leap: {cells}."
    beaten = sum(row["under_floor"] for row in rows)
    return f"{text} In {beaten} of {len(rows)} cells SGD needed less than every such kernel."


def _charts(rows: Rows) -> Mapping[str, Picture | HeatMap]:
    cells = []
    for row in rows:
        values = {KERNELS: row["floor"], GRADIENTS: row["gradient"], TRAINED: row["median"]}
        for panel, value in values.items():
            text = f">{_short(row['most'])}" if value is None else _short(value)
            cells.append({"panel": panel, "x": row["degree"], "y": row["leap"], "value": value, "text": text})
    top = [row for row in rows if row["degree"] == max(r["degree"] for r in rows)]
    return {"map": HeatMap("degree", "leap", "samples or steps", cells), "greatest-degree": _over_leaps(top)}


def _over_leaps(rows: Rows) -> Picture:
    """Targets of one degree."""
    places = [{**row, "place": i} for i, row in enumerate(rows)]
    learned = [row for row in places if row["median"] is not None]
    highest = [row["greatest"] or row["median"] for row in learned]
    place, middle, least = ([row[key] for row in learned] for key in ("place", "median", "least"))
    lines = [
        Line("SGD, measured: median and range", place, middle, least, highest),
        Line.of_rows(GRADIENTS, places, "place", "gradient"),
        Line.of_rows(KERNELS, places, "place", "floor"),
        Line.of_rows(f"{KERNEL}, predicted", [row for row in places if row["kernel"] is not None], "place", "kernel"),
    ]
    title, leaps = f"leap, at degree {rows[0]['degree']}", [str(row["leap"]) for row in rows]
    return Picture(title, "samples or steps", lines, y_axis="log", categories=leaps)


def _short(value: float) -> str:
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.2g}{letter}" if value < 100 * size else f"{value / size:.0f}{letter}"
    return f"{value:.0f}"


def map_scale(d: int, degrees: int, width: int, most: int, starts: int, tuning: int, time: str) -> StudyScale:
    cells = [(degree, leap) for degree in range(1, degrees + 1) for leap in range(1, degree + 1)]
    sizes = {"d": d, "width": width, "most": most, "starts": starts, "tuning": tuning}
    size = (most / 4e5) * (width / 64) * (starts / 5)
    parts = [
        Part(
            f"degree {degree}, leap {leap}",
            (1 + 1.5 * leap) * size,
            partial(_of_seed, degree=degree, leap=leap, **sizes),
        )
        for degree, leap in cells
    ]
    return StudyScale(tuple(parts), time)


def _of_seed(seed: int, **sizes: int) -> Rows:
    return _measure(**sizes, seed=seed)


leap_map = Study(
    name="map",
    title="Degree against leap: what kernels can, what gradient methods can, and what SGD learned",
    source="ours",
    scales={
        "quick": map_scale(d=40, degrees=6, width=64, most=400_000, starts=5, tuning=2, time="minutes"),
        "paper": map_scale(d=40, degrees=8, width=128, most=8_000_000, starts=9, tuning=3, time="hours"),
    },
    schema=TypeAdapter(list[MapRow]),
    columns=(
        ("degree", "degree", "d"),
        ("leap", "leap", "d"),
        ("floor", "scalar kernels, least", ",.0f"),
        ("kernel", "ntk2, predicted", ",.0f"),
        ("gradient", "noisy descent, least", ",.0f"),
        ("median", "SGD, median", ",.0f"),
        ("least", "least", ",.0f"),
        ("greatest", "greatest", ",.0f"),
        ("learned", "starts", ""),
        ("rate", "rate", ".3g"),
    ),
    summarise=_summarise,
    sentence=_sentence,
    charts=_charts,
    paragraphs=(
        "A target is a staircase of nested parities of equal weight, whose last step has the degree and whose steps "
        "add as many new coordinates as the leap says. Learned means a risk of at most a quarter of the last step's "
        "variance.",
        "Kernels: the least number of samples with which any scalar kernel fixed beforehand can reach this risk, on "
        "average over which coordinates matter (proved). It depends on the degree alone. "
        "Beside it stands what the network's tangent kernel, infinitely wide, is predicted to need.",
        "Gradient methods: the least number of steps of gradient descent on the population, with noise as large as the "
        "gradient, for half an advantage on the hardest step, all steps before it given (proved). It depends on the "
        "leap. SGD on single examples is not covered by it.",
        "SGD: fresh samples of plain online SGD, a two-layer network, all layers trained, batches of 16. Rates are "
        "tuned for each cell from seeds of their own; the median over the other seeds is shown.",
    ),
)
