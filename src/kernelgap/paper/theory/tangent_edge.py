r"""The edge of a tangent kernel: how much of a target the best predictor of bounded norm takes, over all points.

Features are phi(x) = grad_w f(x) at the start, scaled to E |phi|^2 = 1. With |w| <= sqrt(E H^2) the predictor <w, phi>
leaves E (H - <w, phi>)^2. The edge is the share of E H^2 that the best such w takes away:

    edge = max (2 <w, g> - w' S w) / E H^2,    g = E H phi,  S = E phi phi'.

Gradient descent from f = 0 moves along g first. Malach, Kamath, Abbe and Srebro ("Quantifying the benefit of using
differentiable learning over tangent kernels", 2021) prove, under conditions, that it learns only if there is an edge.
"""

import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq

from kernelgap.paper.theory.plain_sgd import TwoLayer

POINTS_AT_ONCE = 4096


def tangent_edges(
    start: TwoLayer, X: Float[np.ndarray, "points d"], targets: Float[np.ndarray, "points targets"]
) -> list[float]:
    """The edges of the tangent kernel of a network of one output, with all points counting equally.

    Parameters
    ----------
    start
        The network's weights at the start.
    X
        The population.
    targets
        H(x) at every point, a column for each target.
    """
    weights = sum(part.size for part in start)
    second, first = np.zeros((weights, weights)), np.zeros((weights, targets.shape[1]))
    for begin in range(0, len(X), POINTS_AT_ONCE):
        rows = slice(begin, begin + POINTS_AT_ONCE)
        features = start.tangent_features(X[rows])
        second += features.T @ features
        first += features.T @ targets[rows]
    scale = float(np.trace(second)) / len(X)
    second, first = second / (len(X) * scale), first / (len(X) * np.sqrt(scale))
    values, vectors = np.linalg.eigh(second)
    sizes = np.mean(targets**2, axis=0)
    squares = (vectors.T @ first) ** 2
    return [bounded_edge(values, squares[:, i], float(size)) for i, size in enumerate(sizes)]


def bounded_edge(values: Float[np.ndarray, " weights"], squares: Float[np.ndarray, " weights"], size: float) -> float:
    """max over |w|^2 <= size of (2 <w, g> - w' S w) / size.

    The best w is (S + mu I)^-1 g with the least mu >= 0 that keeps it within this norm.

    Parameters
    ----------
    values
        The eigenvalues of S.
    squares
        The squared coordinates of g along its eigenvectors.
    size
        E H^2.
    """
    total = float(squares.sum())
    if total == 0:
        return 0.0
    values = np.maximum(values, 0.0)

    def excess(mu: float) -> float:
        return float(np.sum(squares / (values + mu) ** 2)) / size - 1

    most = np.sqrt(total / size)  # there |w|^2 is at most size
    least = 1e-12 * most
    mu = least if excess(least) <= 0 else float(brentq(excess, least, most, rtol=1e-12))
    return float(np.sum(squares * (values + 2 * mu) / (values + mu) ** 2)) / size
