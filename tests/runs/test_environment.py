"""What a run records of how it was made."""

import platform
from pathlib import Path

import pytest

import kernelgap
from kernelgap import native
from kernelgap.runs.environment import code_digest, environment
from kernelgap.runs.kind import HOMES, kind_named
from support.imports import files_behind, modules_in


@pytest.mark.parametrize("name", HOMES)
def test_every_kind_names_code_that_exists(name):
    root = Path(kernelgap.__file__).parent
    code = kind_named(name).code
    assert "seeds.py" in code
    assert len(set(code)) == len(code)
    assert all((root / path).exists() for path in code)


# What carries no number: texts, files as such, progress, and what plans, stores and shows a run.
WITHOUT_NUMBERS = (
    *("__init__.py", "atomic_file.py", "cache_folder.py", "console.py", "display.py", "durations.py", "errors.py"),
    *("fingerprint.py", "lazy.py", "lock.py", "number_text.py", "progress.py", "registry.py"),
    *("runs/", "problems/problem.py", "audit/__init__.py", "audit/statistics/results.py"),
)


def _not_counted(name, code):
    """The files that a worker's numbers may depend on, and that are in no folder of ``code``."""
    found = modules_in("paper/claims") if name == "claims" else []  # the registry imports the claims by name
    files = files_behind(kind_named(name).work.__module__, *found)
    return {file for file in files if not any(file == part or file.startswith(f"{part}/") for part in code)}


@pytest.mark.parametrize("name", HOMES)
def test_the_code_of_a_kind_is_all_that_its_numbers_depend_on(name):
    counted = kind_named(name).code
    missing = {file for file in _not_counted(name, counted) if not file.startswith(WITHOUT_NUMBERS)}
    assert not missing


def test_code_that_is_left_out_is_noticed():
    counted = [part for part in kind_named("figure").code if part not in ("native.py", "training")]
    assert {"native.py", "training/grid.py"} <= _not_counted("figure", counted)


def test_a_digest_counts_folders_and_files():
    digests = {code_digest(paths) for paths in [("training",), ("seeds.py",), ("training", "seeds.py"), ("networks",)]}
    assert len(digests) == 4
    assert code_digest(["training"]) == code_digest(("training",))


def test_the_environment_names_no_host():
    told = environment()
    assert told["kernelgap"] == kernelgap.__version__
    assert told["cores"].isdigit()
    assert platform.node() not in told.values()


def test_the_environment_tells_what_loops_are_compiled_for(monkeypatch):
    monkeypatch.setenv("KERNELGAP_NATIVE", "off")
    assert environment()["compiled loops"].startswith("none")
    monkeypatch.setenv("KERNELGAP_NATIVE", "x86-64-v3")
    monkeypatch.setattr(native, "_compiler", lambda: "c++")
    assert environment()["compiled loops"] == "x86-64-v3"
