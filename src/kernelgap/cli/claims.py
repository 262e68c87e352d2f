"""The command that runs the paper."""

import json
from pathlib import Path
from typing import Annotated

import typer

from kernelgap import console
from kernelgap.cli import completion
from kernelgap.cli.answer import Json, answer_with


def claims(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...",
            help="Claims by id, such as thm2.kernels [default: all].",
            autocompletion=completion.claims,
        ),
    ] = None,
    scale: Annotated[str, typer.Option(help="quick: all within 15 minutes on 2 cores. full: larger sizes.")] = "quick",
    out: Annotated[Path | None, typer.Option(help="Folder for the results [default: runs/claims-SCALE].")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes [default: one a core].")] = None,
    cluster: Annotated[str | None, typer.Option(help="A Dask scheduler's address: tcp://host:8786.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all that is drawn.")] = 0,
    only_list: Annotated[bool, typer.Option("--list", help="List the claims, and measure nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Measure and judge every statement of the paper; the same command goes on after an interruption.

    Exit code 1 if a claim fails.
    """
    if only_list:
        _list(as_json)
        return
    from kernelgap.paper.claims.result import ClaimsRun
    from kernelgap.runs.start import run

    chosen = names or ()
    measured = run("claims", scale, out, workers=workers, cluster=cluster, seed=seed, page=False, claims=chosen)
    assert isinstance(measured, ClaimsRun)
    asked = measured.only(names) if names else measured
    answer_with(asked, as_json, page=measured)
    if asked.count("fails"):
        raise typer.Exit(1)


def _list(as_json: bool) -> None:
    from kernelgap.paper.claims.registry import claims as all_claims

    if as_json:
        keys = ("id", "source", "statement", "stated", "identity")
        console.answer(json.dumps([{key: getattr(claim, key) for key in keys} for claim in all_claims().values()]))
    else:
        rows = [
            [claim.id, claim.source, "identity" if claim.identity else "", claim.statement]
            for claim in all_claims().values()
        ]
        console.table(["claim", "source", "kind", "statement"], rows, left=4)
