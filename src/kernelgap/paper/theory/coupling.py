"""Lemma C.1: what a perturbation of bounded spectral norm can do to the gates, measured at its worst.

For one input only u = W (x,1) matters, and every u with |u| <= tau_w |(x,1)| comes from a W of rank one and norm at
most tau_w. So "for all W" is a search over u, and most of it can be done exactly: to flip the gate of neuron j costs
g_j^2 of the budget |u|^2, where g = W(0) (x,1). The most flips are the cheapest ones; the largest sum of gains of the
flipped neurons is a knapsack, solved to within one neuron by taking the best ratio of gain to cost first.
"""

import math
from dataclasses import astuple, dataclass

import numpy as np
from jaxtyping import Bool, Float

from kernelgap.paper.theory.start import Start

_ROUNDS = 6
_OVER = 1 + 1e-9  # a flip goes this little beyond 0
Vector = Float[np.ndarray, " m"]


def most_flips(g: Vector, budget: float) -> int:
    """The most signs of g that a vector u with |u| <= budget can turn: the smallest |g_j| first. Exact."""
    return int(np.searchsorted(np.cumsum(np.sort(g**2)), budget**2, side="right"))


def best_flips(gain: Vector, g: Vector, budget: float) -> Bool[np.ndarray, " m"]:
    """Which signs to turn for the largest sum of gains with |u| <= budget, to within one neuron."""
    worth = np.flatnonzero(gain > 0)
    order = worth[np.argsort(g[worth] ** 2 / gain[worth])]
    count = int(np.searchsorted(np.cumsum(g[order] ** 2), budget**2, side="right"))
    chosen = np.zeros(len(g), dtype=bool)
    chosen[order[:count]] = True
    return chosen


def turning(chosen: Bool[np.ndarray, " m"], g: Vector) -> Vector:
    """The u that turns exactly these signs of g."""
    return np.where(chosen, -_OVER * g, 0.0)


def leak(
    A: Float[np.ndarray, "k m"],
    g: Vector,
    budget: float,
    v: Float[np.ndarray, " k"],
    carried: Vector | None = None,
    wanted: Float[np.ndarray, " k"] | None = None,
) -> Vector:
    """u that makes |A D carried - wanted| large, D the gates of g + u; of |A D g| by default.

    In a direction v the gain of a flip is -sign(g_j) <v, A_j> carried_j. Then v turns to where the result points, and
    again.
    """
    carried = g if carried is None else carried
    target = np.zeros(len(A)) if wanted is None else wanted
    gains = -np.where(g >= 0, 1.0, -1.0) * carried
    best, largest = np.zeros_like(g), -1.0
    for _ in range(_ROUNDS):
        u = turning(best_flips((v @ A) * gains, g, budget), g)
        result = A @ ((g + u >= 0) * carried) - target
        length = size(result)
        if length <= largest * (1 + 1e-12):
            break
        best, largest, v = u, length, result / length
    return best


def matrix_leak(
    A: Float[np.ndarray, "k m"], V0: Float[np.ndarray, "m k1"], z: Float[np.ndarray, " k1"], budget: float
) -> Vector:
    """u that makes the spectral norm of A D V(0) large, D the gates of V(0) z + u.

    A flipped row enters with all of V(0)_j, not with its small part along z. For unit v and e the gain of a flip in
    <v, A D V(0) e> is -sign(g_j) <v, A_j> <V(0)_j, e>; v and e start across z and turn to the top singular vectors.
    """
    g = V0 @ z
    across = np.linalg.svd(z[None])[2][1:]
    best, largest = np.zeros_like(g), -1.0
    for e in across[:2]:
        v = np.eye(len(A))[0]
        for _ in range(_ROUNDS):
            u = turning(best_flips(-np.where(g >= 0, 1.0, -1.0) * (v @ A) * (V0 @ e), g, budget), g)
            left, sizes, right = np.linalg.svd((A * (g + u >= 0)) @ V0)
            if sizes[0] > largest:
                best, largest = u, float(sizes[0])
            v, e = left[:, 0], right[0]
    return best


def push(A: Float[np.ndarray, "k m"], g: Vector, budget: float, v: Float[np.ndarray, " k"]) -> Vector:
    """u with |u| = budget that makes |A s(g + u)| large: u along its own gradient, and again."""
    u = np.zeros_like(g)
    for _ in range(_ROUNDS):
        gradient = (v @ A) * (g + u >= 0)
        u = budget * gradient / np.linalg.norm(gradient)
        result = A @ np.maximum(g + u, 0)
        v = result / np.linalg.norm(result)
    return u


@dataclass(frozen=True)
class FirstLayer:
    """Parts (a), (b), (c) for one x, at the worst W found (at one random W: ``random_``...)."""

    flips: int
    random_flips: int
    leak: float
    random_leak: float
    first_output: float
    ceiling: float


def first_layer(start: Start, x1: Float[np.ndarray, " d1"], tau: float, rng: np.random.Generator) -> FirstLayer:
    """(a) |D_W(0) - D_W|_0, (b) |A D_W W(0) (x,1)|, (c) |out1|, over W of spectral norm at most tau.

    ``flips`` is the exact maximum; ``leak`` and ``first_output`` are the largest found; ``ceiling`` is a bound for (c)
    that no W exceeds: |A s(g)| + |A|_2 tau |(x,1)|.
    """
    u = random_matrix(start.W0.shape, tau, rng) @ x1
    return FirstLayer(*_worst(start.A, start.W0 @ x1, tau * size(x1), u, rng))


def _worst(
    A: Float[np.ndarray, "k m"], g: Vector, budget: float, u: Vector, rng: np.random.Generator
) -> tuple[int, int, float, float, float, float]:
    """Flips, leak and output over |u| <= budget, of flips and leak also at this u, and the output's ceiling."""
    v = rng.standard_normal(len(A))
    v /= np.linalg.norm(v)
    worst, pushed = leak(A, g, budget, v), push(A, g, budget, v)
    return (
        most_flips(g, budget),
        flipped(g, u),
        size(A @ ((g + worst >= 0) * g)),
        size(A @ ((g + u >= 0) * g)),
        size(A @ np.maximum(g + pushed, 0)),
        size(A @ np.maximum(g, 0)) + spectral(A) * budget,
    )


@dataclass(frozen=True)
class SecondLayer:
    """Parts (d) to (g) at z = (out1, 1), divided by |z| where the lemma has it, for the worst V found."""

    flips: int
    random_flips: int
    leak: float
    random_leak: float
    output: float
    ceiling: float
    matrix_leak: float
    random_matrix_leak: float


def second_layer(start: Start, z: Float[np.ndarray, " k1"], tau: float, rng: np.random.Generator) -> SecondLayer:
    """(d) |D_V(0),W - D_V,W|_0, (e) |A D_V,W V(0) z| / |z|, (f) |A D_V,W V(0)|_2, (g) |A D_V,W (V(0)+V) z| / |z|."""
    A, V0, z = start.A, start.V0, z / np.linalg.norm(z)
    g, u = V0 @ z, random_matrix(V0.shape, tau, rng) @ z
    both = (matrix_leak(A, V0, z, tau), u)
    return SecondLayer(*_worst(A, g, tau, u, rng), *(spectral((A * (g + change >= 0)) @ V0) for change in both))


def second_layer_over(
    start: Start, directions: Float[np.ndarray, "n k1"], tau: float, rng: np.random.Generator
) -> SecondLayer:
    """Each part at the worst of these z, for V that is the worst found for this z, or random."""
    parts = [second_layer(start, z, tau, rng) for z in directions]
    return SecondLayer(*(max(values) for values in zip(*map(astuple, parts), strict=True)))


def half_sphere(count: int) -> Float[np.ndarray, "n 3"]:
    """Points spread evenly over the directions of (z, 1), z in R^2: a spiral from the pole to near the equator."""
    height = (np.arange(count) + 0.5) / count
    turn = np.pi * (1 + 5**0.5) * np.arange(count)
    radius = np.sqrt(1 - height**2)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=1)


def random_matrix(shape: tuple[int, int], tau: float, rng: np.random.Generator) -> Float[np.ndarray, "m n"]:
    """Independent normal entries, scaled to spectral norm tau."""
    matrix = rng.standard_normal(shape)
    return tau / spectral(matrix) * matrix


def flipped(g: Vector, u: Vector) -> int:
    return int(((g >= 0) != (g + u >= 0)).sum())


def size(vector: Float[np.ndarray, " k"]) -> float:
    return float(np.linalg.norm(vector))


def spectral(matrix: Float[np.ndarray, "a b"]) -> float:
    """The spectral norm, by the smaller Gram matrix's eigenvalues: one side is always short here."""
    gram = matrix @ matrix.T if len(matrix) < matrix.shape[1] else matrix.T @ matrix
    return math.sqrt(float(np.linalg.eigvalsh(gram)[-1]))


# The parts of Lemma C.1: the exponents of tau, sigma and m in what each is said to be at most.
STATED: dict[str, tuple[float, float, float]] = {
    "a": (2 / 3, -2 / 3, 2 / 3),
    "b": (4 / 3, -1 / 3, -1 / 6),
    "c": (1, 0, 0),
    "d": (2 / 3, -2 / 3, 1),
    "e": (4 / 3, -1 / 3, 0),
    "f": (4 / 3, -1 / 3, 0),
    "g": (1, 0, 0),
}


def stated(part: str, tau: float, sigma: float, m: int) -> float:
    """What a part of the lemma is compared with, for tau_w, sigma_w in (a) to (c) and tau_v, sigma_v in (d) to (g)."""
    by_tau, by_sigma, by_m = STATED[part]
    return tau**by_tau * sigma**by_sigma * float(m) ** by_m


def second_parts(layer: SecondLayer, *, worst: bool = True) -> dict[str, float]:
    """(d) to (g) at the worst found, for (g) the bound that nothing exceeds; or (d) to (f) at a random V."""
    if worst:
        return {"d": layer.flips, "e": layer.leak, "f": layer.matrix_leak, "g": layer.ceiling}
    return {"d": layer.random_flips, "e": layer.random_leak, "f": layer.random_matrix_leak}


def worst_distance(
    A: Float[np.ndarray, "k m"], g: Vector, budget: float, carried: Vector, wanted: Float[np.ndarray, " k"]
) -> float:
    """The largest |A D carried - wanted| found over the gates D that |u| <= budget can bring about from g."""
    leaks = (leak(A, g, budget, v, carried, wanted) for v in (*np.eye(len(A)), *-np.eye(len(A))))
    return max(size(A @ ((g + u >= 0) * carried) - wanted) for u in leaks)
