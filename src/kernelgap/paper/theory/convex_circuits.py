"""Convex circuits (the talk's last slides): if |C(W,x) - y|^2 is convex in W for every y, then C is affine in W.

For W1, W2 let gap = C((W1 + W2)/2, x) - (C(W1, x) + C(W2, x))/2. The loss in the middle exceeds the mean of the ends by

  |C_mid|^2 - (|C_1|^2 + |C_2|^2)/2 - 2 <y, gap>,

so y = -s gap shows that it is not convex, for s large enough, unless the gap is 0; and a continuous C without any gap
is affine in W. Then C(W,x) = c(x) + sum_i W_i phi_i(x), and its outputs lie in the span of D + 1 functions fixed
beforehand, D being the number of weights: Theorem 3's floor is under all such circuits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Float

Outputs = Float[np.ndarray, " k"]
Circuit = Callable[[Float[np.ndarray, " D"], Float[np.ndarray, " d"]], Outputs]  # (W, x) -> outputs


@dataclass(frozen=True)
class Witness:
    """Labels y for which the loss lies above its chord by ``excess``, in the middle between two weights.

    Attributes
    ----------
    y
        The labels.
    excess
        |C_mid - y|^2 - (|C_1 - y|^2 + |C_2 - y|^2) / 2; the loss is not convex if it is positive.
    gap
        Of C itself: how far it is from affine along this line, as a length.
    size
        The largest of |C_1|, |C_2|, |C_mid|: what gaps are measured by.
    """

    y: Outputs
    excess: float
    gap: float
    size: float

    @property
    def relative_gap(self) -> float:
        return self.gap / self.size if self.size > 0 else 0.0


def witness(circuit: Circuit, W1: np.ndarray, W2: np.ndarray, x: np.ndarray) -> Witness:
    """The labels that show that the loss is not convex between two weights, if any labels do.

    Parameters
    ----------
    circuit
        C(W, x).
    W1, W2
        The ends.
    x
        An input.
    """
    one, two, mid = (np.asarray(circuit(W, x), dtype=float) for W in (W1, W2, (W1 + W2) / 2))
    gap = mid - (one + two) / 2
    length = float(gap @ gap)
    without = excess(one, two, mid, np.zeros_like(gap))
    y = np.zeros_like(gap) if length == 0 else -gap * (max(0.0, -without) + length) / length
    size = max(float(np.linalg.norm(outputs)) for outputs in (one, two, mid))
    return Witness(y, excess(one, two, mid, y), length**0.5, size)


def excess(one: Outputs, two: Outputs, mid: Outputs, y: Outputs) -> float:
    """By how much the loss in the middle exceeds the mean of the ends.

    >>> float(excess(np.array([0.0]), np.array([2.0]), np.array([1.0]), np.array([5.0])))
    -1.0
    """
    return float(np.sum((mid - y) ** 2) - (np.sum((one - y) ** 2) + np.sum((two - y) ** 2)) / 2)


def best_risks(
    constant: Float[np.ndarray, "points k"],
    functions: Float[np.ndarray, "points k D"],
    d: int,
    alpha: float,
) -> Float[np.ndarray, " targets"]:
    """E |H - C(W, .)|^2 with the W that is best, for every target of eq. 7.1, all outputs sharing W.

    Parameters
    ----------
    constant, functions
        C(0, x) and the phi_i(x), at all 2^d points in the order of ``cube``.
    d, alpha
        Of the target; k is the number of outputs.
    """
    points, k, D = functions.shape
    Q, _ = np.linalg.qr(functions.reshape(points * k, D))
    signs = cube(d)
    risks = []
    for S in combinations(range(d), k):
        chosen = signs[:, list(S)]
        H = chosen + alpha * chosen.prod(axis=1, keepdims=True)
        rest = (H - constant).reshape(-1)
        rest = rest - Q @ (Q.T @ rest)
        risks.append(float(rest @ rest) / points)
    return np.array(risks)


def cube(d: int) -> Float[np.ndarray, "points d"]:
    """Every point of {-1, 1}^d."""
    return 1.0 - 2.0 * (np.arange(2**d)[:, None] >> np.arange(d) & 1)
