"""The page: everything about a run in one file that needs no network, and its charts as pictures beside it."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from kernelgap.paper.figures.grids import best_places, heat_maps
from kernelgap.paper.figures.picks import GROUPS, place, setting
from kernelgap.paper.figures.result import Best, FigureRun
from kernelgap.paper.figures.signals import Signals, learned_at
from kernelgap.paper.figures.summary import best_of_methods
from kernelgap.reports.common.looks import looks
from kernelgap.reports.common.page import write_page
from kernelgap.reports.common.words import rounded
from kernelgap.reports.figure.error_chart import error_chart
from kernelgap.reports.figure.heat_chart import heat_chart
from kernelgap.reports.figure.learning_chart import learning_chart, signals_chart
from kernelgap.reports.figure.lines import error_lines, paper_marks, without_error
from kernelgap.reports.figure.norm_chart import norm_chart
from kernelgap.reports.figure.paper_values import LABEL, REMARKS
from kernelgap.reports.figure.width_chart import width_chart

BEST = {"network": "the best network", "kernel": "the best kernel method", "built": "the best that was built"}
LEARNERS = list(BEST)
WORST = 6  # as many infinite results are named


def write_figure_page(run: FigureRun) -> Path:
    """Write ``report.html``, ``charts/`` and the tables into a figure's folder."""
    best = None if run.best is None else _best(run, run.best)
    charts = _charts(run, best)
    drawn = {name: draw(True) for name, draw in charts.items()}
    on_page = {name: chart for name, chart in drawn.items() if chart is not None}
    context = {
        "run": run,
        "tiles": _tiles(run),
        "leaves": _leaves(run),
        "legend": _legend(run),
        "log": not bool((run.table[run.axis].dropna() <= 0).any()),
        "remark": REMARKS.get(run.name),
        "paper": LABEL if len(paper_marks(run.name, error_lines(run))) else None,
        "infinite": _shortened(without_error(run)),
        "seeds": sorted(int(seed) for seed in run.table.seed.unique()),
        "statuses": {str(status): int(count) for status, count in run.table.status.value_counts().items()},
        "best": best,
        "rows": _rows(run),
        "heat": _heat(run),
    }
    return write_page(
        run,
        "figure/page.html",
        context,
        charts=on_page,
        pictures={name: partial(charts[name], False) for name in on_page},
        tables={
            "summary.csv": partial(run.summary.to_csv, index=False),
            "summary.json": partial(_write_record, run.as_record()),
            "trials.csv": partial(run.table.drop(columns="curves").to_csv, index=False),
            "trials.parquet": partial(_trials(run).to_parquet, index=False),
        },
        filters={"rounded": rounded},
    )


def _trials(run: FigureRun) -> pd.DataFrame:
    """The table; without curves where no trial has any, since Parquet has no empty records."""
    return run.table if any(run.table.curves) else run.table.drop(columns="curves")


def _write_record(record: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(record, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def _charts(run: FigureRun, best: dict[str, Any] | None) -> dict[str, Callable[[bool], Any]]:
    """What draws each chart, for the page or alone; None is drawn where there is nothing to show."""
    main = norm_chart if run.axis == "norm" else error_chart
    charts: dict[str, Callable[[bool], Any]] = {"errors": lambda on_page: main(run, on_page=on_page)}
    if run.axis == "beta":
        charts["widths"] = lambda on_page: width_chart(run, on_page=on_page)
    if best is not None:
        curves, signals, drop, name = best["curves"], best["signals"], best["drop"], best["name"]
        line = run.threshold
        charts["learning"] = lambda on_page: learning_chart(curves, name, line, drop=drop, on_page=on_page)
        if signals is not None:
            charts["signals"] = lambda on_page: signals_chart(signals, name, line, drop=drop, on_page=on_page)
    cells = heat_maps(run)
    for i, (method, at) in enumerate(best_places(run).items(), 1):
        charts[f"grid-{i}"] = partial(_grid, cells, method, at)
    return charts


def _grid(cells: pd.DataFrame, method: str, at: str, on_page: bool) -> Any:
    return heat_chart(cells, method, at, on_page=on_page)


def _best(run: FigureRun, best: Best) -> dict[str, Any]:
    """The best network, and how it learned."""
    row, trial = best.row, best.trial
    return {
        "name": f"{trial.method} at {place(row, run.axis)}",
        "setting": setting(row),
        "seed": trial.seed,
        "test_error": float(row.test_error),
        "curves": row.curves,
        "drop": trial.schedule.drop_at * trial.schedule.epochs if trial.schedule.drop > 1 else None,
        "signals": best.signals,
        "order": _order(best.signals, run.threshold),
    }


def _order(signals: Signals | None, threshold: float) -> dict[str, str]:
    """When F was learned, and when some of G: a lead and a sentence."""
    base, target = (None, None) if signals is None else learned_at(signals, threshold)
    lead = "First F, then G." if base is not None and (target is None or base < target) else "F and G over the epochs."
    seen = [] if base is None else [f"out1 has nine tenths of F by epoch {base}"]
    seen += [] if target is None else [f"out is under the threshold by epoch {target}"]
    return {"lead": lead, "words": f"{'; '.join(seen)}." if seen else ""}


def _tiles(run: FigureRun) -> list[dict[str, str]]:
    """A few numbers in large type: the best of each kind of method, the threshold, what any kernel needs."""
    best = best_of_methods(run.summary, by="best_on_validation")
    tiles = []
    for learner, words in BEST.items():
        these = best[(best.learner == learner) & best.best_on_validation.map(pd.notna)]
        if len(these):
            row = these.iloc[0]
            at = place(row, run.x)
            more = f"{row.method} at {at}" if at else row.method
            tiles.append({"number": _number(row.best_on_validation), "words": words, "more": more})
    tiles.append({"number": _number(run.threshold), "words": "the threshold", "more": _leaves(run)})
    gap = run.gap
    if gap:
        more = f"samples for {gap['error']:.2g}, on average over the family, if it is fixed beforehand"
        tiles.append({"number": f"{gap['needed']:,}", "words": "any scalar kernel needs", "more": more})
    return tiles


def _leaves(run: FigureRun) -> str:
    """What the threshold is."""
    return f"what learning {'F alone' if run.has_base else 'nothing'} leaves"


def _legend(run: FigureRun) -> list[dict[str, Any]]:
    """The methods by group, each as it is drawn."""
    if run.axis == "norm":
        return []
    lines = error_lines(run)
    drawn = looks(list(dict.fromkeys(lines.method)))
    groups = []
    for group in GROUPS:
        methods = list(dict.fromkeys(lines[lines.group == group].method))
        if methods:
            flat = bool(lines[lines.group == group].flat.all())
            entries = [{"method": m, **asdict(drawn[m]), "flat": flat} for m in methods]
            groups.append({"name": group, "methods": entries})
    return groups


def _rows(run: FigureRun) -> list[dict[str, Any]]:
    """The table, as it is shown and as it is sorted."""
    summary, threshold = run.summary, run.threshold
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
                "edge": _edge(run.table, row),
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


def _heat(run: FigureRun) -> list[dict[str, Any]]:
    """What stands beside each heat map: its method and the places to choose from."""
    cells = heat_maps(run)
    finite = cells[cells.validation.map(lambda v: v < float("inf"))]
    return [
        {"chart": f"grid-{i}", "method": method, "place": at, "places": _places(finite, method)}
        for i, (method, at) in enumerate(best_places(run).items(), 1)
    ]


def _places(cells: pd.DataFrame, method: str) -> list[str]:
    return list(dict.fromkeys(cells[cells.method == method].place))


def _number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}g}" if value == value and abs(value) != float("inf") else "\u221e"


def _shortened(words: list[str]) -> str:
    more = f" and {len(words) - WORST} more" if len(words) > WORST else ""
    return ", ".join(words[:WORST]) + more
