"""Nystroem features: a kernel seen through some of its samples, for more samples than a Gram matrix has room for.

With landmarks L, rows of the sample, phi(x) = K(x,L) K(L,L)^(-1/2), so that <phi(x), phi(z)> = K(x,L) K(L,L)^-1 K(L,z):
the kernel itself wherever x or z is a landmark, and never more than it on the diagonal. Ridge regression over phi takes
n p^2 operations and p^2 memory with p landmarks; with all rows as landmarks it is the exact one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt

import numpy as np
from jaxtyping import Float
from scipy.linalg import cho_factor, cho_solve, eigh

from kernelgap.errors import InputError, unknown
from kernelgap.kernels import Kernel
from kernelgap.kernels.check import check_count, check_number
from kernelgap.machine import available_memory, require_memory
from kernelgap.regression.features import FeaturePath, path_of_products
from kernelgap.regression.ridge import check_ridges, check_targets, default_ridges
from kernelgap.regression.selection import ChosenRidge, SplitRandomness, best_ridge, held_out_rows
from kernelgap.regression.spectrum import PerRidge, Targets
from kernelgap.rows import check_rows

LANDMARKS = ("uniform", "leverage")
BLOCK = 2**22  # entries of K(X,L) that are held at a time: 32 MiB
SQUARES = 5  # matrices of p x p that are held at a time
RIDGES = 34  # at least as many as a default path has

Rows = Float[np.ndarray, "n d"]
Randomness = np.random.Generator | np.random.RandomState


@dataclass(frozen=True)
class Nystroem:
    """phi(x) = K(x,L) root, root root' = K(L,L)^-1: K(L,L)^(-1/2), turned so that its columns are eigenvectors.

    Eigenvalues of K(L,L) that rounding cannot tell from 0 are left out, with their columns.

    Parameters
    ----------
    kernel
        A kernel of inputs, with its bandwidth.
    landmarks
        The rows L.
    """

    kernel: Kernel
    landmarks: Rows

    @cached_property
    def root(self) -> Float[np.ndarray, "p r"]:
        """V w^(-1/2), where K(L,L) = V diag(w) V'."""
        values, vectors = eigh(self.kernel(self.landmarks), overwrite_a=True, check_finite=False)
        positive = values > len(values) * np.finfo(float).eps * max(values[-1], 0.0)
        if not positive.any():
            raise InputError("The kernel is 0 on all landmarks: nothing can be learned from it.")
        return vectors[:, positive] / np.sqrt(values[positive])

    def features(self, X: object) -> Float[np.ndarray, "n r"]:
        """phi(x) for each row."""
        rows = check_rows(X)
        n, r = len(rows), self.root.shape[1]
        advice = "Go through them in blocks (blocks, or nystroem_path)."
        require_memory(8 * n * r, f"{r} features of {n} samples", advice)
        features = np.empty((n, r))
        for where, part in self.blocks(rows):
            features[where] = part
        return features

    def blocks(self, X: Rows) -> Iterator[tuple[slice, Float[np.ndarray, "b r"]]]:
        """phi(x) for some rows at a time, with their places."""
        step = max(1, BLOCK // len(self.landmarks))
        for i in range(0, len(X), step):
            yield slice(i, i + step), self.kernel(X[i : i + step], self.landmarks) @ self.root


@dataclass(frozen=True)
class NystroemPath:
    """Ridge regression over Nystroem features, for each ridge.

    Attributes
    ----------
    features
        phi.
    path
        The weights over these features, for each ridge.
    """

    features: Nystroem
    path: FeaturePath

    @property
    def ridges(self) -> PerRidge:
        return self.path.penalties

    @cached_property
    def coefficients(self) -> Float[np.ndarray, "r p k"]:
        """The predictions are K(x, landmarks) times these, as if the landmarks were the training samples."""
        return np.einsum("pm,rmk->rpk", self.features.root, self.path.weights, optimize=True)

    def predict(self, X: object) -> Float[np.ndarray, "r t k"]:
        rows = check_rows(X)
        r, _, k = self.path.weights.shape
        require_memory(8 * r * len(rows) * k, f"Predictions of {len(rows)} samples", "Take fewer at a time.")
        predictions = np.empty((r, len(rows), k))
        for where, part in self.features.blocks(rows):
            predictions[:, where] = self.path.predict(part)
        return predictions

    def errors(self, X: object, Y: object) -> PerRidge:
        """The mean over samples of |prediction - y|^2, for each ridge."""
        rows = check_rows(X)
        targets = check_targets(Y, len(rows))
        if not len(rows):
            raise InputError("There are no samples to take the error of.")
        total = np.zeros(len(self.ridges))
        for where, part in self.features.blocks(rows):
            total += len(part) * self.path.errors(part, targets[where])
        return total / len(rows)


def nystroem_features(
    kernel: Kernel, X: object, count: int, *, rng: Randomness, by: str = "uniform", ridge: float | None = None
) -> Nystroem:
    """Nystroem features with some of the rows of X as landmarks.

    Parameters
    ----------
    kernel
        Its bandwidth is taken from X if it is not a number.
    X
        The rows to choose from.
    count
        The number of landmarks; all rows if there are fewer.
    rng
        Draws the landmarks.
    by
        "uniform" draws every row with the same probability, "leverage" in proportion to its approximate leverage:
        more from where samples are rare and the kernel still sees them.
    ridge
        Of the leverages, on the scale of K; by default trace K / count, where they add up to at most count.

    Returns
    -------
    Nystroem
        The features as a function of inputs.
    """
    rows = check_rows(X)
    check_count(count, "The number of landmarks")
    if by not in LANDMARKS:
        raise unknown("way to draw landmarks", by, LANDMARKS)
    if not len(rows):
        raise InputError("There are no rows to take landmarks from.")
    if not kernel.combines:
        raise InputError("Nystroem features need a kernel of inputs, not a Gram matrix in their place.")
    n, p = len(rows), min(int(count), len(rows))
    require_memory(needed_memory(p), f"{p} landmarks", f"Take fewer (up to about {most_landmarks(n)} fit).")
    kernel = kernel.fit(rows)
    chosen = rng.permutation(n)[:p]
    if by == "leverage" and p < n:
        at = n / p * float(np.mean(kernel.diagonal(rows))) if ridge is None else ridge
        scores = leverage(Nystroem(kernel, rows[chosen]), rows, at)
        chosen = rng.choice(n, size=p, replace=False, p=scores / scores.sum())
    return Nystroem(kernel, rows[np.sort(chosen)])


def leverage(features: Nystroem, X: object, ridge: float) -> Float[np.ndarray, " n"]:
    """Each row's leverage, approximately: phi' (Phi' Phi + ridge I)^-1 phi + (K(x,x) - |phi|^2) / ridge, at most 1.

    The second part is what the features leave out of the kernel. With every row as a landmark the sum is exact: the
    diagonal of K (K + ridge I)^-1.
    """
    rows = check_rows(X)
    check_number(ridge, "ridge", positive=True)
    products, _ = summed_products(features, rows, np.empty((len(rows), 0)))
    products[np.diag_indices_from(products)] += ridge
    factor = cho_factor(products, overwrite_a=True)
    scores = features.kernel.diagonal(rows) / ridge
    for where, part in features.blocks(rows):
        scores[where] += np.einsum("nm,mn->n", part, cho_solve(factor, part.T))
        scores[where] -= np.sum(part**2, axis=1) / ridge
    return np.clip(scores, np.finfo(float).eps, 1.0)


def nystroem_path(features: Nystroem, X: object, Y: object, ridges: object = None) -> NystroemPath:
    """Ridge regression over Nystroem features for every ridge, a block of samples at a time.

    Parameters
    ----------
    features, X, Y
        The features, and the sample. No more than p x p numbers are held, with p landmarks.
    ridges
        On the scale of K; by default the path of the kernel <phi(x), phi(z)>.

    Returns
    -------
    NystroemPath
        Coefficients, predictions and errors for each ridge.
    """
    rows = check_rows(X)
    targets = check_targets(Y, len(rows))
    return NystroemPath(features, path_of_products(*summed_products(features, rows, targets), len(rows), ridges))


def summed_products(
    features: Nystroem, X: Rows, Y: Targets
) -> tuple[Float[np.ndarray, "r r"], Float[np.ndarray, "r k"]]:
    """Phi' Phi and Phi' Y."""
    p, r = features.root.shape
    needed = needed_memory(p, outputs=Y.shape[1]) - 8 * p * p  # the root is there already
    require_memory(needed, f"Regression over {r} features", "Take fewer landmarks or outputs.")
    products, cross = np.zeros((r, r)), np.zeros((r, Y.shape[1]))
    for where, part in features.blocks(X):
        products += part.T @ part
        cross += part.T @ Y[where]
    return products, cross


def needed_memory(landmarks: int, *, outputs: int = 1) -> int:
    """Bytes that so many landmarks take at most, from K(L,L) to the path of ridges; the samples not counted."""
    return 8 * (SQUARES * landmarks**2 + 3 * RIDGES * landmarks * outputs + 4 * max(BLOCK, landmarks))


def most_landmarks(samples: int, *, outputs: int = 1, memory: int | None = None) -> int:
    """How many landmarks fit into memory, no more than there are samples.

    Parameters
    ----------
    samples
        The number of samples; their own memory is not counted.
    outputs
        The number of columns of the targets.
    memory
        In bytes; by default half of what is free.

    Returns
    -------
    int
        0 if not even one fits.
    """
    numbers = (available_memory() // 2 if memory is None else memory) // 8 - 4 * BLOCK
    b = 3 * RIDGES * outputs  # SQUARES p^2 + b p = numbers
    p = (isqrt(b * b + 4 * SQUARES * numbers) - b) // (2 * SQUARES) if numbers > 0 else 0
    return max(0, min(samples, p))


def choose_nystroem(
    features: Nystroem, X: object, Y: object, ridges: object = None, *, rng: SplitRandomness, held_out: float = 0.2
) -> ChosenRidge:
    """Judge every ridge on samples held out, then solve for the best one on all of them.

    Phi' Phi of all the samples is that of those held out plus that of the others, so that each is visited once, and
    those held out once more.

    Parameters
    ----------
    features, X, Y, ridges
        As of ``nystroem_path``.
    rng, held_out
        Draws the samples held out, and their share.

    Returns
    -------
    ChosenRidge
        Its coefficients belong to the landmarks; its spectrum is that of Phi' Phi.
    """
    rows = check_rows(X)
    targets = check_targets(Y, len(rows))
    if len(rows) < 2:
        raise InputError("A ridge cannot be chosen with 1 sample.")
    order = rng.permutation(len(rows))
    out = held_out_rows(order, held_out)[0]
    rest = np.sort(order[len(out) :])
    products, cross = summed_products(features, rows[rest], targets[rest])
    mean_diagonal = float(np.trace(products)) / len(rest)
    chosen = default_ridges(mean_diagonal, len(rows)) if ridges is None else check_ridges(ridges)
    judged = NystroemPath(features, path_of_products(products.copy(), cross, len(rest), chosen))
    errors = judged.errors(rows[out], targets[out])
    assert judged.path.spectrum is not None
    best = best_ridge(errors, chosen, judged.path.spectrum)
    more, more_cross = summed_products(features, rows[out], targets[out])
    more += products
    on_all = path_of_products(more, cross + more_cross, len(rows), chosen[best])
    assert on_all.spectrum is not None
    spectrum = replace(on_all.spectrum, samples=len(features.landmarks))
    return ChosenRidge(float(chosen[best]), chosen, errors, NystroemPath(features, on_all).coefficients[0], spectrum)
