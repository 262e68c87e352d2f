"""Checked files of arrays and text: safetensors with a header in JSON and a SHA-256 over both. Loading runs no code.

The metadata have two entries: the header, under a mark that says what kind of file it is, and ``sha256``.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as save_arrays

from kernelgap.atomic_file import atomically
from kernelgap.errors import InputError
from kernelgap.fingerprint import fingerprint
from kernelgap.machine import require_memory

T = TypeVar("T")
Arrays = Mapping[str, np.ndarray]
Build = Callable[[dict[str, Any], Arrays], T]  # what a header and arrays say, if they belong together


@dataclass(frozen=True)
class Kind:
    """A kind of file: its mark, and for a person what it holds and what reads it. ``old_marks`` are read, too."""

    mark: str
    holds: str
    read_by: str
    old_marks: tuple[str, ...] = ()

    def find(self, metadata: Mapping[str, str]) -> str | None:
        """The header's text in a file of this kind."""
        return next((metadata[mark] for mark in (self.mark, *self.old_marks) if metadata.get(mark)), None)


MODEL = Kind("kernelgap.model", "a fitted model", "kernelgap.load or 'kernelgap predict'", ("kernelgap",))
TRAINING = Kind("kernelgap.training", "a training under way", "kernelgap.images.training.train_images")
KINDS = (MODEL, TRAINING)

LONGEST = 2**24  # characters of a header
DAMAGED = (
    *(SafetensorError, OSError, TypeError, ValueError, LookupError, AttributeError),
    *(OverflowError, RecursionError, MemoryError),
)


def pack(kind: Kind, header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """The file's content; the same header and arrays give the same bytes."""
    text = json.dumps(header)
    check(len(text) <= LONGEST, f"A file has at most {LONGEST:,} characters beside its arrays, not {len(text):,}.")
    given = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    return _ordered(save_arrays(given, {kind.mark: text, "sha256": digest(text, given)}))


def write(kind: Kind, header: Mapping[str, Any], arrays: Arrays, path: str | Path) -> Path:
    """Write the file, whole or not at all."""
    return write_whole(path, pack(kind, header, arrays))


def write_whole(path: str | Path, content: bytes) -> Path:
    """Write what ``pack`` gave, whole or not at all."""
    with atomically(path) as partial:
        partial.write_bytes(content)
    return Path(path)


def read(kind: Kind, path: str | Path, build: Build[T]) -> T:
    """What ``build`` makes of a file, if it is whole and of this kind; else an InputError that says why not."""
    _check_file(path)
    try:
        with safe_open(path, framework="numpy") as file:
            text, sealed = _header(kind, file.metadata() or {}, path)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
        check(sealed == digest(text, arrays), "its contents are not those that were written")
        header = json.loads(text)
        check(isinstance(header, dict), "its header is no object")
        return build(header, arrays)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"There is no file '{path}'.") from None
    except OtherFileError:
        raise
    except DAMAGED as error:
        reason = str(error).rstrip(".") or type(error).__name__
        raise InputError(f"'{path}' is not a model that kernelgap saved: {reason}.") from None


def digest(text: str, arrays: Arrays) -> str:
    """The SHA-256 of the header's text and of every array."""
    return fingerprint(text, *(part for name in sorted(arrays) for part in (f"\n{name} ", arrays[name])))


def check(holds: bool | np.bool_, otherwise: str) -> None:
    """For ``build``: refuse the file with a reason."""
    if not holds:
        raise InputError(otherwise)


class OtherFileError(InputError):
    """A good file that holds something else; the sentence is the whole answer."""


def _check_file(path: str | Path) -> None:
    """Refuse a folder, and a file that the memory does not hold."""
    try:
        size, folder = Path(path).stat().st_size, Path(path).is_dir()
    except (OSError, ValueError):  # opening it says what is wrong
        return
    if folder:
        raise InputError(f"'{path}' is a folder: give the file in it.")
    require_memory(2 * size, f"Reading '{path}'", "Read it where there is more memory.")


def _header(kind: Kind, metadata: Mapping[str, str], path: str | Path) -> tuple[str, str | None]:
    """The header's text and the digest that the file claims, if it is a file of this kind."""
    text = kind.find(metadata)
    for other in KINDS:
        if text is None and other.find(metadata) is not None:
            raise OtherFileError(f"'{path}' is {other.holds}, and not {kind.holds}: it is read by {other.read_by}.")
    check(text is not None, "it says nothing of kernelgap")
    assert text is not None
    check(len(text) <= LONGEST, f"its header has {len(text):,} characters")
    return text, metadata.get("sha256")


def _ordered(content: bytes) -> bytes:
    """The same file with its metadata in alphabetical order, which safetensors leaves to chance."""
    size = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + size])
    head["__metadata__"] = dict(sorted(head["__metadata__"].items()))
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[8 + size :]
