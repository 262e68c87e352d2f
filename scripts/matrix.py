"""The quick suite on every Python, with every age of the dependencies: python scripts/matrix.py [CELL ...].

A cell is PYTHON-AGE, as 3.13-newest; either half alone (3.13, oldest) names all of its cells.

    pinned   the versions of constraints.txt
    newest   the newest that pyproject.toml and this Python allow
    oldest   the lower bound of every requirement in pyproject.toml

Each cell has its environment, its log and its compiled programs in MATRIX_DIR (.venv-matrix unless set). Exit code 1 if
a cell failed, 2 if one was asked for whose Python is not installed.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
AGES = ("pinned", "newest", "oldest")
CELLS = [f"{python}-{age}" for python in PYTHONS for age in AGES]
EXTRAS = ("dev", "cluster")
SHOWN = ("jax", "numpy", "scipy", "pandas", "scikit-learn")


def lower_bounds(requirements: list[str]) -> list[str]:
    """``name==lower`` for each ``name>=lower,<upper``."""
    bounds = []
    for requirement in requirements:
        match = re.fullmatch(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+),<[\d.]+", requirement)
        if match is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} is not of the form name>=lower,<upper.")
        bounds.append(f"{match[1]}=={match[2]}")
    return bounds


def interpreter(version: str) -> str | None:
    """Path of a Python of this version: on the PATH, or among pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for candidate in [f"python{version}", *pyenv.glob(f"versions/{version}.*/bin/python")]:
        command = [candidate, "-c", "import sys; print(sys.executable)"]
        try:
            answer = subprocess.run(command, capture_output=True, text=True)
        except OSError:
            continue
        if answer.returncode == 0:  # a shim of pyenv on the PATH may lead nowhere
            return answer.stdout.strip()
    return None


def install(age: str, python: str, folder: Path) -> dict[str, str]:
    """Make the environment, or bring it up to date with this checkout. Returns the installed versions by name."""
    if not (folder / "bin" / "python").exists():
        subprocess.run([python, "-m", "venv", folder], check=True)
    if age == "newest":
        versions: list[str | Path] = ["--upgrade", "--upgrade-strategy", "eager"]
    elif age == "oldest":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        extras = [requirement for extra in EXTRAS for requirement in project["optional-dependencies"][extra]]
        (folder / "oldest.txt").write_text("\n".join(lower_bounds([*project["dependencies"], *extras])))
        versions = ["--constraint", folder / "oldest.txt"]
    else:
        versions = ["--constraint", ROOT / "constraints.txt"]
    pip: list[str | Path] = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    package = f"{ROOT}[{','.join(EXTRAS)}]"
    subprocess.run([*pip, "install", "--quiet", "--prefer-binary", *versions, "--editable", package], check=True)
    installed = subprocess.run([*pip, "list", "--format=freeze"], check=True, capture_output=True, text=True).stdout
    return dict(line.split("==") for line in installed.splitlines())


def run_suite(folder: Path, log: Path, options: list[str]) -> str:
    """Run pytest. Returns its last line, after FAILED: if it failed; what failed is printed."""
    command = [folder / "bin" / "python", "-m", "pytest", "-o", f"cache_dir={folder / 'pytest'}", *options]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with log.open("w") as out:
        code = subprocess.run(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT).returncode
    lines = log.read_text().splitlines() or ["no output"]
    for line in lines:
        if line.startswith(("FAILED ", "ERROR ")):
            print(f"  {line}")
    return lines[-1].strip("= ") if code == 0 else f"FAILED: {lines[-1].strip('= ')}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", help="3.13-newest, 3.13 or newest; every cell unless named")
    parser.add_argument("--install-only", action="store_true", help="set the environments up, and no more")
    parser.add_argument("--pytest", default="", metavar="OPTIONS", help="options and tests for pytest, as one text")
    asked = parser.parse_args()
    for name in asked.cells:
        if name not in {*CELLS, *PYTHONS, *AGES}:
            parser.error(f"there is no cell {name!r}: there are {', '.join(CELLS)}")
    base = Path(os.environ.get("MATRIX_DIR") or ROOT / ".venv-matrix").resolve()
    base.mkdir(parents=True, exist_ok=True)

    rows = [["cell", *SHOWN, "result"]]
    missing = 0
    for cell in CELLS:
        version, age = cell.split("-")
        if asked.cells and not {cell, version, age} & set(asked.cells):
            continue
        start, versions = time.monotonic(), dict.fromkeys(SHOWN, "-")
        python = interpreter(version)
        if python is None:
            missing, result = missing + 1, f"Python {version} is not installed"
        else:
            try:
                versions = install(age, python, base / cell)
                options = shlex.split(asked.pytest)
                result = "installed" if asked.install_only else run_suite(base / cell, base / f"{cell}.log", options)
            except subprocess.CalledProcessError:
                result = "FAILED: could not be installed"
        rows.append([cell, *(versions[name] for name in SHOWN), result])
        print(f"{cell}: {result} ({time.monotonic() - start:.0f} s; {base / cell}.log)", flush=True)

    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print()
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
    if any(row[-1].startswith("FAILED") for row in rows):
        return 1
    return 2 if missing and (asked.cells or missing == len(CELLS)) else 0


if __name__ == "__main__":
    sys.exit(main())
