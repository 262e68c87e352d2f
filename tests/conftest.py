"""Shapes and types in problems, networks and training are checked while tests run (see --jaxtyping-packages).

Tests run in as many processes as there are cores, so each keeps linear algebra to one thread: more would only wait for
each other. Most of their time is compilation of small programs, so these are optimised less, unless XLA_FLAGS is set;
slow checks are run as users run them.
"""

import os

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

os.environ["OMP_NUM_THREADS"] = "1"
threadpool_limits(limits=1)


def pytest_configure(config: pytest.Config) -> None:
    """How programs are compiled; workers keep them with pytest's own cache, not in the home of whoever tests."""
    if config.option.markexpr == "not slow":  # before JAX compiles anything
        os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=1")
    cache = getattr(config, "cache", None)  # there is none with -p no:cacheprovider
    os.environ["KERNELGAP_CACHE_DIR"] = "off" if cache is None else str(cache.mkdir("programs"))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(12345)
