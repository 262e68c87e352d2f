"""The command that runs the paper."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelgap import console
from kernelgap.cli.options import Json

if TYPE_CHECKING:
    from kernelgap.paper.claims.run import Findings


def claims(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Claims by id, such as thm2.kernels [default: all].")
    ] = None,
    scale: Annotated[str, typer.Option(help="quick: all within 15 minutes on 2 cores. full: larger sizes.")] = "quick",
    out: Annotated[Path | None, typer.Option(help="Folder for the results [default: runs/claims-SCALE].")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes [default: one a core].")] = None,
    cluster: Annotated[str | None, typer.Option(help="A Dask scheduler's address: tcp://host:8786.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all that is drawn.")] = 0,
    only_list: Annotated[bool, typer.Option("--list", help="List the claims, and measure nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Measure what the source documents state; run it again to go on after an interruption.

    Exit code 1 if a claim fails.
    """
    from kernelgap.paper.claims import run as conduct

    if only_list:
        _list(as_json)
        return
    try:
        findings = conduct.run_claims(names or (), scale, out, workers=workers, cluster=cluster, seed=seed)
    except KeyboardInterrupt as interrupt:
        kept = f"{interrupt}. The same command goes on from there." if str(interrupt) else "nothing was done yet."
        console.message(f"kernelgap: interrupted; {kept}")
        raise typer.Exit(130) from None
    from kernelgap.reports.claims.page import write_claims_page

    if as_json:
        console.answer(json.dumps(_record(findings), allow_nan=False))
    else:
        _show(findings)
    console.message(f"Report: {write_claims_page(conduct.read_findings(findings.folder))}")
    if findings.count("fails"):
        raise typer.Exit(1)


def _record(findings: "Findings") -> dict[str, object]:
    return {
        "scale": findings.scale,
        "seed": findings.seed,
        "folder": str(findings.folder),
        "sentence": findings.sentence,
        "holds": findings.count("holds"),
        "fails": findings.count("fails"),
        "undecided": findings.count("undecided"),
        "claims": [finding.as_record() for finding in findings.found],
    }


def _show(findings: "Findings") -> None:
    rows = [[f.claim.id, f.claim.source, f.claim.stated, f.verdict.measured, f.verdict.outcome] for f in findings.found]
    console.table(["claim", "source", "stated", "measured", "verdict"], rows, left=5)
    for finding in findings.found:
        if finding.verdict.outcome != "holds":
            console.answer(f"\n{finding.claim.id} {finding.verdict.outcome}: {finding.verdict.reason}")
    console.answer(f"\n{findings.sentence}")


def _list(as_json: bool) -> None:
    from kernelgap.paper.claims.registry import claims as all_claims

    if as_json:
        keys = ("id", "source", "statement", "stated")
        console.answer(json.dumps([{key: getattr(claim, key) for key in keys} for claim in all_claims().values()]))
    else:
        rows = [[claim.id, claim.source, claim.statement] for claim in all_claims().values()]
        console.table(["claim", "source", "statement"], rows, left=3)
