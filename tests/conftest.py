"""Shapes are checked while tests run, over the whole package (see typecheck.py).

Tests run in as many processes as there are cores, so each keeps linear algebra to one thread: more would only wait for
each other (KERNELGAP_TEST_THREADS asks for more all the same). Most of their time is compilation of small programs, so
these are optimised less, unless XLA_FLAGS is set; slow checks are run as users run them. ``--shuffle SEED`` runs the
tests in a random order.
"""

import os
import random

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import typecheck

typecheck.install()

THREADS = os.environ.get("KERNELGAP_TEST_THREADS", "1")
os.environ["OMP_NUM_THREADS"] = THREADS
threadpool_limits(limits=int(THREADS))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in a random order")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The files and the tests of each: from names and seed alone, since every worker of xdist shuffles for itself."""
    seed = config.getoption("--shuffle")
    if seed is not None:
        order = random.Random(seed)
        files: dict[str, list[pytest.Item]] = {}
        for item in sorted(items, key=lambda item: item.nodeid):
            files.setdefault(str(item.path), []).append(item)
        groups = list(files.values())
        order.shuffle(groups)
        for group in groups:
            order.shuffle(group)
        items[:] = [item for group in groups for item in group]


def pytest_configure(config: pytest.Config) -> None:
    """How programs are compiled; workers keep them with pytest's own cache, not in the home of whoever tests."""
    if config.option.markexpr == "not slow":  # before JAX compiles anything
        os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
    cache = getattr(config, "cache", None)  # there is none with -p no:cacheprovider
    os.environ["KERNELGAP_CACHE_DIR"] = "off" if cache is None else str(cache.mkdir("programs"))


@pytest.fixture(scope="session", autouse=True)
def programs_kept():
    """The programs that tests compile are kept too: compilation is most of their time, and the next run has it done."""
    from kernelgap.runs.workers.compiled import (
        keep_programs,  # late: the types must be checked from the first import on
    )

    keep_programs()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(12345)
