"""Any functions at all, by their values: kernels, features, whatever can be called.

Up to 20 dimensions every point of the cube is visited. The triangular factor R of the functions' values comes block by
block (the values never lie in memory together), their Fourier coefficients column by column from the Walsh-Hadamard
transform. With R = U s V', G = V s^2 V'; working on R rather than G keeps directions apart that G, in the same
precision, would lose.

In more dimensions there is an estimate from sampled points. The best weights for a sample leave too little on that
sample: on average no more than the oracle risk. The same weights, on points that they have not seen, leave too much: no
less than it. The truth lies between, up to the spread of the two means, which the interval adds. Where some of the
functions are combinations of the others up to rounding, the best weights are not found, and the lower end is 0.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int
from scipy.special import ndtri

from kernelgap.certificates.exact.cube import Cube
from kernelgap.certificates.floors.span import Bracket, Span, function_span
from kernelgap.certificates.floors.targets import OneTarget, Targets
from kernelgap.errors import InputError
from kernelgap.machine import available_memory, require_memory
from kernelgap.problems import ParityProblem, Problem
from kernelgap.problems.problem import Seed
from kernelgap.progress import Progress, part, silent
from kernelgap.seeds import stream

MOST_DIMENSIONS = 20
ROWS = 2**13  # points in a block of the factorisation
CONFIDENCE = 0.99
TIMES = float(ndtri(0.5 + CONFIDENCE / 2))  # standard errors in half an interval
EACH = 30  # sampled points for a function, at least: the two means then differ by about 2/30
LEAST = 20_000
STEP = 256  # sampled points between two looks at the clock, more for many functions; the first points of a cube
MOST_STEP = 2**11  # points of a cube between two looks at the clock

Functions = Callable[[Float[np.ndarray, "points width"]], Float[np.ndarray, "points n"]]


def bracket(functions: Functions, cube: Cube, targets: Targets | OneTarget, on_progress: Progress = silent) -> Bracket:
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


def point_span(functions: Functions, cube: Cube, targets: Targets | OneTarget, on_progress: Progress = silent) -> Span:
    """The span of functions that are given by their values."""
    if cube.d > MOST_DIMENSIONS:
        raise InputError(f"Every point of the cube can be visited up to d = {MOST_DIMENSIONS}, not at d = {cube.d}.")
    _, singular, rows = np.linalg.svd(_triangle(functions, cube, part(on_progress, 0.0, 0.5)))
    wanted = np.unique(np.concatenate([numbers(group) for group in targets.sets]))
    coefficients = _coefficients(functions, cube, wanted, len(singular), part(on_progress, 0.5, 1.0))

    def parities(of: Int[np.ndarray, "sets size"]) -> Float[np.ndarray, "n sets"]:
        return coefficients[:, np.searchsorted(wanted, numbers(of))]

    return function_span(parities, singular, rows)


def _triangle(functions: Functions, cube: Cube, on_progress: Progress) -> Float[np.ndarray, "n n"]:
    """R with R'R = E f_n f_m, from blocks of points."""
    points = 2**cube.d
    factor: np.ndarray | None = None
    for start in range(0, points, ROWS):
        values = _values(functions, cube, start, min(points, start + ROWS), on_progress)
        stacked = values if factor is None else np.concatenate([factor, values])
        factor = np.asarray(np.linalg.qr(stacked, mode="r"))
    assert factor is not None
    if len(factor) < factor.shape[1]:  # fewer points than functions
        factor = np.concatenate([factor, np.zeros((factor.shape[1] - len(factor), factor.shape[1]))])
    return factor / points**0.5


def _coefficients(
    functions: Functions, cube: Cube, wanted: Int[np.ndarray, " sets"], count: int, on_progress: Progress
) -> Float[np.ndarray, "n sets"]:
    """E f_n chi_S for the wanted S, from transforms of as many columns at a time as memory holds."""
    points = 2**cube.d
    at_once = max(1, min(count, int(available_memory() // 4) // (8 * points)))
    require_memory(8 * points * at_once * 2, f"A transform over 2^{cube.d} points", "Take a smaller d.")
    coefficients = np.empty((count, len(wanted)))
    for start in range(0, count, at_once):
        columns = slice(start, start + at_once)
        show = part(on_progress, start / count, min(1.0, (start + at_once) / count))
        blocks = (_values(functions, cube, p, min(points, p + ROWS), show) for p in range(0, points, ROWS))
        coefficients[columns] = walsh_hadamard(np.concatenate([block[:, columns] for block in blocks]))[wanted].T
    return coefficients


def _values(
    functions: Functions, cube: Cube, start: int, stop: int, on_progress: Progress
) -> Float[np.ndarray, "points n"]:
    """The functions at some points, in pieces that grow: deep kernels take seconds for a few hundred points."""
    pieces: list[np.ndarray] = []
    while start < stop:
        end = min(stop, start + min(MOST_STEP, max(STEP, start)))
        values = np.asarray(functions(cube.points(start, end)), dtype=float)
        if values.ndim != 2 or len(values) != end - start:
            raise InputError(f"The functions must give one row for each point, not the shape {values.shape}.")
        if values.shape[1] == 0:
            raise InputError("There are no functions to combine: give at least one.")
        if not np.isfinite(values).all():
            raise InputError("A function is NaN or infinite at some point of the cube: its risk is not defined.")
        on_progress(end / 2**cube.d, f"{values.shape[1]} functions at every point of the cube")
        pieces.append(values)
        start = end
    return np.concatenate(pieces)


def walsh_hadamard(values: Float[np.ndarray, "points columns"]) -> Float[np.ndarray, "points columns"]:
    """All 2^d Fourier coefficients E f chi_S, in place and in d passes, of columns of values in ``Cube.points``' order.

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


def estimate(
    functions: Functions, problem: Problem, count: int, seed: Seed, on_progress: Progress = silent
) -> tuple[float, tuple[float, float], str]:
    """The estimate, its 99% interval and a note on how it came about."""
    points = _sampled_points(count)
    inside, outside = (problem.inputs(stream(seed, "oracle", part), points) for part in ("fit", "test"))
    values = _sampled_values(functions, inside, count, lambda share: on_progress(share / 2, _activity(count)))
    target = problem.target(inside)
    weights, _, rank, _ = np.linalg.lstsq(values, target, rcond=None)
    inner = ((target - values @ weights) ** 2).sum(axis=1)
    unseen = _sampled_values(functions, outside, count, lambda share: on_progress((1 + share) / 2, _activity(count)))
    outer = ((problem.target(outside) - unseen @ weights) ** 2).sum(axis=1)
    times = TIMES / points**0.5
    low = max(0.0, float(inner.mean() - times * inner.std(ddof=1))) if rank == count else 0.0
    high = float(outer.mean() + times * outer.std(ddof=1))
    return float(inner.mean() + outer.mean()) / 2, (low, high), _note(2 * points, count - int(rank), count)


def estimate_many(
    functions: Functions,
    problem: ParityProblem,
    targets: Targets,
    count: int,
    seed: Seed,
    on_progress: Progress = silent,
) -> Bracket:
    """Risks of many targets on one sample of points.

    The best weights of n functions for m points leave on these about 1 - n/m of the truth, on others about 1 + n/m; to
    both ends comes the sampling error of a mean whose terms spread like squares of normal numbers.
    """
    points = _sampled_points(count)
    X = problem.inputs(stream(seed, "oracle", "points"), points)
    signs = np.sign(X[:, : problem.d1])
    values = _sampled_values(functions, X, count, lambda share: on_progress(share, _activity(count)))
    _, s, rows = np.linalg.svd(np.linalg.qr(values, mode="r") / points**0.5)

    def parities(sets: Int[np.ndarray, "sets size"]) -> Float[np.ndarray, "n sets"]:
        product = np.ones((points, len(sets)))
        for column in sets.T:
            product *= signs[:, column]
        return values.T @ product / points

    span = function_span(parities, s, rows)
    low, high = span.risks(targets)
    error = TIMES * float(targets.energies(-1).sum()) * (2 / points) ** 0.5
    low = np.zeros_like(low) if span.lost else np.maximum(low - error, 0.0)
    high = np.maximum(high, 0.0) * (points + count) / (points - count) + error
    return Bracket(low, high, _note(points, span.lost, count), given_away=span.lost > 0)


def _sampled_values(
    functions: Functions, X: Float[np.ndarray, "points width"], count: int, tell: Callable[[float], None]
) -> Float[np.ndarray, "points n"]:
    """The functions at all points; the share done is told, since deep kernels may take minutes."""
    step, start = max(STEP, count), 0
    blocks = []
    while start < len(X):
        end = min(len(X), start + (step if start else STEP))
        blocks.append(functions(X[start:end]))
        tell(end / len(X))
        start = end
    return np.concatenate(blocks)


def _activity(count: int) -> str:
    return f"{count:,} functions at sampled points"


def _sampled_points(count: int) -> int:
    points = max(LEAST, EACH * count)
    require_memory(3 * 8 * points * count, f"An estimate from {points} points", "Take fewer training inputs.")
    return points


def _note(points: int, lost: int, count: int) -> str:
    note = f"Estimated from {points} points."
    if not lost:
        return note
    return f"{note} {lost} of {count} functions are combinations of the others up to rounding: the lower end is 0."
