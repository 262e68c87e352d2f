"""``make matrix``: what the cells install, and what becomes of a cell that fails."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.scripts import SCRIPTS, load_script

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def matrix():
    return load_script("matrix")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def release(version: str) -> list[int]:
    return [int(part) for part in re.match(r"\d+(\.\d+)*", version)[0].split(".")]


def test_the_oldest_versions_are_the_lower_bounds(matrix):
    requirements = ["numpy>=2.1,<3", "vl-convert-python>=1.7,<2"]
    assert matrix.lower_bounds(requirements) == ["numpy==2.1", "vl-convert-python==1.7"]


@pytest.mark.parametrize("requirement", ["numpy", "numpy>=2.1", "numpy<3", "numpy>2.1,<3"])
def test_a_requirement_without_both_bounds_is_refused(matrix, requirement):
    with pytest.raises(SystemExit, match="not of the form name>=lower,<upper"):
        matrix.lower_bounds([requirement])


def test_every_requirement_is_pinned_within_its_bounds(matrix, project):
    lines = (ROOT / "constraints.txt").read_text().lower().replace("_", "-").split()
    pinned = dict(line.split("==") for line in lines)
    requirements = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    oldest = dict(line.split("==") for line in matrix.lower_bounds(requirements))
    for requirement in requirements:
        name, upper = re.match(r"[\w.-]+", requirement)[0], requirement.partition("<")[2]
        assert release(oldest[name]) <= release(pinned[name]) < release(upper), requirement


def test_the_classifiers_name_the_pythons_of_the_matrix(matrix, project):
    named = [one.rpartition(" ")[2] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert tuple(named) == matrix.PYTHONS
    assert project["requires-python"] == f">={matrix.PYTHONS[0]}"


@pytest.mark.parametrize(("body", "passed"), [("assert 1 + 1 == 2", True), ("assert 1 + 1 == 3", False)])
def test_a_cell_passes_when_its_suite_does(matrix, tmp_path, capsys, body, passed):
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (tmp_path / "test_sum.py").write_text(f"def test_sum():\n    {body}\n")
    result = matrix.run_suite(tmp_path, tmp_path / "log", ["-n", "0", str(tmp_path / "test_sum.py")])
    assert result.startswith("1 passed" if passed else "FAILED: 1 failed")
    assert ("FAILED" in capsys.readouterr().out) is not passed


def test_an_unknown_cell_is_refused():
    done = subprocess.run([sys.executable, SCRIPTS / "matrix.py", "3.13-newer"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no cell '3.13-newer'" in done.stderr


def test_make_passes_on_what_was_chosen():
    command = ["make", "--dry-run", "matrix", "PYTHON=python3", "CELLS=3.13-newest", "PYTEST=-n 1 tests/kernels"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of make test
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == 'python3 scripts/matrix.py 3.13-newest --pytest="-n 1 tests/kernels"'
