r"""The predicted test error of kernel ridge regression on fewer rows than a pool has, from the pool's Gram matrix.

The pool has M rows, K is their Gram matrix. With any ridge t on the whole pool

    1 / kappa = tr (K + t I)^-1,        D = tr K (K + t I)^-1 = M - t / kappa,

estimate the theory's kappa and its D(kappa) = sum_i L_i without knowing the spectrum of the kernel on all of the
distribution: the M eigenvalues of K alone would not do, as those of a finite pool fall too fast. A regression on n rows
with the ridge delta has kappa with D(kappa) + delta / kappa = n. So it has the kappa of the pool with the ridge

    t = delta + (M - n) kappa,

and with it every L_i. The test errors of the two differ by E0 alone, E0(n) = n / (n - sum_i L_i^2), and that of the
pool is its leave-one-out error, which has a closed form. Thus, with S = sum_i L_i (1 - L_i) = -dD / d log kappa,

    test error (n, delta) = leave-one-out error (M, t) * E0(n) / E0(M),        E0(n) = n / (delta / kappa + S).

For n = M and t = delta this is the leave-one-out error itself.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy.interpolate import CubicSpline

from kernelgap.errors import InputError
from kernelgap.machine import require_memory
from kernelgap.regression.spectrum import Spectrum

PerPoint = Float[np.ndarray, " points"]

SPACING = 0.1  # of the grid of log t
COARSE = 4  # steps of it between two leave-one-out errors that are computed
ABOVE = 12.0  # the grid ends so far above the trace, or the greatest ridge, on the natural logarithmic scale
HALVINGS = 60
GOLDEN_STEPS = 24  # of two cells of the grid, to a millionth of them
GOLDEN = (5**0.5 - 1) / 2
AT_ONCE = 2**22  # numbers of a table that is held at a time


@dataclass(frozen=True)
class PoolSolution:
    """What the theory says at each point, a number of samples with a ridge; names as in ``theory.Solution``."""

    ridge: PerPoint
    effective_dimension: PerPoint
    overfitting: PerPoint
    test_error: PerPoint
    train_error: PerPoint


@dataclass(frozen=True)
class PoolSpectrum:
    """The eigenvalues of a pool's Gram matrix, its eigenvectors, and the targets in their basis."""

    eigenvalues: Float[np.ndarray, " rows"]
    vectors: Float[np.ndarray, "rows rows"]
    rotated: Float[np.ndarray, "rows outputs"]
    greatest_ridge: float

    @classmethod
    def of(cls, gram: np.ndarray, Y: np.ndarray, greatest_ridge: float, name: str) -> "PoolSpectrum":
        """Refuses a matrix that is not positive semi-definite."""
        n = len(gram)
        require_memory(32 * n * n, f"The eigenvectors of {n} x {n}", "Take a smaller pool.")
        values, vectors = np.linalg.eigh(gram)
        ends = Spectrum(n, float(values[0]), float(values[-1]))
        if ends.largest <= 0 and ends.positive:
            raise InputError(f"The Gram matrix of {name} on this pool is 0: nothing can be learned from it.")
        if not ends.positive:
            raise InputError(
                f"The Gram matrix of {name} on this pool is {ends}: it is no positive semi-definite kernel, and the "
                "theory does not apply."
            )
        return cls(np.where(values > ends.rounding, values, 0.0), vectors, vectors.T @ Y, greatest_ridge)

    @property
    def rows(self) -> int:
        return len(self.eigenvalues)

    @cached_property
    def grid(self) -> Float[np.ndarray, " grid"]:
        """Logarithms of t, from what rounding allows to where nothing is learned."""
        largest = float(self.eigenvalues[-1])
        low = np.log(4 * self.rows * np.finfo(float).eps * largest)
        high = np.log(max(float(self.eigenvalues.sum()), self.greatest_ridge)) + ABOVE
        steps = COARSE * int(np.ceil((high - low) / (COARSE * SPACING)))
        return np.linspace(low, high, steps + 1)

    @cached_property
    def table(self) -> Float[np.ndarray, "grid 4"]:
        """log kappa, log D, log S and the logarithm of the leave-one-out error over E0(M), at each t of the grid."""
        ridges = np.exp(self.grid)
        inverse = 1 / (self.eigenvalues[:, None] + ridges)  # rows x grid
        trace = inverse.sum(axis=0)
        learned = (self.eigenvalues[:, None] * inverse).sum(axis=0)
        # dD / dt = -sum w / (w + t)^2,  dkappa / dt = kappa^2 sum 1 / (w + t)^2
        between = (self.eigenvalues[:, None] * inverse**2).sum(axis=0) * trace / (inverse**2).sum(axis=0)
        overfitting = self.rows / (ridges * trace + between)
        some = slice(None, None, COARSE)
        errors = CubicSpline(self.grid[some], np.log(self.leave_one_out(ridges[some])))(self.grid)
        return np.stack([-np.log(trace), np.log(learned), np.log(between), errors - np.log(overfitting)], axis=1)

    @cached_property
    def spline(self) -> CubicSpline:
        return CubicSpline(self.grid, self.table)

    def leave_one_out(self, ridges: Float[np.ndarray, " r"]) -> Float[np.ndarray, " r"]:
        """The mean over rows of |y_i - prediction from the other rows|^2: that of a_i / (K + t I)^-1_ii."""
        inverse = 1 / (self.eigenvalues[:, None] + ridges)
        diagonal = self.vectors**2 @ inverse
        total = np.zeros(len(ridges))
        for column in self.rotated.T:
            total += (((self.vectors @ (inverse * column[:, None])) / diagonal) ** 2).mean(axis=0)
        return np.maximum(total, np.finfo(float).tiny)

    def solve(self, n: PerPoint, ridge: PerPoint) -> PoolSolution:
        """The predictions for each pair of a number of samples, at most that of the rows, and a ridge."""
        return self._at(n, ridge, self._log_t(n, ridge))

    def solve_best(self, n: PerPoint) -> PoolSolution:
        """The same with the ridge that makes the test error least: each t from that of ridge 0 up is one ridge's."""
        lowest = self._log_t(n, np.zeros_like(n))
        place = np.empty(len(n), dtype=int)
        step = max(1, AT_ONCE // len(self.grid))
        for i in range(0, len(n), step):
            some = slice(i, i + step)
            errors = self._error(n[some, None], self.table.T[:, None, :])
            place[some] = np.where(self.grid >= lowest[some, None], errors, np.inf).argmin(axis=1)
        width = self.grid[1] - self.grid[0]
        low = np.maximum(self.grid[place] - width, lowest)
        high = np.clip(self.grid[place] + width, lowest, self.grid[-1])
        for _ in range(GOLDEN_STEPS):
            first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            better = self._error(n, self.spline(first).T) <= self._error(n, self.spline(second).T)
            low, high = np.where(better, low, first), np.where(better, second, high)
        best = (low + high) / 2
        at_zero = self._error(n, self.spline(lowest).T) <= self._error(n, self.spline(best).T)
        best = np.where(at_zero, lowest, best)
        log_kappa, log_learned, _, _ = self.spline(best).T
        ridge = np.where(at_zero, 0.0, np.maximum(n - np.exp(log_learned), 0.0) * np.exp(log_kappa))
        return self._at(n, ridge, best)

    def _log_t(self, n: PerPoint, ridge: PerPoint) -> PerPoint:
        """Where D + delta / kappa, which falls with t, is n; the start of the grid where n is beyond the rank."""
        low, high = np.full(len(n), self.grid[0]), np.full(len(n), self.grid[-1])
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            log_kappa, log_learned, _, _ = self.spline(middle).T
            above = np.exp(log_learned) + ridge * np.exp(-log_kappa) >= n
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return low

    @staticmethod
    def _error(n: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The test error at each t, given its four numbers of the table."""
        _, log_learned, log_between, log_error = values
        room = np.maximum(n - np.exp(log_learned), 0.0) + np.exp(log_between)  # n - sum L^2
        return n / room * np.exp(log_error)

    def _at(self, n: PerPoint, ridge: PerPoint, log_t: PerPoint) -> PoolSolution:
        values = self.spline(log_t).T
        log_kappa, log_learned, log_between, log_error = values
        beyond = np.maximum(n - np.exp(log_learned), 0.0)  # the rank, where t cannot be smaller
        from_ridge = np.where(log_t > self.grid[0], ridge * np.exp(-log_kappa), beyond)  # delta / kappa
        overfitting = n / (from_ridge + np.exp(log_between))
        test_error = overfitting * np.exp(log_error)
        return PoolSolution(ridge, np.exp(log_learned), overfitting, test_error, (from_ridge / n) ** 2 * test_error)
