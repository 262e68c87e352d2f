"""Shapes and types in problems, networks and training are checked while tests run (see --jaxtyping-packages)."""

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(12345)
