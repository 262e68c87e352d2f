"""Section 8.2's Rademacher argument: how complex two-layer networks a' s(Wx) with |W|_F <= B are, and what follows.

a has m/2 entries 1/sqrt(m) and m/2 entries -1/sqrt(m), |x| = 1. The paper bounds the complexity by 2 B / sqrt(N). As
s is homogeneous, each row of W is a length times a direction, and the best lengths are known: for signs e_n

  sup_W (1/N) sum_n e_n a' s(W x_n) = B sqrt((g_+^2 + g_-^2) / 2),
  g_+- = max(0, max_|u|=1 +-(1/N) sum_n e_n s(<u, x_n>)).

Any direction u gives a lower bound of g, hence of the complexity.
"""

import math

import numpy as np
from jaxtyping import Float

RANGE = 4.0  # of (f - y)^2, and its largest slope in f, where y = +-1 and f is cut off at -1 and 1
CONFIDENCE = 0.99


def printed_bound(norm: float, samples: float) -> float:
    """2 |W|_F / sqrt(N).

    >>> round(printed_bound(9.7 * 40**0.5, 5000), 3)
    1.735
    """
    return 2 * norm / math.sqrt(samples)


def test_error_bound(train_error: float, complexity: float, samples: float) -> float:
    """With probability 0.99, of every such network with this training error, its outputs cut off at -1 and 1.

    train + 2 * 4 * complexity + 4 sqrt(log(1 / 0.01) / 2N): the loss lies in [0, 4] and has slopes up to 4.
    """
    chance = RANGE * math.sqrt(math.log(1 / (1 - CONFIDENCE)) / (2 * samples))
    return train_error + 2 * RANGE * complexity + chance


def samples_for(level: float, train_error: float, norm: float, share: float = 1.0) -> int:
    """The least N at which the bound on the test error is at most the level.

    Parameters
    ----------
    level, train_error
        The test error wanted, and the training error that the network has.
    norm
        Of W.
    share
        By what the complexity's printed bound is multiplied.
    """
    at_one = test_error_bound(0.0, share * printed_bound(norm, 1.0), 1.0)  # both terms are multiples of 1/sqrt(N)
    return math.ceil((at_one / (level - train_error)) ** 2)


def complexity_from_below(
    X: Float[np.ndarray, "n d"], norm: float, rng: np.random.Generator, *, draws: int = 5, starts: int = 4
) -> Float[np.ndarray, " draws"]:
    """For each draw of the signs a lower bound of the supremum, at the best directions that were found.

    Parameters
    ----------
    X
        Inputs.
    norm
        B.
    rng
        Draws signs and starts.
    draws, starts
        Of the signs, and of each search for a direction.
    """
    values = []
    for _ in range(draws):
        signs = rng.choice((-1.0, 1.0), size=len(X))
        up, down = (best_direction(X, side * signs, rng, starts=starts)[0] for side in (1.0, -1.0))
        values.append(norm * math.sqrt((up**2 + down**2) / 2))
    return np.array(values)


def best_direction(
    X: Float[np.ndarray, "n d"],
    signs: Float[np.ndarray, " n"],
    rng: np.random.Generator,
    *,
    starts: int = 4,
    steps: int = 60,
) -> tuple[float, Float[np.ndarray, " d"]]:
    """The largest (1/N) sum_n e_n s(<u, x_n>) found over |u| = 1, at least 0, and its u.

    The function is its gradient times u, so each step goes to the direction of the gradient; the best u met is kept.
    """
    U = np.vstack([signs @ X, rng.standard_normal((starts - 1, X.shape[1]))])
    best, at = 0.0, np.zeros(X.shape[1])
    for _ in range(steps):
        U = U / np.maximum(np.linalg.norm(U, axis=1, keepdims=True), 1e-300)
        inner = U @ X.T
        values = np.maximum(inner, 0.0) @ signs / len(X)
        if values.max() > best:
            best, at = float(values.max()), U[int(values.argmax())].copy()
        U = ((inner > 0) * signs) @ X
    return best, at
