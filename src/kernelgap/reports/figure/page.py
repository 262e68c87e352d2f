"""The page: everything about a run in one file that needs no network, and its charts as pictures beside it."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from kernelgap import console
from kernelgap.durations import format_duration
from kernelgap.errors import InputError
from kernelgap.paper.figures.gap import best_network
from kernelgap.reports.claims.width_chart import width_chart
from kernelgap.reports.common.charts import PICTURES, save_pictures
from kernelgap.reports.common.environment import environment, keep_environment, kept_environment
from kernelgap.reports.common.looks import looks
from kernelgap.reports.common.render import render
from kernelgap.reports.common.words import has_base, rounded
from kernelgap.reports.figure.error_chart import error_chart
from kernelgap.reports.figure.finished import FinishedRun, read_run
from kernelgap.reports.figure.heat import best_places, edges, heat_maps
from kernelgap.reports.figure.heat_chart import heat_chart
from kernelgap.reports.figure.learning_chart import learning_chart, signals_chart
from kernelgap.reports.figure.lines import GROUPS, axis_of, error_lines, paper_marks, place, setting, without_error
from kernelgap.reports.figure.norm_chart import norm_chart
from kernelgap.reports.figure.paper_values import LABEL, REMARKS
from kernelgap.reports.figure.signals import Signals, learned_at, signals_of
from kernelgap.reports.figure.summary import best_of_methods, summarise, told
from kernelgap.runs import Trial

FILE = "report.html"
EXPORTS = ("summary.csv", "summary.json", "trials.csv", "trials.parquet")
BEST = {"network": "the best network", "kernel": "the best kernel method", "built": "the best that was built"}
LEARNERS = list(BEST)
WORST = 6  # as many infinite results are named


@dataclass(frozen=True)
class Report:
    """Where the page and its pictures are, and what the page says first."""

    path: Path
    pictures: tuple[Path, ...]
    sentence: str
    gap: dict[str, object] | None
    warnings: tuple[str, ...]

    def as_record(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "report": str(self.path),
            "charts": [str(path) for path in self.pictures],
            "sentence": self.sentence,
            "gap": self.gap,
            "warnings": list(self.warnings),
        }


class Drawn(NamedTuple):
    """A chart as it is on the page, and as it is by itself."""

    on_page: Any
    alone: Any


def write_report(folder: str | Path, table: pd.DataFrame | None = None) -> Report:
    """Write ``report.html`` and ``charts/`` into a run's folder.

    ``table`` is what ``kernelgap.run`` returned, at the end of a run; without it the folder is read.
    """
    run = read_run(folder, table)
    try:
        if table is not None:
            keep_environment(run.folder)
        return _write(run)
    except OSError as error:
        raise InputError(f"The report could not be written to '{run.folder}': {error.strerror}.") from None


def _write(run: FinishedRun) -> Report:
    attrs: dict[str, Any] = {str(name): value for name, value in run.table.attrs.items()}
    summary = summarise(run.table)
    words = told(summary, attrs)
    best = _best(run)
    warnings = edges(run.table)
    charts = _charts(run, best)
    pictures = _draw_pictures(charts, run.folder / "charts")
    context = {
        "attrs": attrs,
        "sentence": words,
        "gap": attrs.get("gap"),
        "tiles": _tiles(attrs, summary),
        "leaves": _leaves(attrs),
        "warnings": warnings,
        "legend": _legend(run.table),
        "x": axis_of(run.table),
        "log": not bool((run.table[axis_of(run.table)].dropna() <= 0).any()),
        "failures": attrs.get("failures", []),
        "remark": REMARKS.get(attrs["experiment"]),
        "paper": LABEL if len(paper_marks(attrs["experiment"], error_lines(run.table))) else None,
        "infinite": _shortened(without_error(run.table)),
        "seeds": sorted(int(s) for s in run.table.seed.unique()),
        "best": best,
        "rows": _rows(run.table, summary, attrs["threshold"]),
        "heat": _heat(run.table),
        "how": _how(run),
        "charts": {name: chart.on_page for name, chart in charts.items()},
        "pictures": {name: [f"charts/{name}{suffix}" for suffix in PICTURES] for name in charts},
        "exports": [name for name in EXPORTS if (run.folder / name).exists()],
    }
    path = run.folder / FILE
    path.write_text(render("figure/page.html", context, context["charts"], {"rounded": rounded}), encoding="utf-8")
    return Report(path, tuple(pictures), words, attrs.get("gap"), tuple(warnings))


def _charts(run: FinishedRun, best: dict[str, Any] | None) -> dict[str, Drawn]:
    """The charts of this run by name; those for which there is nothing to draw are left out."""
    table, threshold = run.table, float(run.table.attrs["threshold"])
    main = norm_chart if axis_of(table) == "norm" else error_chart
    charts: dict[str, Callable[[bool], Any]] = {"errors": lambda on_page: main(table, on_page=on_page)}
    if axis_of(table) == "beta":
        charts["widths"] = lambda on_page: width_chart(table, on_page=on_page)
    if best is not None:
        curves, signals, drop, words = best["curves"], best["signals"], best["drop"], best["name"]
        charts["learning"] = lambda on_page: learning_chart(curves, words, threshold, drop=drop, on_page=on_page)
        if signals is not None:
            charts["signals"] = lambda on_page: signals_chart(signals, words, threshold, drop=drop, on_page=on_page)
    cells = heat_maps(table)
    for i, (method, at) in enumerate(best_places(table).items(), 1):
        charts[f"grid-{i}"] = partial(_grid, cells, method, at)
    drawn = {name: Drawn(draw(True), draw(False)) for name, draw in charts.items()}
    return {name: both for name, both in drawn.items() if both.on_page is not None and both.alone is not None}


def _grid(cells: pd.DataFrame, method: str, at: str, on_page: bool) -> Any:
    return heat_chart(cells, method, at, on_page=on_page)


def _draw_pictures(charts: dict[str, Drawn], folder: Path) -> list[Path]:
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*"):
        if old.suffix in PICTURES:  # of an earlier report
            old.unlink()
    written = []
    with console.progress("charts") as show:
        for i, (name, chart) in enumerate(charts.items()):
            show(i / len(charts), name)
            written += save_pictures(chart.alone, folder, name)
    return written


def _best(run: FinishedRun) -> dict[str, Any] | None:
    """The network with the least validation error, and how it learned; None where no network was trained."""
    row = best_network(run.table)
    if row is None:
        return None
    trial = run.trials[row.trial]
    assert isinstance(trial, Trial)
    signals = signals_of(trial, row.curves)
    return {
        "name": f"{trial.method} at {place(row, axis_of(run.table))}",
        "setting": setting(row),
        "seed": trial.seed,
        "test_error": float(row.test_error),
        "curves": row.curves,
        "drop": trial.schedule.drop_at * trial.schedule.epochs if trial.schedule.drop > 1 else None,
        "signals": signals,
        "order": _order(signals, run.table.attrs["threshold"]),
    }


def _order(signals: Signals | None, threshold: float) -> dict[str, str]:
    """When F was learned, and when some of G: a lead and a sentence."""
    base, target = (None, None) if signals is None else learned_at(signals, threshold)
    lead = "First F, then G." if base is not None and (target is None or base < target) else "F and G over the epochs."
    seen = [] if base is None else [f"out1 has nine tenths of F by epoch {base}"]
    seen += [] if target is None else [f"out is under the threshold by epoch {target}"]
    return {"lead": lead, "words": f"{'; '.join(seen)}." if seen else ""}


def _tiles(attrs: dict[str, Any], summary: pd.DataFrame) -> list[dict[str, str]]:
    """A few numbers in large type: the best of each kind of method, the threshold, what any kernel needs."""
    best = best_of_methods(summary, by="best_on_validation")
    tiles = []
    for learner, words in BEST.items():
        these = best[(best.learner == learner) & best.best_on_validation.map(pd.notna)]
        if len(these):
            row = these.iloc[0]
            at = place(row, str(attrs.get("x", "width")))
            more = f"{row.method} at {at}" if at else row.method
            tiles.append({"number": _number(row.best_on_validation), "words": words, "more": more})
    tiles.append({"number": _number(attrs["threshold"]), "words": "the threshold", "more": _leaves(attrs)})
    gap = attrs.get("gap")
    if gap:
        more = f"samples for {gap['error']:.2g}, on average over the family, if it is fixed beforehand"
        tiles.append({"number": f"{gap['needed']:,}", "words": "any scalar kernel needs", "more": more})
    return tiles


def _leaves(attrs: dict[str, Any]) -> str:
    """What the threshold is."""
    return f"what learning {'F alone' if has_base(attrs['problem']) else 'nothing'} leaves"


def _legend(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The methods by group, each as it is drawn."""
    if axis_of(table) == "norm":
        return []
    lines = error_lines(table)
    drawn = looks(list(dict.fromkeys(lines.method)))
    groups = []
    for group in GROUPS:
        methods = list(dict.fromkeys(lines[lines.group == group].method))
        if methods:
            flat = bool(lines[lines.group == group].flat.all())
            entries = [{"method": m, **asdict(drawn[m]), "flat": flat} for m in methods]
            groups.append({"name": group, "methods": entries})
    return groups


def _rows(table: pd.DataFrame, summary: pd.DataFrame, threshold: float) -> list[dict[str, Any]]:
    """The table, as it is shown and as it is sorted."""
    each = ["method", "beta"] if "beta" in summary else ["method"]
    best = set(summary.groupby(each, sort=False).best_on_validation.idxmin())
    rows = []
    by_method = summary.groupby("method").best_on_validation.transform("min")
    order = summary.assign(kind=summary.learner.map(LEARNERS.index), reached=by_method)
    for i, row in order.sort_values(["kind", "reached"], kind="stable").iterrows():
        numbers = {
            "width": None if pd.isna(row.width) else int(row.width),
            "beta": None if pd.isna(row.get("beta")) else float(row["beta"]),
            "test": float(row.best_on_test),
            "validation": float(row.best_on_validation),
            "error": float(row.standard_error),
            "train": float(row.train_error),
            "norm": float(row.get("norm", math.nan)),
        }
        rows.append(
            {
                "method": row.method,
                "learner": row.learner,
                "numbers": numbers,
                "shown": {n: "" if v is None else _number(v, 2 if n == "error" else 3) for n, v in numbers.items()},
                "under": {"test": row.best_on_test < threshold, "validation": row.best_on_validation < threshold},
                "setting": rounded(setting(row)) or "varies",
                "edge": _edge(table, row),
                "failed": int(row.diverged + row.unsolved),
                "trials": int(row.trials),
                "best": i in best,
            }
        )
    return rows


def _edge(table: pd.DataFrame, row: pd.Series) -> str:
    """Which of the picked rate, decay and ridge is the last of those that were tried there."""
    if row.learner == "built":  # its decays are for different norms, not searched
        return ""
    mine = table[
        (table.method == row.method) & (table.width.isna() if pd.isna(row.width) else table.width == row.width)
    ]
    if "beta" in row.index and pd.notna(row["beta"]):
        mine = mine[mine.beta == row["beta"]]
    at = []
    for name in ("rate", "decay", "ridge"):
        tried = mine[name].dropna()
        if pd.notna(row[name]) and tried.nunique() > 1 and row[name] in (tried.min(), tried.max()):
            at.append(f"{'smallest' if row[name] == tried.min() else 'largest'} {name}")
    return ", ".join(at)


def _heat(table: pd.DataFrame) -> list[dict[str, Any]]:
    """What stands beside each heat map: its method and the places to choose from."""
    cells = heat_maps(table)
    finite = cells[cells.validation.map(lambda v: v < float("inf"))]
    return [
        {"chart": f"grid-{i}", "method": method, "place": at, "places": _places(finite, method)}
        for i, (method, at) in enumerate(best_places(table).items(), 1)
    ]


def _places(cells: pd.DataFrame, method: str) -> list[str]:
    return list(dict.fromkeys(cells[cells.method == method].place))


def _how(run: FinishedRun) -> dict[str, Any]:
    """Versions, machine, seeds and time."""
    kept = kept_environment(run.folder)
    wall = (run.times.finished.max() - run.times.finished.min()).total_seconds() if len(run.times) > 1 else None
    counts = run.table.status.value_counts()
    return {
        "at_the_run": kept is not None,
        "environment": kept or environment(),
        "version": run.description.get("kernelgap version"),
        "work": format_duration(float(run.times.seconds.sum())),
        "wall": None if wall is None else format_duration(wall),
        "chunks": len(run.times),
        "planned": run.planned,
        "trials": len(run.table),
        "statuses": {str(k): int(v) for k, v in counts.items()},
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}g}" if value == value and abs(value) != float("inf") else "\u221e"


def _shortened(words: list[str]) -> str:
    more = f" and {len(words) - WORST} more" if len(words) > WORST else ""
    return ", ".join(words[:WORST]) + more
