"""Loops in C++, compiled for this machine's processor where it has a compiler, and kept in the cache.

Whatever is compiled here has a path through JAX or NumPy beside it, which is taken where there is no compiler, where
KERNELGAP_NATIVE is "off", or where there is no folder to keep the program in. KERNELGAP_NATIVE may also name a kind of
processor to compile for, as the compiler's -march does: "x86-64-v3" leaves out AVX-512.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
import threading
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from kernelgap.cache_folder import cache_folder, processor
from kernelgap.fingerprint import fingerprint

VARIABLE = "KERNELGAP_NATIVE"
FLAGS = ("-std=c++17", "-O3", "-shared", "-fPIC")
PATIENCE = 300  # seconds for one file
_compiling = threading.Lock()


def kind_of_processor() -> str | None:
    """What loops are compiled for, as the compiler's -march says it; None where nothing is compiled."""
    march = os.environ.get(VARIABLE, "").strip() or "native"
    return None if march.lower() == "off" or cache_folder() is None or _compiler() is None else march


def load(source: Path, includes: Sequence[Path] = ()) -> ctypes.CDLL | None:
    """The functions of a source file, compiled if need be; None where that cannot be.

    Parameters
    ----------
    source
        A file of C++ with functions that are ``extern "C"``.
    includes
        Folders of headers.

    Returns
    -------
    ctypes.CDLL or None
        A compiler that fails is warned of; where there is none, nothing is said.
    """
    with _compiling:
        return _load(source, tuple(includes), kind_of_processor(), cache_folder(), _compiler())


@cache
def _load(
    source: Path, includes: tuple[Path, ...], march: str | None, cached: Path | None, compiler: str | None
) -> ctypes.CDLL | None:
    if march is None or cached is None or compiler is None:
        return None
    folder = cached / f"native-{processor()}"
    flags = [*FLAGS, f"-march={march}", *(f"-I{include}" for include in includes)]
    called = fingerprint(source.read_bytes(), *(f"{flag}\0" for flag in flags), _version(compiler))[:16]
    library = folder / f"{source.stem}-{called}.so"
    try:
        if not library.exists():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _compile(compiler, flags, source, library)
        if library.stat().st_uid != os.getuid():  # somebody else's code
            return None
        return ctypes.CDLL(str(library))
    except (OSError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", "") or str(error)
        last = output.strip().splitlines()[-1] if output.strip() else type(error).__name__
        warnings.warn(
            f"{source.name} could not be compiled ({last[:200]}): going on without it, more slowly. "
            f"{VARIABLE}=off leaves it out.",
            RuntimeWarning,
            stacklevel=3,
        )
        return None


def _compile(compiler: str, flags: Sequence[str], source: Path, library: Path) -> None:
    """Compile into a file of its own first: workers may compile at the same time."""
    with tempfile.TemporaryDirectory(dir=library.parent) as place:
        made = Path(place) / library.name
        command = [compiler, *flags, str(source), "-o", str(made)]
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        made.replace(library)


def _compiler() -> str | None:
    return next(filter(None, map(shutil.which, (os.environ.get("CXX") or "c++", "g++", "clang++"))), None)


@cache
def _version(compiler: str) -> str:
    try:
        answer = subprocess.run([compiler, "--version"], capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout
