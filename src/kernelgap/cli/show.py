"""How answers look in the terminal."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from kernelgap import console, reports

EDGE = " (edge)"


def results(table: pd.DataFrame) -> None:
    """Errors over widths (or betas), the best of each method, and the sentence."""
    attrs = table.attrs
    summary = reports.summarise(table)
    x = "beta" if attrs.get("x") == "beta" and "beta" in summary else "width"
    drawn = summary.dropna(subset="width")
    lines = drawn.method if x == "width" else drawn.method + " width " + drawn.width.astype(str)
    errors = dict(zip(zip(lines, drawn[x], strict=True), drawn.best_on_validation, strict=True))
    places = sorted(drawn[x].unique())
    rows = [
        [line, *(_error(errors[line, at], attrs["threshold"]) if (line, at) in errors else "" for at in places)]
        for line in lines.unique()
    ]
    title = f"{attrs['experiment']}: {attrs['title']} (picked on validation; * is under {attrs['threshold']:.4g})"
    console.table([x, *(f"{at:g}" for at in places)], rows, title=title)
    console.answer("")
    norms = attrs.get("x") == "norm" and "norm" in summary
    methods: Iterable[Any] = reports.best_of_methods(summary).itertuples()
    best = [
        [
            row.method,
            "any" if pd.isna(row.width) else str(row.width),
            _error(row.best_on_test, attrs["threshold"]),
            _error(row.best_on_validation, attrs["threshold"]),
            f"{row.standard_error:.1g}",
            *([f"{row.train_error:.4f}", f"{row.norm:.1f}"] if norms else []),
            _setting(row),
            f"{row.diverged + row.unsolved} of {row.trials}",
        ]
        for row in methods
    ]
    numbers = ["picked on test", "picked on validation", "+/-", *(["train error", "norm of W"] if norms else [])]
    columns = ["method", "best width", *numbers, "setting", "failed"]
    console.table(columns, best, title=f"The best of each method (test errors; * is under {attrs['threshold']:.4g})")
    if any(row[-2].endswith(EDGE) for row in best):
        console.answer(f"{EDGE.strip()}: the last ridge of the grid was picked, and the error still falls towards it.")
    console.answer("")
    console.answer(reports.rounded(reports.told(summary, attrs)))
    if attrs.get("gap"):
        console.answer(reports.rounded(attrs["gap"]["sentence"]))
    console.message(f"Results are in {attrs['folder']}.")


def _setting(row: Any) -> str:
    """What the pick on validation was fitted with, marked if its ridge is the last of the grid."""
    kernel = [] if pd.isna(row.kernel) or row.kernel == row.method else [row.kernel]
    numbers = [f"{name} {getattr(row, name):g}" for name in ("rate", "decay", "ridge") if pd.notna(getattr(row, name))]
    edge = EDGE if row.ridge_at_edge and pd.notna(row.ridge) else ""
    beta = [f"beta {row.beta:g}"] if hasattr(row, "beta") else []
    return reports.rounded(", ".join(beta + kernel + numbers)) + edge or "varies"


def _error(value: float, threshold: float) -> str:
    return f"{value:.4f}{'*' if value < threshold else ' '}"


def catalogue(found: dict[str, list[dict[str, str]]]) -> None:
    for kind, entries in found.items():
        columns = list(entries[0])
        console.table(columns, [[e[c] for c in columns] for e in entries], title=kind, left=len(columns))
        console.answer("")
    console.answer(
        "Times are estimates for all cores of this machine when it is idle; they may be off by a factor of 2."
    )
    console.answer("Start with: kernelgap run fig2a")
