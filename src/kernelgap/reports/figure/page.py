"""The page: everything about a run in one file that needs no network, and its charts as pictures beside it."""

import math
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from kernelgap.paper.figures.grids import best_places, heat_maps
from kernelgap.paper.figures.paper_values import LABEL, REMARKS
from kernelgap.paper.figures.picks import format_place, format_setting
from kernelgap.paper.figures.result import Best, FigureRun
from kernelgap.paper.figures.signals import Signals, learned_at
from kernelgap.paper.figures.summary import best_of_methods, seeds_of
from kernelgap.reports.common.looks import looks
from kernelgap.reports.common.page import write_page, write_record
from kernelgap.reports.common.words import rounded
from kernelgap.reports.figure.error_chart import error_chart
from kernelgap.reports.figure.heat_chart import heat_chart
from kernelgap.reports.figure.learning_chart import learning_chart, signals_chart
from kernelgap.reports.figure.lines import error_lines, paper_marks, without_error
from kernelgap.reports.figure.norm_chart import norm_chart
from kernelgap.reports.figure.width_chart import width_chart

BEST = {"network": "the best network", "kernel": "the best kernel method", "built": "the best that was built"}
MOST_NAMED = 6  # as many infinite results are named


def write_figure_page(run: FigureRun) -> Path:
    """Write ``report.html``, ``charts/`` and the tables into a figure's folder."""
    best = None if run.best is None else _best(run, run.best)
    grids = _grids(run)
    charts = _charts(run, best, grids)
    drawn = {name: draw(on_page=True) for name, draw in charts.items()}
    on_page = {name: chart for name, chart in drawn.items() if chart is not None}
    leaves = f"what learning {'F alone' if run.has_base else 'nothing'} leaves"
    context = {
        "run": run,
        "tiles": _tiles(run, leaves),
        "leaves": leaves,
        "legend": _legend(run),
        "log": not bool((run.judged[run.axis].dropna() <= 0).any()),
        "remark": REMARKS.get(run.name),
        "paper": LABEL if len(paper_marks(run.name, error_lines(run))) else None,
        "infinite": _shortened(without_error(run)),
        "over_seeds": seeds_of(run.summary),
        "statuses": {str(status): int(count) for status, count in run.table.status.value_counts().items()},
        "best": best,
        "rows": _rows(run),
        "heat": grids,
    }
    flat = run.table.drop(columns="curves")
    trials = run.table if any(run.table.curves) else flat  # Parquet has no empty records
    return write_page(
        run,
        "figure/page.html",
        context,
        charts=on_page,
        pictures={name: partial(charts[name], on_page=False) for name in on_page},
        tables={
            "summary.csv": partial(run.summary.to_csv, index=False),
            "summary.json": partial(write_record, run),
            "trials.csv": partial(flat.to_csv, index=False),
            "trials.parquet": partial(trials.to_parquet, index=False),
        },
        filters={"rounded": rounded},
    )


def _charts(run: FigureRun, best: dict[str, Any] | None, grids: list[dict[str, Any]]) -> dict[str, Callable[..., Any]]:
    """What draws each chart, for the page or alone; None is drawn where there is nothing to show."""
    charts: dict[str, Callable[..., Any]] = {"errors": partial(norm_chart if run.axis == "norm" else error_chart, run)}
    if run.axis == "beta":
        charts["widths"] = partial(width_chart, run)
    if best is not None:
        about = {"title": best["name"], "threshold": run.threshold, "drop": best["drop"]}
        charts["learning"] = partial(learning_chart, best["curves"], **about)
        if best["signals"] is not None:
            charts["signals"] = partial(signals_chart, best["signals"], **about)
    cells = heat_maps(run)
    return charts | {grid["chart"]: partial(heat_chart, cells, grid["method"], grid["place"]) for grid in grids}


def _best(run: FigureRun, best: Best) -> dict[str, Any]:
    """The best network, and how it learned."""
    row, trial = best.row, best.trial
    return {
        "name": f"{trial.method} at {format_place(row, run.axis)}",
        "setting": format_setting(row),
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
    return {"lead": lead, "sentence": f"{'; '.join(seen)}." if seen else ""}


def _tiles(run: FigureRun, leaves: str) -> list[dict[str, str]]:
    """A few numbers in large type: the median of the best of each kind, the threshold, what any scalar kernel needs."""
    best = best_of_methods(run.summary, by="best_on_validation")
    tiles = []
    for learner, label in BEST.items():
        these = best[(best.learner == learner) & best.best_on_validation.map(pd.notna)]
        if len(these):
            row = these.iloc[0]
            where = " at ".join(filter(None, (row.method, format_place(row, run.x))))
            where += f", {_number(row.least, 2)} to {_number(row.greatest, 2)}" if row.seeds > 1 else ", one start"
            tiles.append({"number": _number(row.best_on_validation), "label": label, "more": where})
    tiles.append({"number": _number(run.threshold), "label": "the threshold", "more": leaves})
    if run.gap:
        more = f"samples for {run.gap['error']:.2g}, on average over the family, if it is fixed beforehand"
        if run.gap.get("needed_matrix") is not None:
            more += f"; a matrix-valued one, as (NTK) is, {run.gap['needed_matrix']:,}"
        tiles.append({"number": f"{run.gap['needed']:,}", "label": "any scalar kernel needs", "more": more})
    return tiles


def _legend(run: FigureRun) -> list[dict[str, Any]]:
    """The methods by group, each as it is drawn."""
    if run.axis == "norm":
        return []
    lines = error_lines(run)
    drawn = looks(list(lines.method.unique()))
    groups = []
    for group, own in lines.groupby("group", sort=False):  # the lines are in the order of their groups
        entries = [{"method": m, **asdict(drawn[m]), "flat": bool(own.flat.all())} for m in own.method.unique()]
        groups.append({"name": group, "methods": entries})
    return groups


def _rows(run: FigureRun) -> list[dict[str, Any]]:
    """The table, as it is shown and as it is sorted."""
    summary, threshold = run.summary, run.threshold
    each = ["method", "beta"] if "beta" in summary else ["method"]
    best = set(summary.groupby(each, sort=False).validation_error.idxmin())
    by_method = summary.groupby("method").best_on_validation.transform("min")
    order = summary.assign(kind=summary.learner.map(list(BEST).index), reached=by_method)
    rows = []
    for i, row in order.sort_values(["kind", "reached"], kind="stable").iterrows():
        numbers = {
            "width": None if pd.isna(row.width) else int(row.width),
            "beta": None if pd.isna(row.get("beta")) else float(row["beta"]),
            "test": float(row.best_on_test),
            "validation": float(row.best_on_validation),
            "least": float(row.least),
            "greatest": float(row.greatest),
            "mean": float(row["mean"]),
            "seeds": int(row.seeds),
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
                "setting": rounded(format_setting(row)) or "varies",
                "edge": row.edges,
                "failed": int(row.diverged + row.unsolved),
                "trials": int(row.trials),
                "best": i in best,
            }
        )
    return rows


def _grids(run: FigureRun) -> list[dict[str, Any]]:
    """What stands beside each heat map: its method and the places to choose from."""
    cells = heat_maps(run)
    places = {name: list(own.place.unique()) for name, own in cells[cells.validation < math.inf].groupby("method")}
    return [
        {"chart": f"grid-{i}", "method": method, "place": at, "places": places.get(method, [])}
        for i, (method, at) in enumerate(best_places(run).items(), 1)
    ]


def _number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}g}" if value == value and abs(value) != float("inf") else "\u221e"


def _shortened(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
