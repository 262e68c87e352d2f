"""The command that compares two files of predictions."""

import json
from pathlib import Path
from typing import Annotated

import typer

from kernelgap import console
from kernelgap.cli.answer import Json


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="A table of predictions, a row for each of the truth.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another, with its rows in the same order.")],
    truth: Annotated[str, typer.Option(metavar="FILE", help="The table with the true values.")],
    target: Annotated[
        str | None, typer.Option("--target", metavar="COL", help="Their column [default: the only one].")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="rmse, mae, accuracy, balanced_accuracy, f1, log_loss, auc, or module:function."),
    ] = None,
    group: Annotated[
        str | None, typer.Option(metavar="COL", help="A column of the truth: rows that belong together.")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="regression or classification [default: as the truth looks].")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of resampling.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write the chart here: .html, .svg, .png or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Say which of two models predicts better, beyond chance. Nothing is trained."""
    from kernelgap.audit.prediction_files import compare_files

    found = compare_files(first, second, truth, target, metric=metric, group=group, task=task, seed=seed)
    if out is not None:
        from kernelgap.reports import save_chart

        console.message(f"Chart: {save_chart(found.chart(), out)}")
    console.answer(json.dumps(found.as_record(), allow_nan=False) if as_json else str(found))
