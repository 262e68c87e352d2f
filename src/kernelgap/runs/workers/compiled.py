"""Compiled programs, kept on disk for the next worker: a run that is resumed or repeated does not compile again."""

import os
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax

from kernelgap.cache_folder import cache_folder, processor

MOST = 2**30  # bytes; beyond it, the programs that were written first are dropped
WRITING = 10.0  # seconds within which a program that is being written is whole


def keep_programs() -> Path | None:
    """Let JAX keep its compiled programs in ``programs_folder()``, for this process, and say where.

    None where the person has chosen another place by JAX's own settings, wants none, or it cannot be written.
    """
    if os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        return None
    folder = programs_folder()
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    tidy(folder)
    config: Any = jax.config
    config.update("jax_compilation_cache_dir", str(folder))
    config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    return folder


def programs_folder() -> Path | None:
    """A folder of the cache for this processor and version of JAX: programs are made of its instructions."""
    root = cache_folder()
    return None if root is None else root / f"jax-{version('jaxlib')}-{processor()}"


def tidy(folder: Path) -> None:
    """Drop what a killed process left half written, and the oldest programs beyond ``MOST``.

    JAX's own limit, ``jax_compilation_cache_max_size``, needs filelock, locks every read and keeps half-written ones.
    """
    checked = folder / ".checked"
    last, now = _changed(checked), time.time()
    entries = sorted(_entries(folder))
    for changed, _, path in entries:
        if last - WRITING < changed < now - WRITING and not _whole(path):
            path.unlink(missing_ok=True)
    total = sum(size for _, size, _ in entries)
    with suppress(OSError):
        for _, size, path in entries:
            if total <= MOST:
                break
            path.unlink(missing_ok=True)
            total -= size
        checked.touch()


def _entries(folder: Path) -> Iterator[tuple[float, int, Path]]:
    for path in folder.glob("*-cache"):
        with suppress(OSError):  # dropped by another worker
            stat = path.stat()
            yield stat.st_mtime, stat.st_size, path


def _whole(path: Path) -> bool:
    """Whether an entry can be unpacked. One in another format than zlib's is left to JAX."""
    try:
        data = path.read_bytes()
        if data[:1] == b"\x78" or not data:
            zlib.decompress(data)
    except zlib.error:
        return False
    except OSError:  # gone, or not ours to read: JAX compiles anew
        pass
    return True


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
