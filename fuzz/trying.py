"""One input in this process: drawn, tried in an empty folder, judged."""

import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import NoReturn

from fuzz.case import Case, Place, drawn
from fuzz.pool import FREE, Input


def prepare() -> None:
    """What holds for all inputs: one thread, little memory, no worker processes, nothing kept at home."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", KERNELGAP_CACHE_DIR="off", JAX_PLATFORMS="cpu")
    os.environ["BROWSER"] = "true"  # a command that shows nothing: play opens no window
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false --xla_backend_optimization_level=0")
    sys.setrecursionlimit(1000)
    warnings.simplefilter("ignore")
    from kernelgap import machine

    machine.available_memory = lambda: FREE  # before it is imported by name anywhere
    from fuzz.command import NOT_TRIED
    from kernelgap.errors import InputError
    from kernelgap.runs.workers.local import LocalWorkers

    def refuse(self: LocalWorkers, chunk: object) -> NoReturn:
        raise InputError(NOT_TRIED)

    LocalWorkers.submit = refuse  # type: ignore[method-assign]
    import vl_convert

    for name in ("svg_to_png", "svg_to_pdf"):  # what can go wrong has gone wrong in the SVG, and these are slow
        setattr(vl_convert, name, lambda svg, **options: b"")


def make_one(given: Input, materials: Path, scratch: Path) -> Case:
    """As ``seed`` and ``index`` say; the folder is emptied before."""
    from fuzz.targets import TARGETS

    empty(scratch)
    os.chdir(scratch)
    tempfile.tempdir = str(scratch)
    return TARGETS[given.target].make(drawn(given.target, given.seed, given.index), Place(scratch, materials))


def empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            for inner in (entry, *entry.rglob("*")):
                if inner.is_dir() and not inner.is_symlink():
                    inner.chmod(0o700)
            shutil.rmtree(entry)
        else:
            entry.unlink()
