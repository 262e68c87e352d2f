"""Random networks in NumPy, as wide as memory allows, to check the kernels of infinitely wide ones against.

Entries are N(0, 1/m), as in section 8.1; gradients are written out by hand. U is drawn in blocks of rows and never held
whole: a block's rows are all that its part of the forward and of the backward pass needs.
"""

import numpy as np


def relu(u):
    return np.maximum(u, 0.0)


class Moments:
    """Mean and standard error of kernels over seeds."""

    def __init__(self, draws):
        self.mean = np.mean(draws, axis=0)
        self.error = np.std(draws, axis=0, ddof=1) / len(draws) ** 0.5


def two_layer(X, width, rng, bias=False):
    """(conjugate, hidden) parts of the tangent kernel of A s(W(x,1))."""
    X = np.concatenate([X, np.ones((len(X), 1))], axis=1) if bias else X
    W = rng.standard_normal((width, X.shape[1])) / width**0.5
    A = rng.standard_normal(width) / width**0.5
    pre = X @ W.T
    delta = A * (pre > 0)
    return relu(pre) @ relu(pre).T, (delta @ delta.T) * (X @ X.T)


def three_layer(X, width, rng, residual, bias=False, rows=1024):
    """(conjugate, hidden) of A s(U s(Wx)), or with ``residual`` of A (s(Wx) + s(U s(Wx))); bias in both layers."""
    X = np.concatenate([X, np.ones((len(X), 1))], axis=1) if bias else X
    W = rng.standard_normal((width, X.shape[1])) / width**0.5
    A = rng.standard_normal(width) / width**0.5
    pre = X @ W.T
    first = relu(pre)
    second = np.empty_like(first)
    below = np.zeros_like(first)  # d out / d first, through U
    for i in range(0, width, rows):
        U = rng.standard_normal((min(rows, width - i), width), dtype=np.float32) * np.float32(width**-0.5)
        above = first.astype(np.float32) @ U.T
        if bias:
            above = above + rng.standard_normal(len(U)) / width**0.5
        second[:, i : i + len(U)] = relu(above)
        below += (A[i : i + len(U)] * (above > 0)) @ U
    last = first + second if residual else second
    delta2 = A * (second > 0)
    delta1 = (below + (A if residual else 0.0)) * (pre > 0)
    hidden = (delta2 @ delta2.T) * (first @ first.T + bias) + (delta1 @ delta1.T) * (X @ X.T)
    return last @ last.T, hidden


def moments(draw, seeds):
    """Moments of (conjugate, hidden, their sum) over seeds."""
    pairs = [draw(np.random.default_rng([seed, 77])) for seed in range(seeds)]
    return {
        "last": Moments([last for last, _ in pairs]),
        "hidden": Moments([hidden for _, hidden in pairs]),
        "all": Moments([last + hidden for last, hidden in pairs]),
    }


def agrees(kernel_values, measured, sigmas=4.5):
    """Within the Monte Carlo error everywhere, where that error is small enough to mean something."""
    assert np.all(measured.error < 0.05 * np.max(np.abs(measured.mean)))
    return bool(np.all(np.abs(kernel_values - measured.mean) <= sigmas * measured.error))
