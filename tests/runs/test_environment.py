"""What a run records of how it was made."""

import platform
from pathlib import Path

import pytest

import kernelgap
from kernelgap import native
from kernelgap.runs.environment import code_digest, environment
from kernelgap.runs.kind import HOMES, kind_named


@pytest.mark.parametrize("name", HOMES)
def test_every_kind_names_code_that_exists(name):
    root = Path(kernelgap.__file__).parent
    code = kind_named(name).code
    assert "seeds.py" in code
    assert len(set(code)) == len(code)
    assert all((root / room).exists() for room in code)


def test_a_digest_counts_folders_and_files():
    digests = {code_digest(rooms) for rooms in [("training",), ("seeds.py",), ("training", "seeds.py"), ("networks",)]}
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
