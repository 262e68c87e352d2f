"""A training on images as a file, to go on where it was: weights, momenta, and how far it has come."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kernelgap import tensor_file
from kernelgap.errors import InputError
from kernelgap.images.training.step import ImageState
from kernelgap.tensor_file import TRAINING, Arrays, check

Curves = dict[str, list[float]]


@dataclass
class Progress:
    """Steps that are done, the losses of the present epoch so far, and what was measured at the end of some epochs.

    ``seconds`` is how long that took, in all processes.
    """

    step: int = 0
    losses: list[float] = field(default_factory=list)
    curves: Curves = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)


def write_checkpoint(path: Path, description: dict[str, Any], state: ImageState, progress: Progress) -> None:
    """Whole or not at all: the checkpoint before it stays until this one is there."""
    header = {
        "description": description,
        "step": progress.step,
        "losses": progress.losses,
        "curves": progress.curves,
        "seconds": progress.seconds,
    }
    parts = {
        f"{part}.{name}": np.asarray(w) for part, weights in state._asdict().items() for name, w in weights.items()
    }
    tensor_file.write(TRAINING, header, parts, path)


def read_checkpoint(path: Path, description: dict[str, Any], start: ImageState) -> tuple[ImageState, Progress]:
    """Where the training stood, if the file is of the same one, which began at ``start``."""

    def build(header: dict[str, Any], arrays: Arrays) -> tuple[ImageState, Progress]:
        held = header["description"]
        other = sorted(key for key in {*held, *description} if held.get(key) != description.get(key))
        check(not other, f"it holds another training (it differs in {', '.join(other)})")
        state = ImageState(
            *({name: arrays[f"{part}.{name}"] for name in weights} for part, weights in start._asdict().items())
        )
        steps, seconds = int(header["step"]), float(header["seconds"])
        return state, Progress(steps, list(header["losses"]), dict(header["curves"]), seconds)

    try:
        return tensor_file.read(TRAINING, path, build)
    except InputError as error:
        raise InputError(f"{str(error).rstrip('.')}. Move it away to begin anew.") from None
