"""Benchmarks are run by hand, so a name that has moved would be noticed late: each of them is imported here."""

from pathlib import Path

import pytest

PROGRAMS = sorted(path.stem for path in (Path(__file__).parents[2] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_benchmark_finds_every_name_that_it_imports(benchmark_module, name):
    assert benchmark_module(name).__doc__
