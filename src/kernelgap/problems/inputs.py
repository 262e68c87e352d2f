"""Inputs of the concept classes: unit vectors (sec. 5), or Gaussian vectors of about norm 1 (sec. 2.1)."""

import itertools
import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

Draw = Callable[[np.random.Generator, int, int], np.ndarray]


def sphere(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Uniform on the unit sphere."""
    normal = rng.standard_normal((n, d))
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


def cube(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Uniform on {-1, 1}^d / sqrt(d)."""
    return (2.0 * rng.integers(0, 2, size=(n, d), dtype=np.int8) - 1.0) / math.sqrt(d)


def gaussian(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """N(0, I/d)."""
    return rng.standard_normal((n, d)) / math.sqrt(d)


INPUTS: dict[str, Draw] = {f.__name__: f for f in (sphere, cube, gaussian)}


def whole_cube(d: int) -> Float[np.ndarray, "points d"]:
    """Every point of {-1, 1}^d / sqrt(d)."""
    return np.array(list(itertools.product((-1.0, 1.0), repeat=d))) / math.sqrt(d)
