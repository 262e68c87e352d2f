"""Floors on a table's own rows: what a kernel that learned from n rows cannot get below on the others.

Whatever its weights and its ridge are, its predictions for the other rows are K(other, train) c + offset: they lie in a
space of n + 1 dimensions. The part of y that is orthogonal to it is left. Where the other rows are not many more than
n, any space comes near y: a random one of as many dimensions explains n / rows of its variance.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from jaxtyping import Float
from scipy.linalg import qr

from kernelgap.audit.contenders.kernels import KernelRidge
from kernelgap.audit.contenders.registry import contender
from kernelgap.audit.contenders.view import SearchBudget
from kernelgap.audit.dataset import Dataset
from kernelgap.audit.statistics.results import KernelFloor
from kernelgap.seeds import stream

MOST_SAMPLES, MOST_ROWS = 1000, 6000  # of one floor: seconds of one core
ROUNDING = 1e-11  # of the largest direction: smaller ones are not told from rounding
BUDGET = SearchBudget(fits=1, epochs=1, most_rows=MOST_ROWS)


def kernel_floors(
    dataset: Dataset, Y_test: Float[np.ndarray, "test k"], kernel: str, settings: Mapping[int, Mapping[str, float]]
) -> Iterator[KernelFloor]:
    """The floor of a kernel for each number of samples, of those with a setting, that the other rows outnumber."""
    learner = contender(kernel)
    if not isinstance(learner, KernelRidge):
        return
    for samples, setting in sorted(settings.items()):
        view = dataset.view(samples, 0, BUDGET)
        learned = np.zeros(len(dataset.X), dtype=bool)
        learned[np.concatenate(dataset.rows(samples, 0))] = True
        X, Y = np.concatenate([dataset.X[~learned], dataset.X_test]), np.concatenate([dataset.Y[~learned], Y_test])
        if len(X) > MOST_ROWS:
            some = np.sort(stream(0, "floor").choice(len(X), MOST_ROWS, replace=False))
            X, Y = X[some], Y[some]
        if samples > MOST_SAMPLES or len(X) <= samples + 1:
            continue
        left, dimensions, exact = least_error(learner.cross_gram(view, setting, X), Y)
        constant = float(np.sum((Y - Y.mean(axis=0)) ** 2))
        if constant > 0:
            yield KernelFloor(
                kernel=kernel,
                samples=samples,
                rows=len(X),
                error=left / len(X) / dataset.divisor,
                share=left / constant,
                random_share=1 - dimensions / (len(X) - 1),
                exact=exact,
            )


def least_error(gram: Float[np.ndarray, "rows n"], Y: Float[np.ndarray, "rows k"]) -> tuple[float, int, bool]:
    """(least sum of squared errors over all weights and offsets, dimensions beside the constant, whether it is exact).

    With directions that are smaller than rounding it is that of a matrix that differs from the kernel's by rounding.
    """
    centred, residual = gram - gram.mean(axis=0), Y - Y.mean(axis=0)
    q, r, _ = qr(centred, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(r))
    known = sizes > ROUNDING * max(float(sizes.max(initial=0.0)), np.finfo(float).tiny)
    q = q[:, : int((sizes > 0).sum())]
    residual = residual - q @ (q.T @ residual)
    return float(np.sum(residual**2)), q.shape[1], bool(known.all())


def format_floor(floor: KernelFloor) -> str:
    """A sentence."""
    exact = "" if floor.exact else ", up to rounding"
    return (
        f"With {floor.samples:,} rows to learn from, no weights and no ridge of {floor.kernel} leave less than "
        f"{floor.share:.1%} of a constant's error on the other {floor.rows:,} rows{exact}; a random space of as many "
        f"dimensions leaves {floor.random_share:.1%}."
    )
