"""Any functions at all, at every point of a cube of at most 20 dimensions: kernels, features, whatever can be called.

The triangular factor R of the functions' values comes block by block (the values never lie in memory together), their
Fourier coefficients column by column from the Walsh-Hadamard transform. With R = U s V', G = V s^2 V'; working on R
rather than G keeps directions apart that G, in the same precision, would lose.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from kernelgap.certificates.exact.cube import Cube
from kernelgap.certificates.floors.span import Bracket, Span, function_span
from kernelgap.certificates.floors.targets import Targets
from kernelgap.certificates.floors.transform import numbers, walsh_hadamard
from kernelgap.errors import InputError
from kernelgap.machine import available_memory, require_memory
from kernelgap.progress import Progress, silent

MOST_DIMENSIONS = 20
ROWS = 2**13  # points in a block of the factorisation

Functions = Callable[[Float[np.ndarray, "points width"]], Float[np.ndarray, "points n"]]


def bracket(functions: Functions, cube: Cube, targets: Targets, on_progress: Progress = silent) -> Bracket:
    """The oracle risk of every target over all combinations of the functions."""
    span = point_span(functions, cube, targets, on_progress)
    low, high = span.risks(targets)
    if not span.lost:
        return Bracket(np.maximum(low, 0.0), high)
    return Bracket(
        np.zeros_like(low),
        high,
        f"{span.lost} of {span.functions} functions are combinations of the others up to rounding, which hides what "
        "they may still capture: the whole target is given away. If they are exact combinations, the upper end is it.",
        given_away=True,
    )


def point_span(functions: Functions, cube: Cube, targets: Targets, on_progress: Progress = silent) -> Span:
    """The span of functions that are given by their values."""
    if cube.d > MOST_DIMENSIONS:
        raise InputError(f"Every point of the cube can be visited up to d = {MOST_DIMENSIONS}, not at d = {cube.d}.")
    _, singular, rows = np.linalg.svd(_triangle(functions, cube, on_progress))
    sets = [base[None, :] for base in targets.bases] + list(targets.composites)
    wanted = np.unique(np.concatenate([numbers(group) for group in sets]))
    coefficients = _coefficients(functions, cube, wanted, len(singular))

    def parities(of: Int[np.ndarray, "sets size"]) -> Float[np.ndarray, "n sets"]:
        return coefficients[:, np.searchsorted(wanted, numbers(of))]

    return function_span(parities, singular, rows)


def _triangle(functions: Functions, cube: Cube, on_progress: Progress) -> Float[np.ndarray, "n n"]:
    """R with R'R = E f_n f_m, from blocks of points."""
    points = 2**cube.d
    factor: np.ndarray | None = None
    for start in range(0, points, ROWS):
        values = _values(functions, cube, start, min(points, start + ROWS))
        stacked = values if factor is None else np.concatenate([factor, values])
        factor = np.asarray(np.linalg.qr(stacked, mode="r"))
        on_progress((start + len(values)) / points, f"{values.shape[1]} functions at every point of the cube")
    assert factor is not None
    if len(factor) < factor.shape[1]:  # fewer points than functions
        factor = np.concatenate([factor, np.zeros((factor.shape[1] - len(factor), factor.shape[1]))])
    return factor / points**0.5


def _coefficients(
    functions: Functions, cube: Cube, wanted: Int[np.ndarray, " sets"], count: int
) -> Float[np.ndarray, "n sets"]:
    """E f_n chi_S for the wanted S, from transforms of as many columns at a time as memory holds."""
    points = 2**cube.d
    at_once = max(1, min(count, int(available_memory() // 4) // (8 * points)))
    require_memory(8 * points * at_once * 2, f"A transform over 2^{cube.d} points", "Take a smaller d.")
    found = np.empty((count, len(wanted)))
    for start in range(0, count, at_once):
        columns = slice(start, start + at_once)
        values = np.concatenate(
            [_values(functions, cube, p, min(points, p + ROWS))[:, columns] for p in range(0, points, ROWS)]
        )
        found[columns] = walsh_hadamard(values)[wanted].T
    return found


def _values(functions: Functions, cube: Cube, start: int, stop: int) -> Float[np.ndarray, "points n"]:
    values = np.asarray(functions(cube.points(start, stop)), dtype=float)
    if values.ndim != 2 or len(values) != stop - start:
        raise InputError(f"The functions must give one row for each point, not the shape {values.shape}.")
    if values.shape[1] == 0:
        raise InputError("There are no functions to combine: give at least one.")
    if not np.isfinite(values).all():
        raise InputError("A function is NaN or infinite at some point of the cube: its risk is not defined.")
    return np.ascontiguousarray(values)
