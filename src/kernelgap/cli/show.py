"""How answers look in the terminal."""

import math

import pandas as pd

from kernelgap import console, reports


def results(table: pd.DataFrame) -> None:
    """The best of each method and width, and the sentence."""
    attrs = table.attrs
    summary = reports.summarise(table)
    rows = [
        [
            row.method,
            str(row.width),
            _error(row.best_on_test, attrs["threshold"]),
            _error(row.best_on_validation, attrs["threshold"]),
            f"{row.standard_error:.1g}",
            _setting(row.rate),
            _setting(row.decay),
            f"{row.diverged} of {row.trials}",
        ]
        for row in summary.itertuples()
    ]
    columns = ["method", "width", "picked on test", "picked on validation", "+/-", "rate", "decay", "diverged"]
    title = f"{attrs['experiment']}: {attrs['title']} (test errors; * is under the threshold {attrs['threshold']:.4g})"
    console.table(columns, rows, title=title)
    console.answer("")
    console.answer(reports.sentence(summary, attrs["threshold"], attrs["samples"]))
    console.message(f"Results are in {attrs['folder']}.")


def _setting(value: float) -> str:
    return "varies" if math.isnan(value) else f"{value:g}"


def _error(value: float, threshold: float) -> str:
    return f"{value:.4f}{'*' if value < threshold else ' '}"


def catalogue(found: dict[str, list[dict[str, str]]]) -> None:
    for kind, entries in found.items():
        columns = list(entries[0])
        console.table(columns, [[e[c] for c in columns] for e in entries], title=kind, left=len(columns))
        console.answer("")
    console.answer("Start with: kernelgap run fig2a")
