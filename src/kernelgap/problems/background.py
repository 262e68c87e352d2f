"""D2: what the coordinates that carry no signal look like (sec. 7, Remark D.3), in units of the cube's scale."""

from collections.abc import Callable

import numpy as np

from kernelgap.errors import InputError, unknown

Background = Callable[[np.random.Generator, int, int], np.ndarray]


def uniform(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """Independent signs, like the first d1 coordinates."""
    return 2.0 * rng.integers(0, 2, size=(n, width), dtype=np.int8) - 1.0


def zero(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """Nothing there."""
    return np.zeros((n, width))


def gaussian(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """Independent standard normal coordinates: off the cube."""
    return rng.standard_normal((n, width))


def repeated(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """One sign, repeated in every coordinate: fully dependent."""
    return np.repeat(uniform(rng, n, 1), width, axis=1)


BACKGROUNDS: dict[str, Background] = {f.__name__: f for f in (uniform, zero, gaussian, repeated)}


def get_background(background: str | Background | None) -> Background:
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
