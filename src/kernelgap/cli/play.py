"""The command that opens the playground."""

import json
from pathlib import Path
from typing import Annotated

import typer

from kernelgap import console
from kernelgap.cli.answer import Json


def play(
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the page here and open nothing [default: open it].")
    ] = None,
    as_json: Json = False,
) -> None:
    """Open the playground: a ResNet, a two-layer network and a kernel learn the same target in your browser."""
    from kernelgap.play import open_playground, write_playground

    path, opened = (write_playground(out), False) if out is not None else open_playground()
    if as_json:
        console.answer(json.dumps({"page": str(path), "opened": opened}, allow_nan=False))
        return
    console.answer(f"The playground is in {path}.")
    if out is None and not opened:
        console.message("There is no browser here: open the file in one.")
