r"""The predicted risk of kernel ridge regression, from the kernel's spectrum and the target's coefficients.

A kernel with eigenvalues lambda_i and a target with coefficients v_i on the same orthonormal functions, n samples and a
ridge delta: kappa > 0 solves

    sum_i L_i + delta / kappa = n,        L_i = lambda_i / (lambda_i + kappa),

L_i is the share of function i that is learned, and with E0 = n / (n - sum_i L_i^2)

    test error  = E0 (sum_i (1 - L_i)^2 v_i^2 + noise^2)
    train error = (delta / (n kappa))^2 * test error

(Simon, Dickens, Karkada and DeWeese, "The eigenlearning framework", 2023, and the references there). The test error
counts label noise; the risk, the distance to the target itself, is the test error less noise^2.

Functions that share an eigenvalue are one *group* here. Everything is computed from logarithms of eigenvalues and of
group sizes, so that 10^12 samples and eigenvalues of 10^-400 are no trouble. n - sum L^2 is computed as
sum L (1 - L) + delta / kappa, in which nothing cancels.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

PerPoint = Float[np.ndarray, " points"]

NEWTON_STEPS = 200
PRECISION = 1e-13  # of log kappa
BELOW = 60.0  # so far below the least eigenvalue, on the natural logarithmic scale, all is learned
GRID = 4000  # values of kappa among which the best ridge is looked for
GOLDEN_STEPS = 24  # of two cells of the grid, to a millionth of them
GOLDEN = (5**0.5 - 1) / 2
AT_ONCE = 2**22  # numbers of a table that is held at a time


@dataclass(frozen=True)
class Groups:
    """Groups of functions that share an eigenvalue, and what the target has in each.

    Attributes
    ----------
    log_sizes
        The logarithm of the number of functions of each group.
    log_eigenvalues
        The logarithm of the eigenvalue of each group; -inf where it is 0.
    energies
        For each group the sum of the target's squared coefficients, over functions and outputs.
    noise
        The expected squared norm of the label noise, summed over outputs.
    """

    log_sizes: Float[np.ndarray, " groups"]
    log_eigenvalues: Float[np.ndarray, " groups"]
    energies: Float[np.ndarray, " groups"]
    noise: float = 0.0

    @cached_property
    def log_trace(self) -> float:
        """The logarithm of sum_i lambda_i, which is the mean of K(x,x)."""
        return float(np.logaddexp.reduce(self.log_sizes + self.log_eigenvalues))

    @cached_property
    def log_rank(self) -> float:
        """The logarithm of the number of functions with a positive eigenvalue."""
        return float(np.logaddexp.reduce(self.log_sizes[np.isfinite(self.log_eigenvalues)]))

    @cached_property
    def least(self) -> float:
        """A logarithm of kappa at which all functions with a positive eigenvalue are learned."""
        return float(np.min(self.log_eigenvalues[np.isfinite(self.log_eigenvalues)])) - BELOW

    def shares(
        self, log_kappa: PerPoint
    ) -> tuple[Float[np.ndarray, "points groups"], Float[np.ndarray, "points groups"]]:
        """log L and log (1 - L) of each group."""
        both = np.logaddexp(self.log_eigenvalues, log_kappa[:, None])
        return self.log_eigenvalues - both, log_kappa[:, None] - both

    def sums(self, log_kappa: PerPoint) -> tuple[PerPoint, PerPoint, PerPoint]:
        """sum L, sum L (1 - L), and sum (1 - L)^2 v^2."""
        log_learned, log_left = self.shares(log_kappa)
        with np.errstate(over="ignore"):
            learned = np.exp(self.log_sizes + log_learned).sum(axis=1)
            between = np.exp(self.log_sizes + log_learned + log_left).sum(axis=1)
        return learned, between, np.exp(2 * log_left) @ self.energies


@dataclass(frozen=True)
class Solution:
    """What the theory says at each point, a number of samples with a ridge.

    Attributes
    ----------
    ridge, log_kappa
        The ridge delta, and the logarithm of kappa.
    effective_dimension
        sum_i L_i: how many functions' worth is learned.
    overfitting
        E0, the factor by which noise and what is not learned are amplified.
    test_error, train_error
        As in the formulas above, label noise included.
    risk
        The distance to the target itself.
    """

    ridge: PerPoint
    log_kappa: PerPoint
    effective_dimension: PerPoint
    overfitting: PerPoint
    test_error: PerPoint
    train_error: PerPoint
    risk: PerPoint


def solve(groups: Groups, n: PerPoint, ridge: PerPoint) -> Solution:
    """The predictions for each pair of a number of samples and a ridge.

    Parameters
    ----------
    groups
        The spectrum and the target.
    n, ridge
        Samples (at least 1) and ridges (at least 0, on the scale of K), of the same length.
    """
    return _at(groups, n, ridge, _log_kappa(groups, np.log(n), ridge))


def solve_best(groups: Groups, n: PerPoint) -> Solution:
    """The same with the ridge that makes the test error least.

    Each kappa from that of ridge 0 up is the kappa of one ridge. So the least error is looked for over kappa: first on
    a grid, where the sums do not depend on n, then by golden sections.
    """
    lowest = _log_kappa(groups, np.log(n), np.zeros_like(n))
    grid = np.linspace(float(lowest.min()), max(groups.log_trace, float(lowest.max())) + 5, GRID)
    learned, between, left = groups.sums(grid)
    place = np.empty(len(n), dtype=int)
    step = max(1, AT_ONCE // GRID)
    for i in range(0, len(n), step):
        some = n[i : i + step, None]
        room = np.maximum(some - learned, 0.0) + between  # n - sum L^2
        errors = np.where(grid >= lowest[i : i + step, None], some / room * (left + groups.noise), np.inf)
        place[i : i + step] = errors.argmin(axis=1)
    width = grid[1] - grid[0]
    low, high = np.maximum(grid[place] - width, lowest), np.maximum(grid[place] + width, lowest)

    def error(log_kappa: PerPoint) -> PerPoint:
        learned, between, left = groups.sums(log_kappa)
        return n / (np.maximum(n - learned, 0.0) + between) * (left + groups.noise)

    for _ in range(GOLDEN_STEPS):
        first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        better = error(first) <= error(second)
        low, high = np.where(better, low, first), np.where(better, second, high)
    best = np.where(error(lowest) <= error((low + high) / 2), lowest, (low + high) / 2)
    ridge = np.exp(best) * np.maximum(n - groups.sums(best)[0], 0.0)
    return _at(groups, n, np.where(best > lowest, ridge, 0.0), best)


def _at(groups: Groups, n: PerPoint, ridge: PerPoint, log_kappa: PerPoint) -> Solution:
    learned, between, left = groups.sums(log_kappa)
    with np.errstate(divide="ignore", over="ignore"):
        from_ridge = np.exp(np.log(ridge) - log_kappa)  # delta / kappa
        # n - sum L^2 = (n - sum L) + sum L (1 - L); the bracket is delta / kappa, or what is beyond the rank
        room = np.where(log_kappa > groups.least, from_ridge, np.maximum(n - learned, 0.0)) + between
        overfitting = n / room
    test_error = overfitting * (left + groups.noise)
    train_error = np.where(log_kappa > groups.least, from_ridge / n, np.maximum(1 - learned / n, 0.0)) ** 2 * test_error
    return Solution(ridge, log_kappa, learned, overfitting, test_error, train_error, test_error - groups.noise)


def _log_kappa(groups: Groups, log_n: PerPoint, ridge: PerPoint) -> PerPoint:
    """By Newton's method on the logarithm of sum L + delta / kappa, which falls with log kappa; halving as a guard.

    Where ridge is 0 and n beyond the rank of the kernel, there is no solution: kappa then counts as 0.
    """
    with np.errstate(divide="ignore"):
        log_ridge = np.log(ridge)
    high = np.logaddexp(groups.log_trace, log_ridge) - log_n  # sum L <= sum lambda / kappa
    low = np.where(ridge > 0, np.maximum(log_ridge - log_n, groups.least), groups.least)
    low = np.minimum(low, high)
    beyond = (ridge == 0) & (log_n >= groups.log_rank)
    point = np.where(beyond, groups.least, high)
    for _ in range(NEWTON_STEPS):
        log_learned, log_left = groups.shares(point)
        each = groups.log_sizes + log_learned
        of_ridge = log_ridge - point
        total = np.logaddexp(np.logaddexp.reduce(each, axis=1), of_ridge)
        slope = (
            np.logaddexp(np.logaddexp.reduce(each + log_left, axis=1), of_ridge) - total
        )  # log of -d total / d point
        above = total - log_n  # falls with kappa
        low, high = np.where(above >= 0, point, low), np.where(above <= 0, point, high)
        with np.errstate(over="ignore"):
            moved = point + above * np.exp(-slope)
        moved = np.where((moved > low) & (moved < high), moved, (low + high) / 2)
        moved = np.where(beyond, point, moved)
        done = np.abs(moved - point) <= PRECISION * np.maximum(1.0, np.abs(point))
        point = moved
        if done.all():
            break
    return point
