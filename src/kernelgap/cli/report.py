"""The command that writes a run's page."""

import json
from pathlib import Path
from typing import Annotated

import typer

from kernelgap import console
from kernelgap.cli.options import Json


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")],
    as_json: Json = False,
) -> None:
    """Write a run's report.html, and its charts as pictures, into its folder."""
    from kernelgap import reports

    written = reports.write_report(folder)
    if as_json:
        console.answer(json.dumps(written.as_record(), allow_nan=False))
    else:
        console.answer(written.sentence)
        if written.gap:
            console.answer(reports.rounded(str(written.gap["sentence"])))
        for warning in written.warnings:
            console.message(f"On the edge of its grid: {warning}")
        console.message(f"Report: {written.path}")
