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
    from kernelgap.runs.run_file import RunFile

    with RunFile.reading(folder) as run:
        experiment = run.description().get("experiment")
    own = {"claims": _report_claims, "audit": _report_audit, "images": _report_images}.get(str(experiment))
    if own is not None:
        own(folder, as_json)
        return
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


def _report_claims(folder: Path, as_json: bool) -> None:
    from kernelgap.paper.claims.run import read_findings
    from kernelgap.reports.claims.page import write_claims_page

    findings = read_findings(folder)
    path = write_claims_page(findings)
    if as_json:
        console.answer(json.dumps({"path": str(path), "sentence": findings.sentence}))
    else:
        console.answer(findings.sentence)
        console.message(f"Report: {path}")


def _report_audit(folder: Path, as_json: bool) -> None:
    from kernelgap.audit.judging import read_audit
    from kernelgap.reports.audit.page import write_audit_page

    found = read_audit(folder)
    path = write_audit_page(found)
    if as_json:
        console.answer(json.dumps({"report": str(path), "sentence": found.sentence, "verdict": found.verdict}))
    else:
        console.answer(found.sentence)
        console.message(f"Report: {path}")


def _report_images(folder: Path, as_json: bool) -> None:
    from kernelgap.cli.show_images import show_images
    from kernelgap.images.experiment import read_image_run
    from kernelgap.reports.images.page import write_images_page

    path = write_images_page(read_image_run(folder))
    show_images(folder, as_json)
    console.message(f"Report: {path}")
