"""The answer of a figure, in the terminal."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from kernelgap import console
from kernelgap.paper.figures import FigureRun, best_of_methods
from kernelgap.paper.figures.summary import seeds_of
from kernelgap.reports.common.words import rounded

EDGE = " (edge)"


def show_figure(run: FigureRun) -> None:
    """Errors over widths (or betas), the best of each method, the sentence, and the kept reference beside it."""
    summary, threshold = run.summary, run.threshold
    seeds = seeds_of(summary)
    x = "beta" if run.x == "beta" and "beta" in summary else "width"
    drawn = summary.dropna(subset="width")
    lines = drawn.method if x == "width" else drawn.method + " width " + drawn.width.astype(str)
    decays = [f" decay {row.decay:g}" if row.learner == "built" else "" for row in drawn.itertuples()]
    lines = lines + pd.Series(decays, index=drawn.index, dtype="str")  # which may be empty
    errors = dict(zip(zip(lines, drawn[x], strict=True), drawn["median"], strict=True))
    places = sorted(drawn[x].unique())
    rows = [
        [line, *(_error(errors[line, at], threshold) if (line, at) in errors else "" for at in places)]
        for line in lines.unique()
    ]
    title = f"{run.name}: {run.title} ({seeds}, picked on validation; * is under {threshold:.4g})"
    if rows:  # not for kernels alone
        console.table([x, *(f"{at:g}" for at in places)], rows, title=title)
        console.answer("")
    methods: Iterable[Any] = best_of_methods(summary).itertuples()
    norms = run.x == "norm" and "norm" in summary
    best = [
        [
            row.method,
            "any" if pd.isna(row.width) else str(row.width),
            _error(row.best_on_test, threshold),
            _error(row.median, threshold),
            *(f"{value:.4f}" for value in (row.least, row.greatest, row.mean)),
            f"{row.standard_error:.1g}",
            *([f"{row.train_error:.4f}", f"{row.norm:.1f}"] if norms else []),
            _setting(row),
            f"{row.diverged + row.unsolved} of {row.trials}",
        ]
        for row in methods
    ]
    numbers = [
        "picked on test",
        "picked on validation",
        "least",
        "greatest",
        "mean",
        "+/-",
        *(["train error", "norm of W"] if norms else []),
    ]
    columns = ["method", "best width", *numbers, "setting", "failed"]
    console.table(columns, best, title=f"The best of each method (test errors, {seeds}; * is under {threshold:.4g})")
    if any(row[-2].endswith(EDGE) for row in best):
        console.answer(f"{EDGE.strip()}: the last value tried was picked, and the error still falls towards it.")
    console.answer("")
    console.answer(rounded(run.sentence))
    if run.gap:
        console.answer(rounded(run.gap["sentence"]))
        if run.gap.get("needs_sentence"):
            console.answer(run.gap["needs_sentence"])
        if run.gap.get("interval"):
            console.answer(run.gap["interval"]["sentence"])
    if run.comparison is not None:
        console.answer(run.comparison.sentence)


def _setting(row: Any) -> str:
    """What the pick on validation was fitted with, marked if a number of it is the last that was tried."""
    kernel = [] if pd.isna(row.kernel) or row.kernel == row.method else [row.kernel]
    numbers = [f"{name} {getattr(row, name):g}" for name in ("rate", "decay", "ridge") if pd.notna(getattr(row, name))]
    edge = EDGE if row.edges else ""
    beta = [f"beta {row.beta:g}"] if hasattr(row, "beta") else []
    return rounded(", ".join(beta + kernel + numbers)) + edge or "varies"


def _error(value: float, threshold: float) -> str:
    return f"{value:.4f}{'*' if value < threshold else ' '}"
