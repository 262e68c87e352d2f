"""How a run is made: versions and machine, without names of hosts or folders; and a digest of the code."""

import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

from kernelgap import native
from kernelgap.fingerprint import fingerprint
from kernelgap.machine import cores

PACKAGES = ("kernelgap", "jax", "jaxlib", "numpy", "scipy", "scikit-learn", "pandas")


def environment() -> dict[str, str]:
    """Versions and machine of this process."""
    return {
        **{name: version(name) for name in PACKAGES},
        "Python": platform.python_version(),
        "system": f"{platform.system()}, {platform.machine()}",
        "processor": _processor(),
        "cores": str(cores()),
        "compiled loops": native.kind_of_processor() or "none, programs of XLA instead",
    }


def code_digest(paths: Iterable[str]) -> str:
    """A digest of the code in these folders and files of the package, which the numbers of a run depend on."""
    return _digest(tuple(paths))


@cache
def _digest(paths: tuple[str, ...]) -> str:
    root = Path(__file__).parents[1]
    files = [path for name in paths for path in _sources(root / name) or [root / name]]
    return fingerprint(*(part for path in files for part in (f"{path.relative_to(root)}\0", path.read_bytes())))[:16]


def _sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".cpp"))


def _processor() -> str:
    """The processor's model, if the system says it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"
