"""The command that predicts with a model of an audit."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernelgap import console
from kernelgap.atomic_file import atomically
from kernelgap.cli.answer import Json
from kernelgap.cli.failing import quiet_end
from kernelgap.errors import InputError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

ENDINGS = (".csv", ".tsv", ".parquet")
ROWS = 2**16  # written as text at a time


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model.safetensors, or the folder of an audit.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="A table with the columns that the audit's table had.")],
    out: Annotated[
        Path | None, typer.Option(help="Write the predictions here: .csv, .tsv or .parquet [default: print as CSV].")
    ] = None,
    as_json: Json = False,
) -> None:
    """Predict new rows with the model that an audit chose.

    Rows are counted from 0. Scores of classes are no probabilities."""
    if out is not None:
        _check_out(out, Path(file), model)
    from kernelgap.audit.models import load_model, predict_table
    from kernelgap.audit.tables.notices import brief

    table_model = load_model(model)
    predicted = predict_table(table_model, file)
    table = predicted.table.reset_index()
    for sentence in brief(predicted.notices):
        console.message(sentence)
    for judged in predicted.quality:
        console.message(judged.sentence)
    console.message(_origin(table_model.about))
    if predicted.quality:
        console.message("If the model learned from some of these rows, it will do less well on new ones.")
    if out is not None:
        _write(table, out)
        console.message(f"Predictions for {len(table):,} rows are in {out}.")
    if as_json:
        record: dict[str, Any] = {
            "model": str(model),
            "file": file,
            "task": table_model.targets.task,
            "targets": list(table_model.targets.names),
            "contender": table_model.about.get("contender"),
            "learned_from_rows": table_model.about.get("rows"),
            "rows": len(table),
            "quality": [asdict(judged) for judged in predicted.quality],
            "notices": [asdict(notice) for notice in predicted.notices],
        }
        record |= {"predictions": table.to_dict("records")} if out is None else {"out": str(out)}
        console.answer(json.dumps(record, allow_nan=False))
    elif out is None:
        _print(table)


def _origin(about: "Mapping[str, Any]") -> str:
    """Whose model it is, and how many rows it learned from, as far as its file says so."""
    name, rows, of = about.get("contender", "unknown origin"), about.get("rows"), about.get("of")
    if not isinstance(rows, int) or not isinstance(of, int):
        return f"The model is of {name}."
    return f"The model is of {name} and learned from {f'all {of:,}' if rows == of else f'{rows:,} of {of:,}'} rows."


def _check_out(out: Path, file: Path, model: Path) -> None:
    """Before anything is computed."""
    if out.suffix.lower() not in ENDINGS:
        raise unknown("ending of a table", out.suffix, ENDINGS)
    if not out.parent.is_dir():
        raise InputError(f"There is no folder '{out.parent}' to write {out.name} into: make it first.")
    for given in (file, model):
        if out.exists() and given.exists() and out.samefile(given):
            raise InputError(f"The predictions would overwrite '{given}': give --out another name.")


def _write(table: "pd.DataFrame", out: Path) -> None:
    kind = out.suffix.lower()
    with atomically(out) as partial:
        if kind == ".parquet":
            table.to_parquet(partial, index=False)
        else:
            table.to_csv(partial, index=False, sep="\t" if kind == ".tsv" else ",")


def _print(table: "pd.DataFrame") -> None:
    try:
        for start in range(0, len(table), ROWS):
            text = table.iloc[start : start + ROWS].to_csv(index=False, header=start == 0, lineterminator="\n")
            console.answer(text.removesuffix("\n"))
        sys.stdout.flush()
    except BrokenPipeError:
        quiet_end()
