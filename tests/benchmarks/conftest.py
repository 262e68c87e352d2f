"""Benchmarks import each other by name, as when they are run."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture(scope="session")
def benchmark_module():
    """Import a file of ``benchmarks/`` by its name."""

    def load(name):
        sys.path.insert(0, FOLDER)
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(FOLDER)

    return load
