"""The command that audits a table."""

from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from kernelgap.cli.answer import Json, answer_with


def audit(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A table (.csv, .tsv, .parquet, .feather, .npz), or sklearn:NAME.")
    ],
    target: Annotated[
        list[str] | None, typer.Option("--target", metavar="COL", help="The column to predict; numbers may be several.")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="regression or classification [default: what the target looks like].")
    ] = None,
    leave_out: Annotated[
        list[str] | None, typer.Option("--leave-out", metavar="COL", help="A column not to learn from; again for more.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep", metavar="COL", help="A column to learn from although it numbers rows or tells the target."
        ),
    ] = None,
    contender: Annotated[
        list[str] | None,
        typer.Option(
            "--contender", metavar="MODULE:NAME", help="A scikit-learn estimator of your own; again for more."
        ),
    ] = None,
    budget: Annotated[str, typer.Option(help="How long it may take: 90s, 5m, 1h30m.")] = "5m",
    out: Annotated[Path | None, typer.Option(help="Folder for the results [default: runs/audit-NAME].")] = None,
    rows: Annotated[int | None, typer.Option(help="Use a sample of so many rows at most.")] = None,
    group: Annotated[
        str | None, typer.Option(metavar="COL", help="Rows with one value there are never on both sides of a split.")
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", metavar="COL", help="Dates or numbers: test on the latest rows.")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="mae, accuracy, balanced_accuracy, f1, log_loss, auc or module:function [default: squares]."),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="What separates columns in a text file [default: detected].")
    ] = None,
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether the first line has names [default: detected].")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes [default: one a core].")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all that is drawn.")] = 0,
    seeds: Annotated[
        int | None, typer.Option(help="How many times all is drawn anew [default: 2 to 5, as the budget allows].")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say whether a neural network is worth it over every kernel method on a table.

    Give the same command again to go on after an interruption.

    Exit code 0 with any verdict; 1 if parts of the audit failed.
    """
    began = monotonic()  # before what takes long to import
    from kernelgap.audit.run import run_audit

    columns: Any = {"task": task, "leave_out": leave_out or (), "keep": keep or ()}
    reading: Any = {"rows": rows, "delimiter": delimiter, "header": header, "group": group, "time": time}
    how: Any = {"budget": budget, "workers": workers, "seed": seed, "seeds": seeds, "metric": metric}
    more: Any = {"contenders": contender or (), "began": began}
    result = run_audit(file, target or (), out, **columns, **reading, **how, **more)
    answer_with(result, as_json, until=began + result.budget)
