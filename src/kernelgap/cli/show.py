"""How answers look in the terminal."""

from typing import Any

import pandas as pd

from kernelgap import console, reports

EDGE = " (edge)"


def results(table: pd.DataFrame) -> None:
    """Errors over widths, the best of each method, and the sentence."""
    attrs = table.attrs
    summary = reports.summarise(table)
    widths = sorted(summary.width.dropna().unique())
    errors = {(row.method, row.width): row.best_on_validation for row in summary.dropna(subset="width").itertuples()}
    methods = [m for m in summary.method.unique() if any((m, width) in errors for width in widths)]
    rows = [
        [m, *(_error(errors[m, w], attrs["threshold"]) if (m, w) in errors else "" for w in widths)] for m in methods
    ]
    title = f"{attrs['experiment']}: {attrs['title']} (picked on validation; * is under {attrs['threshold']:.4g})"
    console.table(["width", *(str(width) for width in widths)], rows, title=title)
    console.answer("")
    best = [
        [
            row.method,
            "any" if pd.isna(row.width) else str(row.width),
            _error(row.best_on_test, attrs["threshold"]),
            _error(row.best_on_validation, attrs["threshold"]),
            f"{row.standard_error:.1g}",
            _setting(row),
            f"{row.diverged + row.unsolved} of {row.trials}",
        ]
        for row in reports.best_of_methods(summary).itertuples()
    ]
    columns = ["method", "best width", "picked on test", "picked on validation", "+/-", "setting", "failed"]
    console.table(columns, best, title=f"The best of each method (test errors; * is under {attrs['threshold']:.4g})")
    if any(row[5].endswith(EDGE) for row in best):
        console.answer(f"{EDGE.strip()}: the smallest or the largest ridge of the grid was picked.")
    console.answer("")
    console.answer(reports.sentence(summary, attrs["threshold"], attrs["samples"]))
    if attrs.get("gap"):
        console.answer(attrs["gap"]["sentence"])
    console.message(f"Results are in {attrs['folder']}.")


def _setting(row: Any) -> str:
    """What the pick on validation was fitted with, marked if its ridge is the last of the grid."""
    kernel = [] if pd.isna(row.kernel) or row.kernel == row.method else [row.kernel]
    numbers = [f"{name} {getattr(row, name):g}" for name in ("rate", "decay", "ridge") if pd.notna(getattr(row, name))]
    edge = EDGE if row.ridge_at_edge and pd.notna(row.ridge) else ""
    return ", ".join(kernel + numbers) + edge or "varies"


def _error(value: float, threshold: float) -> str:
    return f"{value:.4f}{'*' if value < threshold else ' '}"


def catalogue(found: dict[str, list[dict[str, str]]]) -> None:
    for kind, entries in found.items():
        columns = list(entries[0])
        console.table(columns, [[e[c] for c in columns] for e in entries], title=kind, left=len(columns))
        console.answer("")
    console.answer("Start with: kernelgap run fig2a")
