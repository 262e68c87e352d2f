"""How a run was made: versions and machine, without names of hosts or folders."""

import json
import platform
from importlib.metadata import version
from pathlib import Path

from kernelgap.machine import cores
from kernelgap.whole_file import read_small

FILE = "environment.json"
PACKAGES = ("kernelgap", "jax", "jaxlib", "numpy", "scipy", "scikit-learn", "pandas")


def environment() -> dict[str, str]:
    """Versions and machine of this process."""
    return {
        **{name: version(name) for name in PACKAGES},
        "Python": platform.python_version(),
        "system": f"{platform.system()}, {platform.machine()}",
        "processor": _processor(),
        "cores": str(cores()),
    }


def keep_environment(folder: Path) -> None:
    """Note it in the run's folder, where it stays true when the report is written again elsewhere."""
    (folder / FILE).write_text(json.dumps(environment(), indent=2) + "\n")


def kept_environment(folder: Path) -> dict[str, str] | None:
    """What was noted at the end of the run, if anything was."""
    try:
        found = json.loads(read_small(folder / FILE))
    except (OSError, ValueError, RecursionError):
        return None
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else None


def _processor() -> str:
    """The processor's model, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"
