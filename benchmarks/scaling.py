"""How time and memory grow: with samples, width, members, dimension, targets, chunks and cores.

Each point is a process of its own with one thread. The exponent is that of least squares in log-log, with a 95%
interval; beside it stands the exponent that the arithmetic has over the same points, from its count of multiplications.
Peak memory is VmHWM less that of a process that does nothing, beside what the project plans with (``require_memory``).
"""

import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from scipy import stats

import contest
from cluster_model import do_nothing
from kernelgap import console
from kernelgap.machine import cores
from kernelgap.reports.common.axes import PALETTE
from kernelgap.reports.common.charts import save_chart
from kernelgap.runs import TrialStore, make_trial, plan_chunks
from kernelgap.training import Schedule
from store import trials

PICTURE = contest.HERE.parent / "docs" / "pictures" / "scaling.svg"
EPOCHS, OUTPUTS = 40, 4
MIB = 2**20


@dataclass(frozen=True)
class Sweep:
    """What is done, which of its sizes moves over which values, and what the arithmetic and the plan say of them."""

    name: str
    what: str
    moves: str
    values: tuple[int, ...]
    fixed: dict[str, int]
    arithmetic: Callable[[dict[str, int]], float]
    planned: Callable[[dict[str, int]], float] | None = None  # bytes

    def sizes(self, value: int) -> dict[str, int]:
        return {**self.fixed, self.moves: value}


def training_flops(s: dict[str, int]) -> float:
    """Each step: 2 (d + 3k) + 3k multiplications for each row and unit."""
    return s["samples"] * s["epochs"] * s["members"] * s["width"] * (2.0 * (s["d"] + 3 * OUTPUTS) + 3 * OUTPUTS)


def training_memory(s: dict[str, int]) -> float:
    """What a run plans with for a trial; members are not in it."""
    common: dict[str, Any] = {"network": "3resnet", "mode": "all", "rate": 0.001, "decay": 1e-4, "seed": 0}
    schedule = Schedule(epochs=s["epochs"], batch=50)
    sizes = {"samples": s["samples"], "validation_samples": 2, "test_samples": 2, "schedule": schedule}
    problem = f"hard(d={s['d']}, k=4, alpha=0.5)"
    return make_trial(problem=problem, width=s["width"], **common, **sizes).memory


TRAINING = {"samples": 500, "width": 100, "members": 12, "d": 30, "epochs": EPOCHS}
SWEEPS = (
    Sweep("training", "training", "samples", (250, 500, 1000, 2000, 4000), TRAINING, training_flops, training_memory),
    Sweep("training", "training", "width", (50, 100, 200, 400, 800), TRAINING, training_flops, training_memory),
    Sweep("training", "training", "members", (3, 6, 12, 24, 48), TRAINING, training_flops, training_memory),
    Sweep("training", "training", "d", (20, 40, 80, 160, 320), TRAINING, training_flops, training_memory),
    Sweep(
        "Gram matrix, ntk2",
        "gram",
        "samples",
        (500, 1000, 2000, 4000),
        {"d": 30},
        lambda s: s["samples"] ** 2,
        lambda s: 8 * s["samples"] ** 2,
    ),
    Sweep(
        "ridge path",
        "ridge",
        "samples",
        (500, 1000, 2000, 3000),
        {},
        lambda s: s["samples"] ** 3,
        lambda s: 2 * 8 * s["samples"] ** 2,
    ),
    *(
        Sweep(
            "oracle risks",
            "oracle",
            moves,
            values,
            fixed,
            lambda s: 2 * s["targets"] * s["samples"] ** 2 + s["samples"] ** 3 / 3,
            lambda s: 8 * s["samples"] * (4 * 30 + 4 * s["samples"]),
        )
        for moves, values, fixed in (
            ("targets", (2500, 5000, 10000, 20000), {"samples": 500}),
            ("samples", (250, 500, 1000, 2000), {"targets": 5000}),
        )
    ),
)
CHUNKS = (50, 100, 200, 400)


@dataclass(frozen=True)
class Fit:
    """y = e^intercept x^exponent, with half the width of the exponent's 95% interval (infinite for two points)."""

    exponent: float
    within: float
    intercept: float


def fit(x: Sequence[float], y: Sequence[float]) -> Fit:
    line = stats.linregress(np.log(x), np.log(y))
    within = float(stats.t.ppf(0.975, len(x) - 2) * line.stderr) if len(x) > 2 else math.inf
    return Fit(float(line.slope), within, float(line.intercept))


def measured(what: str, sizes: dict[str, int], rounds: int, processes: int = 1) -> list[dict]:
    task = {"what": what, "sizes": sizes, "repeats": rounds}
    return contest.run("scaling_point.py", sys.executable, task, processes, 1)


def run_sweep(sweep: Sweep, rounds: int) -> dict:
    nothing = measured("nothing", {}, 1)[0]["memory"]
    points = []
    for value in sweep.values:
        (result,) = measured(sweep.what, sweep.sizes(value), rounds)
        points.append(
            {
                "x": value,
                "seconds": result["seconds"],
                "memory": result["memory"] - nothing,
                "planned": sweep.planned(sweep.sizes(value)) / MIB if sweep.planned else None,
            }
        )
    arithmetic = fit(sweep.values, [sweep.arithmetic(sweep.sizes(value)) for value in sweep.values]).exponent
    return summary(sweep.name, sweep.moves, points, arithmetic)


def run_chunks_sweep(rounds: int) -> dict:
    """The coordinator's part of a run: plan, store and read chunks of 100 trials."""
    points = []
    for count in CHUNKS:
        seconds = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder, TrialStore.open(folder) as store:
                began = time.perf_counter()
                for chunk in plan_chunks(trials(100 * count)):
                    store.save(chunk, do_nothing(chunk, lambda share: None))
                store.table()
                seconds.append(time.perf_counter() - began)
        points.append({"x": count, "seconds": statistics.median(seconds), "memory": None, "planned": None})
    return summary("plan, store and read", "chunks", points, 1.0)


def run_cores(rounds: int) -> dict:
    """The seconds of the same work a member, as one process and as one a core."""
    points = []
    for count in range(1, cores() + 1):
        seconds = max(r["seconds"] for r in measured("training", TRAINING, rounds, count)) / count
        points.append({"x": count, "seconds": seconds, "memory": None, "planned": None})
    return summary("training", "cores", points, -1.0)


def summary(name: str, moves: str, points: list[dict], arithmetic: float) -> dict:
    found = fit([p["x"] for p in points], [p["seconds"] for p in points])
    return {
        "name": name,
        "moves": moves,
        "points": points,
        "exponent": found.exponent,
        "within": found.within if math.isfinite(found.within) else None,
        "intercept": found.intercept,
        "arithmetic": arithmetic,
    }


def chart(results: Sequence[dict]) -> alt.TopLevelMixin:
    """Each sweep with its fitted line, and dashed the slope of its arithmetic through the middle point."""
    return _side_by_side([_panel(r) for r in results])


def _panel(result: dict) -> alt.LayerChart:
    data = pd.DataFrame(result["points"])
    middle = data.iloc[len(data) // 2]
    data["fitted"] = np.exp(result["intercept"]) * data.x ** result["exponent"]
    data["arithmetic"] = middle.seconds * (data.x / middle.x) ** result["arithmetic"]
    lowest, highest = (f(data[["seconds", "fitted", "arithmetic"]].to_numpy().ravel()) for f in (np.min, np.max))
    x = alt.X(
        "x:Q",
        title=result["moves"],
        scale=alt.Scale(type="log", nice=False, padding=10),
        axis=alt.Axis(values=[int(v) for v in data.x], format="~s", grid=False),
    )
    scale = alt.Scale(type="log", domain=[lowest / 1.2, highest * 1.2], nice=False)
    base = alt.Chart(data).encode(x=x)

    def y(column: str) -> alt.Y:
        return alt.Y(f"{column}:Q", title="seconds", scale=scale, axis=alt.Axis(tickCount=4, format="~g"))

    dashed = base.mark_line(strokeDash=[5, 4], color="#7b8794").encode(y=y("arithmetic"))
    line = base.mark_line(color=PALETTE[1]).encode(y=y("fitted"))
    points = base.mark_point(filled=True, size=45, opacity=1, color=PALETTE[0]).encode(y=y("seconds"))
    title = alt.TitleParams(f"{result['name']}: {format_exponent(result)}", fontSize=12, anchor="start")
    return (dashed + line + points).properties(width=220, height=150, title=title)


def _side_by_side(panels: Sequence[alt.LayerChart]) -> alt.TopLevelMixin:
    return (
        alt.concat(*panels, columns=3).configure(background="#ffffff", font="sans-serif").configure_view(strokeWidth=0)
    )


def format_exponent(result: dict) -> str:
    within = "" if result["within"] is None else f" ± {result['within']:.2f}"
    return f"{result['exponent']:.2f}{within} (arithmetic {result['arithmetic']:.2f})"


def main() -> None:
    parser = contest.arguments(__doc__, "scaling", rounds=3)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    options = parser.parse_args()
    jobs: dict[str, Callable[[], dict]] = {
        f"{s.name}, {s.moves}": partial(run_sweep, s, options.rounds) for s in SWEEPS
    }
    jobs["cores"] = partial(run_cores, options.rounds)
    jobs["chunks"] = partial(run_chunks_sweep, options.rounds)
    results = contest.measure_all(jobs, options.out)
    table = []
    for r in results:
        first, last = r["points"][0], r["points"][-1]
        memory = ["", ""] if last["memory"] is None else [f"{last['memory']:.0f}", f"{last['planned']:.0f}"]
        interval = "" if r["within"] is None else f"± {r['within']:.2f}"
        moved, took = f"{first['x']:,} to {last['x']:,}", f"{first['seconds']:.3f} to {last['seconds']:.2f}"
        table.append(
            [r["name"], r["moves"], moved, took, f"{r['exponent']:.2f}", interval, f"{r['arithmetic']:.2f}", *memory]
        )
    columns = ["what", "moves", "over", "seconds", "exponent", "95%", "arithmetic", "peak MiB", "planned MiB"]
    console.table(columns, table, title=f"One thread; medians of {options.rounds}; memory at the last point", left=3)
    save_chart(chart(results), options.picture)


if __name__ == "__main__":
    main()
