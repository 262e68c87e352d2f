"""The command that asks of a table whether a network is worth it."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelgap import console
from kernelgap.cli.options import Json
from kernelgap.cli.status import tell_failures

if TYPE_CHECKING:
    from kernelgap.audit.result import Audit


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
        typer.Option("--keep", metavar="COL", help="A column to learn from although it looks like a row number."),
    ] = None,
    budget: Annotated[str, typer.Option(help="How long it may take: 90s, 5m, 1h30m.")] = "5m",
    out: Annotated[Path | None, typer.Option(help="Folder for the results [default: runs/audit-NAME].")] = None,
    rows: Annotated[int | None, typer.Option(help="Use a sample of so many rows at most.")] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="What separates columns in a text file [default: found out].")
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first line has names [default: found out]."),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes [default: one a core].")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all that is drawn.")] = 0,
    as_json: Json = False,
) -> None:
    """Ask of a table whether a neural network is worth it over every kernel; run it again to go on.

    The answer may be that it is undecided. Exit code 0 whatever it is.
    """
    began = time.monotonic()  # before what takes long to import
    try:
        from kernelgap.reports.audit.page import FILE
        from kernelgap.reports.audit.run import audit as ask

        found = ask(
            file,
            target or (),
            out,
            task=task,
            leave_out=leave_out or (),
            keep=keep or (),
            budget=budget,
            rows=rows,
            delimiter=delimiter,
            header=header,
            workers=workers,
            seed=seed,
            began=began,
        )
    except KeyboardInterrupt as interrupt:
        kept = f"{interrupt}. The same command goes on from there." if str(interrupt) else "nothing was done yet."
        console.message(f"kernelgap: interrupted; {kept}")
        raise typer.Exit(130) from None
    _tell(found)
    if as_json:
        console.answer(json.dumps({**found.as_record(), "report": str(found.folder / FILE)}, allow_nan=False))
    else:
        _show(found)
    _tell_where(found)
    tell_failures([(failure.label, failure.error) for failure in found.failures], found.folder, what="part")


def _tell(found: "Audit") -> None:
    """What happened to the table, and what there was no time for."""
    from kernelgap.audit.tables.notices import brief
    from kernelgap.durations import format_duration

    for sentence in brief(found.notices):
        console.message(sentence)
    left = set(found.unfinished) - {failure.label for failure in found.failures}
    if left:
        console.message(
            f"There was no time in {format_duration(found.budget)} for {len(left)} of {found.planned} parts, planned "
            f"for {format_duration(found.plan.budget)}: the same command goes on with them."
        )


def _show(found: "Audit") -> None:
    from kernelgap.audit.statistics.wording import digits

    answer = found.answer
    console.answer(answer.verdict.sentence)
    for reason in answer.verdict.reasons:
        console.answer(f"- {reason}")
    for sentence in (answer.gap.sentence, answer.features.sentence, *answer.remarks):
        console.answer(f"\n{sentence}")
    console.answer("")
    samples = answer.comparison.samples
    columns = ["contender", "family", "error", "95% interval", *_quality(found), "fits", "seconds"]
    rows = [[row[column] for column in columns] for row in _rows(found)]
    constant = f"a constant guess has {digits(answer.constant.value)}"
    title = f"Test errors with {samples:,} samples, the least validation error first ({constant})"
    console.table(columns, rows, title=title, left=2)


def _quality(found: "Audit") -> list[str]:
    if found.table.task == "classification":
        return ["accuracy"]
    return ["R^2", "RMSE"] if len(found.table.scales) == 1 else ["R^2"]


def _rows(found: "Audit") -> list[dict[str, str]]:
    from kernelgap.audit.statistics.wording import digits

    rows = []
    for row in found.with_samples(found.answer.comparison.samples).to_dict("records"):
        rows.append(
            {
                "contender": row["contender"],
                "family": row["family"],
                "error": digits(row["error"]),
                "95% interval": f"{digits(row['low'])} to {digits(row['high'])}",
                "R^2": f"{row['r2']:.3f}",
                "RMSE": digits(row["rmse"]) if "rmse" in row else "",
                "accuracy": f"{row['accuracy']:.1%}" if "accuracy" in row else "",
                "fits": str(row["fits"]),
                "seconds": f"{row['seconds']:.1f}",
            }
        )
    return rows


def _tell_where(found: "Audit") -> None:
    from kernelgap.reports.audit.page import FILE

    console.message(f"Report: {found.folder / FILE}")
    if found.model_path is not None:
        console.message(f"The model of {found.winner} is in {found.model_path}. {found.model_sentence}")
        console.message(f"To predict: kernelgap predict {found.folder} NEW.csv")
