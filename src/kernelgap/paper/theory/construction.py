"""Lemmas E.1 and C.2: weights that are written down, not trained, and make the frozen gates compute F and alpha G.

For F_r(x) = sum_i a_ri phi_ri(<w1_ri, (x,1)> / |(x,1)|) <w2_ri, (x,1)> and a random start A ~ N(0, 1/m),
W(0) ~ N(0, sigma^2), with h_ri made from phi_ri by Lemma E.2,

    W*_j = sum_r A_rj sum_i a_ri h_ri(<W(0)_j, w1_ri> / sigma) w2_ri                                   (E.3)

satisfies E [A D_W(0) W* (x,1)]_r = F_r(x), because E A_rj A_r'j = [r = r'] / m. (Appendix E states it for A ~ N(0, 1)
and W(0) ~ N(0, 1/m); its W* is this one divided by sqrt(m).)
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from kernelgap.paper.theory.indicator import Indicator
from kernelgap.paper.theory.start import Start
from kernelgap.paper.theory.taylor import degree_for
from kernelgap.problems.activation import Activation
from kernelgap.problems.smooth import Function, GeneralFunction

EPSILON = 1e-3  # Lemma E.2's: with the paper's cut-offs the error is far below it
_SERIES_ERROR = 1e-12
_PREACTIVATIONS = 2**22  # at a time


def as_general(function: Function) -> GeneralFunction:
    """Lemma A.2 where the function is one of Concept 1."""
    return function if isinstance(function, GeneralFunction) else function.general()


@lru_cache(maxsize=256)
def indicator(phi: Activation, epsilon: float = EPSILON, shrink: float = 1.0) -> Indicator:
    """Lemma E.2's h for an activation, its series cut off where the rest is below 1e-12 on [-1, 1]."""
    degree = phi.degree if phi.degree is not None else degree_for(phi, _SERIES_ERROR, 1.0)
    return Indicator(tuple(map(float, phi.coefficients(degree))), epsilon, shrink)


def build(
    function: GeneralFunction,
    A: Float[np.ndarray, "k m"],
    W0: Float[np.ndarray, "m d1"],
    sigma: float,
    epsilon: float = EPSILON,
) -> Float[np.ndarray, "m d1"]:
    """(E.3) for a start whose entries of W0 are N(0, sigma^2)."""
    k, p, d1 = function.w1.shape
    inner = W0 @ function.w1.reshape(k * p, d1).T / sigma
    made = {phi: indicator(phi, epsilon) for phi in function.distinct}
    columns = [made[phi](inner[:, n]) for n, phi in enumerate(phi for row in function.activations for phi in row)]
    factors = (np.repeat(A.T, p, axis=1) * function.a.reshape(1, k * p)) * np.stack(columns, axis=1)
    return factors @ function.w2.reshape(k * p, d1)


def gated(
    A: Float[np.ndarray, "k m"],
    gates: Float[np.ndarray, "m d1"],
    weights: Float[np.ndarray, "m d1"],
    x1: Float[np.ndarray, "n d1"],
) -> Float[np.ndarray, "n k"]:
    """A D weights (x,1) where D are the gates of gates (x,1); ``x1`` are rows (x,1)."""
    count = max(1, _PREACTIVATIONS // len(gates))
    parts = (x1[first : first + count] for first in range(0, len(x1), count))
    return np.concatenate([((part @ gates.T >= 0) * (part @ weights.T)) @ A.T for part in parts])


@dataclass(frozen=True)
class Solution:
    """W* and V* of Lemma C.2 for one start."""

    W: Float[np.ndarray, "m d1"]
    V: Float[np.ndarray, "m k1"]


def solution(start: Start, F: Function, G: Function, alpha: float, epsilon: float = EPSILON) -> Solution:
    """A D_W(0) W* (x,1) is nearly F(x), and A D_V(0),W V* (z,1) nearly alpha G(z) for every z.

    V(0) has entries N(0, sigma_v^2/m), and alpha goes into G's activations.
    """
    spread = start.sigma_v / math.sqrt(start.width)
    return Solution(
        build(as_general(F), start.A, start.W0, start.sigma_w, epsilon),
        build(as_general(G).scaled(alpha), start.A, start.V0, spread, epsilon),
    )


def expected_square(function: GeneralFunction, x1: Float[np.ndarray, " d1"], m: int) -> float:
    """E over starts of |A D_W(0) W* (x,1) - F(x)|^2 for one term in each output (p = 1), by quadrature.

    With a = sqrt(m) A and S_r = a_r h_r 1[<w,x> >= 0] <w2_r, x> for one neuron, output r is the mean over neurons of
    a_r sum_r' a_r' S_r', whose variance is 3 E S_r^2 - F_r^2 + sum over r' != r of E S_r'^2.
    """
    if function.p != 1:
        raise ValueError("The closed form is for one term in each output.")
    length = float(np.linalg.norm(x1))
    squares = np.array(
        [
            (float(function.a[r, 0]) * float(function.w2[r, 0] @ x1)) ** 2
            * indicator(function.activations[r][0]).second_moment_given(float(function.w1[r, 0] @ x1) / length)
            for r in range(function.outputs)
        ]
    )
    values = function(x1[None, :-1])[0]
    return float(((2 * squares - values**2) + squares.sum()).sum() / m)
