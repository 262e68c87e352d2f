"""Laws of inputs: of the concept classes (sec. 2.1 and 5), and of coordinates that carry no signal (D2 of sec. 7).

Backgrounds are in units of the cube's scale (Remark D.3).
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError, unknown

Draw = Callable[[np.random.Generator, int, int], np.ndarray]


def uniform(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Independent signs."""
    return 2.0 * rng.integers(0, 2, size=(n, d), dtype=np.int8) - 1.0


def zero(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Zeros."""
    return np.zeros((n, d))


def normal(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Independent standard normal coordinates: off the cube."""
    return rng.standard_normal((n, d))


def repeated(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """One sign in every coordinate: fully dependent."""
    return np.repeat(uniform(rng, n, 1), d, axis=1)


def sphere(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Uniform on the unit sphere."""
    rows = normal(rng, n, d)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


INPUTS: dict[str, Draw] = {  # of about norm 1
    "sphere": sphere,
    "cube": lambda rng, n, d: uniform(rng, n, d) / math.sqrt(d),
    "gaussian": lambda rng, n, d: normal(rng, n, d) / math.sqrt(d),
}
BACKGROUNDS: dict[str, Draw] = {"uniform": uniform, "zero": zero, "gaussian": normal, "repeated": repeated}


def get_background(background: str | Draw | None) -> Draw:
    """A background by name, one's own ``f(rng, n, width) -> array``, or None for uniform."""
    if background is None:
        return uniform
    if callable(background):
        return background
    if not isinstance(background, str):
        raise InputError(f"background must be a name, a function or None, not {background!r}.")
    if background not in BACKGROUNDS:
        raise unknown("background", background, BACKGROUNDS)
    return BACKGROUNDS[background]


def whole_cube(d: int) -> Float[np.ndarray, "points d"]:
    """Every point of {-1, 1}^d / sqrt(d)."""
    return np.array(list(itertools.product((-1.0, 1.0), repeat=d))) / math.sqrt(d)
