"""Ridge regression with a kernel that is known only through its products with vectors: conjugate gradients.

For the full neural tangent kernel of a network, (N k) x (N k), one product costs a backward and a forward pass, while
the matrix itself may not fit. K + ridge I spans the same Krylov space from Y whatever the ridge, so one sequence of
products serves the whole path: the residuals of all ridges stay parallel (Frommer and Maass; Jegerlehner).
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from kernelgap.machine import require_memory
from kernelgap.regression.ridge import check_ridges, check_targets
from kernelgap.regression.spectrum import NotPositiveWarning, PerRidge, Targets

Product = Callable[[Targets], Targets]


@dataclass(frozen=True)
class Solutions:
    """For each ridge: a with (K + ridge I) a = Y, and the size of what is left of Y, relative to Y.

    Attributes
    ----------
    ridges
        On the scale of K.
    coefficients
        a for each ridge.
    residuals
        |Y - (K + ridge I) a| / |Y| for each ridge.
    products
        How many products with K were taken.
    """

    ridges: PerRidge
    coefficients: Float[np.ndarray, "r n k"]
    residuals: PerRidge
    products: int


def ridge_path_by_products(
    product: Product,
    Y: object,
    ridges: object,
    *,
    tolerance: float = 1e-9,
    most_products: int = 10_000,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Solutions:
    """Solve for all ridges at once, until |Y - (K + ridge I) a| <= tolerance |Y| for each of them.

    Where rounding left a residual above the tolerance, that ridge is solved further by itself. K + ridge I must be
    positive definite: where it shows that it is not, there is a warning.

    Parameters
    ----------
    product
        v -> K v, for v of the shape of Y.
    Y, ridges
        Targets (n, k), and ridges on the scale of K.
    tolerance, most_products
        When to stop.
    on_progress
        Is called with the share done.

    Returns
    -------
    Solutions
        Coefficients for each ridge, and the residuals as computed from them.
    """
    ridges, Y = check_ridges(ridges), check_targets(Y)
    require_memory(3 * 8 * len(ridges) * Y.size, f"Solutions for {len(ridges)} ridges", "Take fewer ridges at a time.")
    size = float(np.linalg.norm(Y)) or 1.0
    coefficients, used, lowest = _shifted(product, Y, ridges, tolerance * size, most_products, on_progress)
    residuals = np.empty(len(ridges))
    for i, ridge in enumerate(ridges):
        left = Y - product(coefficients[i]) - ridge * coefficients[i]
        used += 1
        while np.linalg.norm(left) > tolerance * size and used < most_products:
            before = float(np.linalg.norm(left))
            (correction,), count, again = _shifted(
                product, left, ridges[i : i + 1], tolerance * size / 2, most_products - used, lambda share: None
            )
            coefficients[i] += correction
            left = Y - product(coefficients[i]) - ridge * coefficients[i]
            used += count + 1
            lowest = min(lowest, again)
            if np.linalg.norm(left) > before / 2:  # as good as rounding allows
                break
        residuals[i] = np.linalg.norm(left) / size
    if lowest <= 0:
        unsolved = f"{np.sum(residuals > tolerance)} of {len(ridges)} ridges are not solved to the tolerance."
        warnings.warn(
            f"K + ridge I is not positive definite: v'(K + ridge I)v / v'v is {lowest:.3g} for some v. {unsolved} "
            "Check that the kernel is one, or take larger ridges.",
            NotPositiveWarning,
            stacklevel=2,
        )
    return Solutions(ridges, coefficients, residuals, used)


def _shifted(
    product: Product, Y: Targets, ridges: PerRidge, enough: float, most: int, on_progress: Callable[[float], None]
) -> tuple[Float[np.ndarray, "r n k"], int, float]:
    """Conjugate gradients for the smallest ridge; the others, of ridge larger by ``shift``, follow by recurrences.

    Their residuals are ``factor`` times that of the smallest ridge, with factors that only shrink. Given back with the
    solutions: how many products, and v'(K + least I)v / v'v where that is not positive, which ends it (else infinity).
    """
    least = float(ridges.min())
    shifts = (ridges - least)[:, None, None]
    solutions = np.zeros((len(ridges), *Y.shape))
    directions = np.repeat(Y[None], len(ridges), axis=0)
    direction, left = Y.copy(), Y.copy()
    factor, previous_factor = np.ones_like(shifts), np.ones_like(shifts)
    live = np.ones_like(shifts, dtype=bool)
    step, turn = 1.0, 0.0
    squared = first = float(np.sum(left * left))
    used, lowest = 0, float("inf")
    most = min(most, 40 * Y.size + 200)  # without rounding, as many as there are dimensions would do
    while squared > enough**2 and used < most:
        image = product(direction) + least * direction
        used += 1
        curvature = float(np.sum(direction * image))
        if curvature <= 0:
            lowest = curvature / (float(np.sum(direction * direction)) or 1.0)
            break
        previous_step, step = step, squared / curvature
        # a larger ridge is solved sooner; from then on it is left alone, before its factor vanishes
        live = live & (factor * squared**0.5 > 0.01 * enough)
        ratio = np.where(live, previous_factor * previous_step, 0.0) / (
            step * turn * (previous_factor - factor) + previous_factor * previous_step * (1 + shifts * step)
        )
        solutions += step * ratio * directions
        left = left - step * image
        before, squared = squared, float(np.sum(left * left))
        turn = squared / before
        direction = left + turn * direction
        previous_factor, factor = np.where(live, (factor, factor * ratio), (previous_factor, factor))
        directions = factor * left + turn * ratio**2 * directions
        if squared > enough**2:
            on_progress(float(max(0.0, np.log(first / squared) / np.log(first / enough**2))))
    on_progress(1.0)
    return solutions, used, lowest
