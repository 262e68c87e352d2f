"""Checked files of arrays and text: safetensors with a header in JSON and a SHA-256 over both. Loading runs no code.

The metadata have two entries: the header, under a mark that says what kind of file it is, and ``sha256``.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from kernelgap.errors import InputError
from kernelgap.whole_file import whole

T = TypeVar("T")
Arrays = Mapping[str, np.ndarray]
Build = Callable[[dict[str, Any], Arrays], T]  # what a header and arrays say, if they belong together


@dataclass(frozen=True)
class Kind:
    """A kind of file: its mark, and for a person what it holds and what reads it."""

    mark: str
    holds: str
    read_by: str


ESTIMATOR = Kind("kernelgap", "a fitted kernel estimator", "kernelgap.load")
MODEL = Kind("kernelgap.model", "a model of an audit", "'kernelgap predict' or kernelgap.audit.models.load_model")
TRAINING = Kind("kernelgap.training", "a training under way", "kernelgap.images.training.train_images")
KINDS = (ESTIMATOR, MODEL, TRAINING)

DAMAGED = (
    SafetensorError, OSError, TypeError, ValueError, LookupError, AttributeError, RecursionError, MemoryError
)  # fmt: skip


def pack(kind: Kind, header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """The file's content; the same header and arrays give the same bytes."""
    text = json.dumps(header)
    given = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    return _ordered(save_arrays(given, {kind.mark: text, "sha256": digest(text, given)}))


def write(kind: Kind, header: Mapping[str, Any], arrays: Arrays, path: str | Path) -> Path:
    """Write the file, whole or not at all."""
    content = pack(kind, header, arrays)
    with whole(path) as partial:
        partial.write_bytes(content)
    return Path(path)


def read(kind: Kind, path: str | Path, build: Build[T]) -> T:
    """What ``build`` makes of a file, if it is whole and of this kind; else an InputError that says why not."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            _check_kind(kind, metadata, f"'{path}'")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
        return _built(kind, metadata, arrays, build)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"There is no file '{path}'.") from None
    except IsADirectoryError:
        raise InputError(f"'{path}' is a folder: give the file in it.") from None
    except DAMAGED as error:
        raise _refusal(f"'{path}'", error) from None


def unpack(kind: Kind, content: bytes, build: Build[T]) -> T:
    """The same from the content of a file."""
    try:
        arrays = load_arrays(content)
        metadata = json.loads(content[8 : 8 + _header_size(content)]).get("__metadata__", {})
        _check_kind(kind, metadata, "This")
        return _built(kind, metadata, arrays, build)
    except DAMAGED as error:
        raise _refusal("This", error) from None


def digest(text: str, arrays: Arrays) -> str:
    """The SHA-256 of the header's text and of every array."""
    found = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        found.update(f"\n{name} {arrays[name].dtype.str} {arrays[name].shape}\n".encode())
        found.update(np.ascontiguousarray(arrays[name]).data)
    return found.hexdigest()


def check(holds: bool | np.bool_, otherwise: str) -> None:
    """For ``build``: refuse the file with a reason."""
    if not holds:
        raise InputError(otherwise)


class _OtherKindError(InputError):
    """A good file, of another kind."""


def _check_kind(kind: Kind, metadata: Mapping[str, str], name: str) -> None:
    for other in KINDS:
        if other is not kind and other.mark in metadata and kind.mark not in metadata:
            raise _OtherKindError(f"{name} is {other.holds}, and not {kind.holds}: it is read by {other.read_by}.")
    check(bool(metadata.get(kind.mark)), "it says nothing of kernelgap")


def _built(kind: Kind, metadata: Mapping[str, str], arrays: Arrays, build: Build[T]) -> T:
    text = metadata[kind.mark]
    check(metadata.get("sha256") == digest(text, arrays), "its contents are not those that were written")
    header = json.loads(text)
    check(isinstance(header, dict), "its header is no object")
    return build(header, arrays)


def _refusal(name: str, error: Exception) -> InputError:
    if isinstance(error, _OtherKindError):
        return error
    reason = str(error).rstrip(".") or type(error).__name__
    return InputError(f"{name} is not a model that kernelgap saved: {reason}.")


def _header_size(content: bytes) -> int:
    return int.from_bytes(content[:8], "little")


def _ordered(content: bytes) -> bytes:
    """The same file with its metadata in alphabetical order, which safetensors leaves to chance."""
    size = _header_size(content)
    head = json.loads(content[8 : 8 + size])
    head["__metadata__"] = dict(sorted(head["__metadata__"].items()))
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[8 + size :]
