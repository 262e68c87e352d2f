"""The answer of a run of any kind: in the terminal or as JSON, and the place of its page."""

import json
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernelgap import console

if TYPE_CHECKING:
    from kernelgap.runs import Run

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else there.")]


def answer_with(run: "Run", as_json: bool, *, page: "Run | None" = None, **options: Any) -> None:
    """Print the answer, write the page, and end with exit code 1 if chunks failed.

    ``page`` is the run whose page is written, where it holds more than what is answered; ``options`` are the page's.
    """
    if as_json:
        report = str(run.folder / "report.html")
        console.answer(json.dumps({**run.as_record(), "report": report}, allow_nan=False))
    else:
        getattr(import_module(f"kernelgap.cli.show.{run.kind}"), f"show_{run.kind}")(run)
    for message in run.messages:
        console.message(message)
    console.message(f"Results are in {run.folder}.")
    console.message(f"Report: {(page or run).report(**options)}")
    if run.failures:
        first, count = run.failures[0], len(run.failures)
        number = f"{count} {run.part}s failed and are" if count > 1 else f"1 {run.part} failed and is"
        console.message(
            f"kernelgap: {number} missing above, first '{first.label}': {first.error.rstrip('.')}. The same command "
            f"tries again; 'kernelgap status {run.folder}' lists them."
        )
        raise typer.Exit(1)
