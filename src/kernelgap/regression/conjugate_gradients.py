"""Preconditioned conjugate gradients for (K + ridge I) W = Y: all columns at once, each with its own ridge."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from kernelgap.regression.spectrum import Targets

PerColumn = Float[np.ndarray, " c"]


class Iterated(NamedTuple):
    """``iterations`` each column took; ``indefinite`` where K + ridge I was found not to be positive definite."""

    solution: Targets
    iterations: Int[np.ndarray, " c"]
    indefinite: bool


def conjugate_gradients(
    product: Callable[[Targets], Targets],
    precondition: Callable[[Targets, PerColumn], Targets],
    Y: Targets,
    ridges: PerColumn,
    *,
    goals: PerColumn,
    most: int,
    on_iteration: Callable[[float], None],
) -> Iterated:
    """Solve for every column until its residual, as the iteration updates it, is at most its goal.

    Parameters
    ----------
    product, precondition
        K V, and P^-1 R for columns with their ridges.
    Y, ridges, goals
        The right-hand sides, and for each column its ridge and the length of the residual to reach.
    most
        Iterations at most.
    on_iteration
        Is called with the largest ratio of a residual to its goal.

    Returns
    -------
    Iterated
        The solution, as far as it came. A column that is done is left out of the products that follow.
    """
    W, iterations = np.zeros(Y.shape), np.zeros(Y.shape[1], dtype=int)
    indefinite = False
    active = np.flatnonzero(np.linalg.norm(Y, axis=0) > goals)
    R, V = Y[:, active], np.zeros((len(Y), len(active)))
    Z = precondition(R, ridges[active])
    P, old = Z, _dots(R, Z)
    for _ in range(most):
        if not len(active):
            break
        images = product(P)
        images += ridges[active] * P
        curvature = _dots(P, images)
        sound = (curvature > 0) & (old > 0)
        steps = np.where(sound, old / np.where(sound, curvature, 1.0), 0.0)
        V += steps * P
        R -= steps * images
        iterations[active] += 1
        indefinite |= not sound.all()
        ratios = np.linalg.norm(R, axis=0) / goals[active]
        on_iteration(float(ratios.max()))
        going = sound & (ratios > 1)
        if not going.all():
            W[:, active[~going]] = V[:, ~going]
            active, R, V, P, old = active[going], R[:, going], V[:, going], P[:, going], old[going]
        Z = precondition(R, ridges[active])
        new = _dots(R, Z)
        P = Z + new / old * P
        old = new
    W[:, active] = V
    return Iterated(W, iterations, indefinite)


def _dots(A: Targets, B: Targets) -> PerColumn:
    return np.einsum("nc,nc->c", A, B)
