"""The standalone checker as a module of its own name, loaded from its file as its users have it."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import kernelgap

FOLDER = Path(kernelgap.__file__).parent / "certificates" / "standalone"
PROGRAM = FOLDER / "check_certificate.py"
EVERY_POINT = FOLDER / "check_every_point.py"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"standalone_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


checker = load(PROGRAM)


def verdict(content: bytes, seed: str = "tests", every: bool = False) -> tuple[int, list[str]]:
    """The exit code, and what does not hold, or why the file is refused."""
    try:
        checks = checker.check(content, seed, every)
    except checker.Refused as refusal:
        return 2, [str(refusal)]
    failed = [check.what for check in checks if not check.holds]
    return (1 if failed else 0), failed


def run(*arguments: object, program: Path = PROGRAM) -> subprocess.CompletedProcess[str]:
    """As a command, isolated from everything that is installed."""
    command = [sys.executable, "-I", "-S", str(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
