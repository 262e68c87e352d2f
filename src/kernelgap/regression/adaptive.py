"""Kernel regression that adapts its kernel: the recursive feature machine.

The kernel K_M(x,z) = kappa(sqrt((x - z)' M (x - z))) starts at M = I. Each round is a ridge regression f with K_M,
after which M becomes the average gradient outer product of f over the training inputs, scaled to the trace d:

  M = (1/n) sum_i sum_outputs grad f(x_i) grad f(x_i)'  x  d / trace.

Directions in which f changes come to count, others fade. Since M depends on the labels, this is no kernel method in the
sense of a kernel that is fixed before the target: floors for every kernel do not bind it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels.check import check_count
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel, Mahalanobis, Metric
from kernelgap.machine import one_blas_thread, require_memory
from kernelgap.regression.ridge import check_ridges, check_targets, default_ridges
from kernelgap.regression.selection import best_ridge, solve_quietly
from kernelgap.regression.spectrum import PerRidge, Spectrum, Targets
from kernelgap.rows import check_rows

POSITIVE = Spectrum(1, 0.0, 1.0)  # Gaussian and Laplace kernels are, in every metric


@dataclass(frozen=True)
class Round:
    """One regression: with this kernel each ridge had these errors on held-out samples. Round 0 has M = I.

    Attributes
    ----------
    number
        Of the round, counted from 0.
    kernel
        K_M with the round's M and bandwidth.
    ridges, errors
        The ridges tried, and the mean of |prediction - y|^2 over held-out samples with each.
    best
        The place of the best ridge among them.
    coefficients
        Of the training samples, with the best ridge.
    """

    number: int
    kernel: Mahalanobis
    ridges: PerRidge
    errors: PerRidge
    best: int
    coefficients: Targets  # with the best ridge

    @property
    def ridge(self) -> float:
        return float(self.ridges[self.best])

    @property
    def error(self) -> float:
        """The least of the errors: the mean over samples of |prediction - y|^2."""
        return float(self.errors[self.best])


def adaptive_rounds(
    kernel: Kernel,
    X: Float[np.ndarray, "n d"],
    Y: Targets,
    held_out: tuple[Float[np.ndarray, "t d"], Float[np.ndarray, "t k"]],
    *,
    rounds: int,
    ridges: object = None,
    diagonal: bool = False,
) -> Iterator[Round]:
    """The rounds of a recursive feature machine, one after the other: the caller may stop at any of them.

    Parameters
    ----------
    kernel
        Gaussian or Laplace. Each round takes a bandwidth "median" anew, from all inputs in its metric.
    X, Y
        The training sample.
    held_out
        Inputs and targets on which each round chooses its ridge, from one factorisation.
    rounds
        How many follow round 0, in which M = I. They end early if f is constant: then there is no next M.
    ridges
        Those to choose from; by default a path from near interpolation to hardly anything learned.
    diagonal
        Whether only the diagonal of M is kept.

    Yields
    ------
    Round
        The kernel, the errors of its ridges, and the coefficients with the best one.
    """
    if not isinstance(kernel, DistanceKernel):
        raise InputError(f"A kernel that adapts is gaussian or laplace, with or without arguments, not {kernel.spec}.")
    check_count(rounds, "The number of rounds", least=0)
    X, X_out = check_rows(X), check_rows(held_out[0], "The held-out X")
    Y, Y_out = check_targets(Y, len(X)), check_targets(held_out[1], len(X_out))
    n, d = X.shape
    advice = "Take fewer samples, or a kernel that does not adapt with Nystroem features (regression.nystroem_path)."
    what = f"An adaptive kernel on {n} samples with {d} features"
    require_memory(8 * (2 * n * n + len(X_out) * n + 6 * d * d), what, advice)
    chosen = default_ridges(1.0, n + len(X_out)) if ridges is None else check_ridges(ridges)

    def generate() -> Iterator[Round]:
        metric: Metric | None = np.eye(d)
        for number in range(rounds + 1):
            if metric is None:
                return
            adapted = Mahalanobis(kernel, metric).fit(np.concatenate([X, X_out]))
            with one_blas_thread():  # where others use the cores too, the small products of a factorisation wait
                path = solve_quietly(adapted(X), Y, chosen)
                errors = path.errors(adapted(X_out, X), Y_out)
                best = best_ridge(errors, chosen, POSITIVE)
                coefficients = path.only(best).coefficients[0]
            yield Round(number, adapted, chosen, errors, best, coefficients)
            if number < rounds:
                metric = next_metric(adapted, X, coefficients, diagonal=diagonal)

    return generate()  # the arguments are checked before the first round is asked for


def next_metric(
    kernel: Mahalanobis, X: Float[np.ndarray, "n d"], coefficients: Targets, *, diagonal: bool = False
) -> Metric | None:
    """The average gradient outer product of f = sum_j a_j K(., x_j), scaled to the trace d; None if f is constant."""
    products = kernel.gradient_products(X, X, coefficients)
    if diagonal:
        products = np.diag(np.diag(products))
    trace = float(np.trace(products))
    if not (np.isfinite(trace) and trace > 0):
        return None
    metric = products * (len(products) / trace)
    return (metric + metric.T) / 2
