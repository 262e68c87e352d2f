"""Things that users register from their own code: by name everywhere, and in worker processes."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import kernelgap as kg
from kernelgap import registry
from kernelgap.errors import InputError
from kernelgap.paper import figures
from kernelgap.registry import Registry

ROOT = Path(__file__).parents[1]
OWN = {"KERNELGAP_EXTENSIONS": "my_extension", "PYTHONPATH": os.pathsep.join([str(ROOT / "examples"), *sys.path])}


def kernelgap(*arguments, **environment):
    command = [sys.executable, "-m", "kernelgap", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=600)


@pytest.fixture
def unchanged(monkeypatch):
    monkeypatch.setenv(registry.VARIABLE, "")


def test_a_name_stands_for_one_thing(unchanged):
    names = Registry("thing", {"one": 1})
    names.register("two", 2)
    assert names.find("two") == 2
    names.register("two", 3)  # from the same module: it was imported again
    assert names.find("two") == 3
    with pytest.raises(InputError, match="There is a thing 'one' already"):
        names.register("one", 2)
    with pytest.raises(InputError, match=r"Unknown thing 'twoo'. Did you mean 'two'"):
        names.find("twoo")
    for name in ("", "a b", "f(x)", None):
        with pytest.raises(InputError, match="cannot be called"):
            names.register(name, 4)


def test_an_experiment_is_not_called_as_a_kind_of_run_is(unchanged):
    fig2a = figures.get("fig2a")
    with pytest.raises(InputError, match="'audit' is a kind of run: choose another name"):
        figures.register(replace(fig2a, name="audit"))


def test_worker_processes_are_told_of_the_module(unchanged):
    Registry("thing", {}).register("one", 1)
    assert os.environ[registry.VARIABLE] == __name__


def test_an_extension_that_cannot_be_imported_is_named(monkeypatch):
    monkeypatch.setenv(registry.VARIABLE, "no_such_module")
    with pytest.raises(InputError, match=r"'no_such_module' cannot be imported \(ModuleNotFoundError"):
        kg.problems.get("no_such_problem")


@pytest.mark.slow
def test_an_experiment_of_ones_own_runs_in_workers_and_from_a_file(tmp_path):
    done = kernelgap("run", "mine", "--workers", 1, "--out", tmp_path / "mine", "--json", **OWN)
    assert done.returncode == 0, done.stderr
    assert {row["method"] for row in json.loads(done.stdout)["rows"]} == {"2layer-tanh(all)", "hemispheres", "ntk2"}
    (tmp_path / "other.yaml").write_text(
        """
problem: three_signs(d=6)
samples: 40
scales:
  quick:
    seeds: 1
    expected_time: seconds
    validation_samples: 50
    test_samples: 50
    schedule: {epochs: 5, batch: 10}
    grids: [{kernels: [hemispheres], ridges: [0.1]}]
"""
    )
    done = kernelgap("run", tmp_path / "other.yaml", "--workers", 1, "--out", tmp_path / "other", **OWN)
    assert done.returncode == 0, done.stderr
    listed = kernelgap("list", **OWN).stdout
    assert all(name in listed for name in ("mine", "three_signs", "2layer-tanh", "hemispheres"))


def test_a_claim_of_ones_own_is_measured_in_a_worker(tmp_path):
    done = kernelgap("claims", "mine.mean", "--workers", 1, "--out", tmp_path, **OWN)
    assert done.returncode == 0, done.stderr
    assert "Of 1 claims 1 hold" in done.stdout
    assert "Your own" in (tmp_path / "report.html").read_text()


@pytest.mark.slow
def test_the_example_as_a_script(tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "my_extension.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "hemispheres     test error" in done.stdout


CONTENDERS = """
import numpy as np
from kernelgap.audit.contenders.registry import FAMILIES, contender
from kernelgap.audit.contenders.view import View
from kernelgap.audit.cost import judging_seconds
from kernelgap.audit.contenders.view import SearchBudget
from kernelgap.registry import load_extensions

load_extensions()
rng = np.random.default_rng(0)
X, Y = rng.normal(size=(60, 2)), rng.normal(size=(60, 1))
search_budget = SearchBudget(fits=4, epochs=10, landmarks=None, most_rows=100)
judged = contender("neighbours").judge(View(X[:40], Y[:40], X[40:], Y[40:], 0, search_budget), lambda share: None)
print(FAMILIES["neighbours"], judged.fits, judging_seconds("neighbours", 1000, 2, 1, search_budget) > 0)
"""


def test_a_contender_of_ones_own_is_judged():
    command = [sys.executable, "-c", CONTENDERS]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **OWN})
    assert done.stdout == "baseline 4 True\n", done.stderr


@pytest.mark.slow
def test_a_contender_of_ones_own_is_in_an_audit(tmp_path):
    # few rows and much time: about a minute of work, and a busy machine leaves nothing out
    time = ("--budget", "1h", "--rows", 60)
    done = kernelgap("audit", "sklearn:diabetes", *time, "--out", tmp_path, "--json", **OWN)
    assert done.returncode == 0, done.stderr
    assert "neighbours" in {row["contender"] for row in json.loads(done.stdout)["contenders"]}
