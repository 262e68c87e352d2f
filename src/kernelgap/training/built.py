"""Solutions of section 8.2 that SGD does not find: small weights W with a' s(Wx) close to a parity of k coordinates.

A solution is found for d = k, then enlarged to any d >= k and any larger width without a change of its outputs: new
columns are 0, rows are repeated and rescaled. Its Frobenius norm stays near what it was, in units of sqrt(d).
"""

import heapq
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Float

from kernelgap import networks
from kernelgap.errors import InputError, unknown
from kernelgap.training.grid import train_grid
from kernelgap.training.modes import get_model
from kernelgap.training.schedule import Schedule

SMALL = 200  # the width at which the paper finds them
RATE = 1.0  # together with small batches: SGD's noise leads it to smaller norms
SCHEDULE = Schedule(epochs=5000, batch=8)
DEGREES = (2, 4, 6)  # odd parities are out of reach without biases


class Solution(NamedTuple):
    """out(x) = a' s(Wx) for x on {-1,1}^d / sqrt(d); every entry of a is +-1/sqrt(m)."""

    W: Float[np.ndarray, "m d"]
    a: Float[np.ndarray, " m"]

    @property
    def norm(self) -> float:
        return float(np.linalg.norm(self.W))


def built(recipe: str, decays: Sequence[float], *, width: int, d: int, k: int, seed: int) -> list[Solution]:
    """A solution for each weight decay: the larger the decay, the smaller the norm and the larger the error."""
    if recipe not in RECIPES:
        raise unknown("recipe", recipe, RECIPES)
    check_size(width=width, d=d, k=k)
    return [enlarge(small, width=width, d=d) for small in RECIPES[recipe](decays, k, seed)]


def check_size(*, width: int, d: int, k: int) -> None:
    """Refuse what cannot be built."""
    if k not in DEGREES:
        raise InputError(f"Solutions are built for parities of 2, 4 or 6 coordinates, not of {k}.")
    if width < SMALL or width % 2 or d < k:
        raise InputError(f"A solution is built for an even width >= {SMALL} and d >= {k}, not width {width}, d {d}.")


def trained(decays: Sequence[float], k: int, seed: int) -> list[Solution]:
    """Solutions as in the paper: trained by SGD on all 2^k points of the cube of dimension d = k."""
    network = networks.two_layer_signs
    params = network.init(jax.random.key(seed), inputs=k, outputs=1, width=SMALL)
    X = _cube(k)
    grid = train_grid(
        get_model(network, "hidden"),
        params,
        [RATE] * len(decays),
        decays,
        (X / np.sqrt(k), X.prod(axis=1, keepdims=True)),
        schedule=SCHEDULE if 2**k >= SCHEDULE.batch else SCHEDULE.model_copy(update={"batch": 2**k}),
        seed=[seed, 3],
    )
    a = np.sign(grid.frozen["A"][0]).astype(float) / np.sqrt(SMALL)
    return [Solution(W.astype(float), a) for W in grid.trained["W"]]


def vertices(decays: Sequence[float], k: int, seed: int) -> list[Solution]:
    """Written down: sum over s in {-1,1}^k of chi(s) s(<s, x>) is a multiple of the parity chi(x).

    It is scaled to what minimises |chi - out|^2 / 2 + decay |W|^2 / 2. Nothing in it is random.
    """
    signs = _cube(k)
    chi = signs.prod(axis=1)
    multiple = float(chi @ np.maximum(signs.sum(axis=1), 0.0)) / np.sqrt(k)  # at x = (1, ..., 1) / sqrt(k)
    exact = Solution(signs * np.sqrt(2.0**k) / abs(multiple), np.sign(multiple) * chi / np.sqrt(2.0**k))
    norm = enlarge(exact, width=SMALL, d=k).norm
    return [Solution(exact.W / (1.0 + decay * norm**2), exact.a) for decay in decays]


RECIPES = {"trained": trained, "vertices": vertices}


def enlarge(small: Solution, *, width: int, d: int) -> Solution:
    """The same outputs with more rows and columns.

    A row w with c copies becomes c rows (m / m0)^(1/2) w / c. Copies go where they lower the norm most, as many to rows
    of positive sign as to the others.
    """
    m0, d0 = small.W.shape
    rows = np.linalg.norm(small.W, axis=1)
    copies = np.zeros(m0, dtype=int)
    for positive in (True, False):
        these = np.flatnonzero((small.a > 0) == positive)
        copies[these] = _copies(rows[these], width // 2)
    W = np.repeat(small.W / copies[:, None], copies, axis=0) * np.sqrt(width / m0 * d / d0)
    a = np.repeat(np.sign(small.a), copies) / np.sqrt(width)
    return Solution(np.hstack([W, np.zeros((width, d - d0))]), a)


def _copies(rows: Float[np.ndarray, " n"], total: int) -> np.ndarray:
    """How often to repeat each row, at least once, so that the sum of |w|^2 / copies is least."""
    copies = np.ones(len(rows), dtype=int)
    gains = [(-float(r**2) / 2, i) for i, r in enumerate(rows)]
    heapq.heapify(gains)
    for _ in range(total - len(rows)):
        _, i = heapq.heappop(gains)
        copies[i] += 1
        heapq.heappush(gains, (-float(rows[i] ** 2) / (copies[i] * (copies[i] + 1)), i))
    return copies


def _cube(k: int) -> Float[np.ndarray, "points k"]:
    return np.array(list(product((-1.0, 1.0), repeat=k)))
