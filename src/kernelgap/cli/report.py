"""The command that writes a run's page."""

import json
from pathlib import Path
from typing import Annotated

import typer

from kernelgap import console
from kernelgap.cli.answer import Json


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")], as_json: Json = False
) -> None:
    """Write a run's report.html, and its charts as pictures, into its folder."""
    from kernelgap.runs import read_run

    run = read_run(folder)
    path = run.report()
    if as_json:
        charts = sorted(str(chart) for chart in (path.parent / "charts").glob("*"))
        console.answer(json.dumps({**run.as_record(), "report": str(path), "charts": charts}, allow_nan=False))
    else:
        console.answer(run.sentence)
        for message in run.messages:
            console.message(message)
        console.message(f"Report: {path}")
