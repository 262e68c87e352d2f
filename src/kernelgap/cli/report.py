"""The command that writes a run's page."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelgap import console
from kernelgap.cli.answer import Json

if TYPE_CHECKING:
    from kernelgap.runs import Run


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")],
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Keep a finished figure, or all claims, in FOLDER/NAME-SCALE."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a run's report.html, and its charts as pictures, into its folder."""
    from kernelgap.runs import read_run

    run = read_run(folder)
    kept = None if keep is None else _keep(run, keep)  # what is refused is refused before the page is drawn
    path = run.report()
    if as_json:
        charts = sorted(str(chart) for chart in (path.parent / "charts").glob("*"))
        record = {**run.as_record(), "report": str(path), "charts": charts}
        record |= {} if kept is None else {"kept": str(kept)}
        console.answer(json.dumps(record, allow_nan=False))
    else:
        console.answer(run.sentence)
        for message in run.messages:
            console.message(message)
        console.message(f"Report: {path}")
        if kept is not None:
            console.message(f"Kept as a reference: {kept}")


def _keep(run: "Run", root: Path) -> Path:
    from kernelgap.paper.claims.kept import keep_claims
    from kernelgap.paper.claims.result import ClaimsRun
    from kernelgap.reports.figure.keep import keep_reference

    return keep_claims(run, root) if isinstance(run, ClaimsRun) else keep_reference(run, root)
