"""The commands: parse, call one library function, show."""

import json
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from kernelgap import console
from kernelgap.cli import failing
from kernelgap.cli.audit import audit
from kernelgap.cli.certify import certify, verify
from kernelgap.cli.claims import claims
from kernelgap.cli.options import Json
from kernelgap.cli.predict import predict
from kernelgap.cli.report import report
from kernelgap.cli.show_images import show_images
from kernelgap.cli.status import status, tell_failures
from kernelgap.errors import InputError


class Commands(TyperGroup):
    """What typer would take for a wish to abort is told apart: Ctrl-C, and a file that ends too early."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            console.message("kernelgap: interrupted.")
            raise SystemExit(130) from None
        except EOFError as error:
            raise InputError(f"A file ends before its content does ({error}): it may be damaged.") from error


app = typer.Typer(
    name="kernelgap",
    cls=Commands,
    help="When does a neural network beat every kernel method, by how much, and can it be proved?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


app.add_typer(certify)
app.command()(audit)
app.command()(verify)
app.command()(claims)
app.command()(predict)
app.command()(report)
app.command()(status)


def run_app() -> int:
    """Run the command that was typed; an error becomes one sentence and an exit code (``failing``)."""
    if isinstance(sys.stdout, TextIOWrapper):  # a file's name may hold what is no Unicode
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
            code = 0
        except SystemExit as done:  # how typer ends
            code = done.code if isinstance(done.code, int) else 0
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        failing.quiet_end()
        return 1
    except Exception as error:
        return failing.end_with(error)
    return code


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        console.answer(f"kernelgap {version('kernelgap')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the experiments, problems, networks and kernels."""
    from kernelgap.cli import catalogue

    found = catalogue.catalogue()
    if as_json:
        console.answer(json.dumps(found))
    else:
        from kernelgap.cli import show

        show.catalogue(found)


@app.command()
def run(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="An experiment (see 'kernelgap list') or a YAML or TOML file.")
    ],
    scale: Annotated[
        str,
        typer.Option(help="quick: minutes on 2 cores. paper: the whole grid. images has long, too: an hour."),
    ] = "quick",
    out: Annotated[Path | None, typer.Option(help="Folder for the results [default: runs/NAME-SCALE].")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes [default: one a core].")] = None,
    cluster: Annotated[str | None, typer.Option(help="A Dask scheduler's address: tcp://host:8786.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of data, weights and data order.")] = 0,
    data: Annotated[
        Path | None, typer.Option(help="For images: their file or folder [default: runs/images/SET.npz].")
    ] = None,
    flips: Annotated[
        bool, typer.Option("--flips/--no-flips", help="For images: mirror them for networks, or not.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Run an experiment; run it again to go on after an interruption."""
    try:
        from kernelgap import reports
        from kernelgap.images import experiment as images
        from kernelgap.paper import figures as experiments

        table = experiments.run(name, scale, out, workers=workers, cluster=cluster, seed=seed, data=data, flips=flips)
    except KeyboardInterrupt as interrupt:
        kept = f"{interrupt}. The same command goes on from there." if str(interrupt) else "nothing was done yet."
        console.message(f"kernelgap: interrupted; {kept}")
        raise typer.Exit(130) from None
    if table.attrs["experiment"] == images.NAME:
        show_images(table.attrs["folder"], as_json)
    elif as_json:
        console.answer(json.dumps(reports.as_record(table), allow_nan=False))
    else:
        from kernelgap.cli import show

        show.results(table)
    console.message(f"Report: {reports.publish(table)}")
    failures = [(failure["label"], failure["error"]) for failure in table.attrs["failures"]]
    tell_failures(failures, table.attrs["folder"])
