"""The command that runs an experiment."""

from pathlib import Path
from typing import Annotated, Any

import typer

from kernelgap.cli import completion
from kernelgap.cli.answer import Json, answer_with


def run(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="An experiment (see 'kernelgap list') or a YAML or TOML file.",
            autocompletion=completion.experiments,
        ),
    ],
    scale: Annotated[
        str, typer.Option(help="quick: minutes on 2 cores. paper: the whole grid. images has kernels and long, too.")
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
    """Run an experiment; the same command goes on after an interruption."""
    from kernelgap.runs.start import run as start

    options: dict[str, Any] = {} if data is None else {"data": data}
    options |= {} if flips else {"flips": False}
    answer_with(start(name, scale, out, workers=workers, cluster=cluster, seed=seed, page=False, **options), as_json)
