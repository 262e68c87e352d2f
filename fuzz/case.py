"""An input that was drawn, and where it may leave its files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random


class WrongError(Exception):
    """The call ended as if nothing were wrong, and what it answered is false."""


@dataclass(frozen=True)
class Place:
    """``folder`` is empty and this input's own; ``materials`` holds real models, certificates and runs to copy."""

    folder: Path
    materials: Path


@dataclass(frozen=True)
class Case:
    """``text`` shows the input to a person; ``call`` tries it, and may raise an InputError and nothing else."""

    text: str
    call: Callable[[], object]


Make = Callable[[Random, Place], Case]


def drawn(target: str, seed: int, index: int) -> Random:
    """The random numbers of one input."""
    return Random(f"{target} {seed} {index}")
