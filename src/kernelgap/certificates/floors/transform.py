"""The fast Walsh-Hadamard transform: all 2^d Fourier coefficients of functions on the cube, in d passes."""

import numpy as np
from jaxtyping import Float, Int


def walsh_hadamard(values: Float[np.ndarray, "points columns"]) -> Float[np.ndarray, "points columns"]:
    """Columns of values f(x) at the points in the order of ``Cube.points`` -> E f chi_S, in place.

    S has the number whose bits are its members, as a point has the number whose bits are its negative coordinates.
    """
    points, columns = values.shape
    half = 1
    while half < points:
        pairs = values.reshape(points // (2 * half), 2, half, columns)
        first, second = pairs[:, 0], pairs[:, 1]
        first += second
        second *= -2
        second += first
        half *= 2
    values /= points
    return values


def numbers(sets: Int[np.ndarray, "sets size"]) -> Int[np.ndarray, " sets"]:
    """The number of each index set."""
    return (np.int64(1) << sets.astype(np.int64)).sum(axis=1)
