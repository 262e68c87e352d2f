"""Lemmas D.1 and D.2: what a function near the target must look like, and why few dimensions cannot hold many."""

from itertools import chain, combinations

import numpy as np
from jaxtyping import Bool, Float


def squared_distance(coefficients: Float[np.ndarray, " sets"], i: int, S: tuple[int, ...], alpha: float) -> float:
    """E |f - (x_i + alpha chi_S)|^2 by Lemma D.1, from f's Fourier coefficients in the order of ``subsets``."""
    d = int(np.log2(len(coefficients)))
    order = {T: n for n, T in enumerate(subsets(d))}
    rest = np.array(coefficients, dtype=float)
    rest[order[(i,)]] -= 1.0
    rest[order[tuple(sorted(S))]] -= alpha
    return float(np.sum(rest**2))


def squared_distance_over_the_cube(
    coefficients: Float[np.ndarray, " sets"], i: int, S: tuple[int, ...], alpha: float
) -> float:
    """The same, by evaluating both functions at every point of {-1,1}^d."""
    d = int(np.log2(len(coefficients)))
    signs = 1.0 - 2.0 * (np.arange(2**d)[:, None] >> np.arange(d) & 1)
    f = np.zeros(2**d)
    for weight, T in zip(coefficients, subsets(d), strict=True):
        f += weight * signs[:, list(T)].prod(axis=1)
    target = signs[:, i] + alpha * signs[:, list(S)].prod(axis=1)
    return float(np.mean((f - target) ** 2))


def subsets(d: int) -> list[tuple[int, ...]]:
    """All subsets of d coordinates, by size and then in order."""
    return list(chain.from_iterable(combinations(range(d), size) for size in range(d + 1)))


def within_reach(M: Float[np.ndarray, "n r"], ratio: float = 9.0) -> Bool[np.ndarray, " r"]:
    """Which columns r of M can be singled out: <M_r, a> >= 3/4 alpha, and of all others the squares sum to alpha^2/16.

    Of <M_r, a>^2 to the sum of the others, the largest ratio over a is h / (1 - h), with h the leverage of column r:
    M_r' (M M')^+ M_r. Lemma D.2 needs (3/4)^2 : 1/16 = 9, so h >= 9/10; and the leverages sum to the rank of M.
    """
    return leverages(M) >= ratio / (1 + ratio)


def leverages(M: Float[np.ndarray, "n r"]) -> Float[np.ndarray, " r"]:
    """The squared lengths of the columns after an orthonormal change of rows."""
    _, singular, rows = np.linalg.svd(M, full_matrices=False)
    basis = rows[singular > max(M.shape) * np.finfo(float).eps * singular[0]]
    return np.asarray(np.sum(basis**2, axis=0))
