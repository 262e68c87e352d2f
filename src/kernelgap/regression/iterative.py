"""Kernel ridge regression by preconditioned conjugate gradients, for more samples than a factorisation has room for.

The Gram matrix is held once, as upper tiles in float32 where the ridge outweighs their rounding, and serves every ridge
and output. What is found is tested with the float64 matrix, whose tiles are computed again for it, and improved until
that residual is small (iterative refinement). So rounding of the tiles costs time, never digits. The residual bounds
what is missing: predictions on the training samples are off by at most its length.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_count, check_number
from kernelgap.machine import available_memory, require_memory, threads
from kernelgap.progress import Progress, part, silent
from kernelgap.regression.conjugate_gradients import conjugate_gradients
from kernelgap.regression.preconditioner import Preconditioner
from kernelgap.regression.ridge import check_ridges, check_targets, default_ridges, mean_errors
from kernelgap.regression.selection import ChosenRidge, RidgeErrors, SplitRandomness, best_ridge, held_out_rows
from kernelgap.regression.spectrum import PerRidge, Spectrum
from kernelgap.regression.tiles import Gram, HeldTiles, Tiles, held_bytes

TOLERANCE = 1e-5  # of the length of the targets
JUDGED = 1e-3  # the same, where ridges are only compared
ITERATIONS = 500
ROUNDS = 6  # of refinement
LATER = 0.3  # of the progress that is left after a round; most need one or two
OUTWEIGHED = 0.1  # of the ridge: how far rounding to float32 may move an eigenvalue
SAMPLED = 1000  # rows on which that rounding is measured
PRECONDITIONING = "preparing the preconditioner"
VECTORS = 9  # arrays of the size of all right-hand sides that are held at a time, besides one for each thread


class NotConvergedWarning(UserWarning):
    """Conjugate gradients stopped before the residual was small."""


class RecomputedWarning(UserWarning):
    """The Gram matrix does not fit in memory and is computed anew in every iteration."""


@dataclass(frozen=True)
class Convergence:
    """What conjugate gradients reached.

    Attributes
    ----------
    ridges
        On the scale of K.
    iterations
        Products with the Gram matrix, of the output that took most of them, for each ridge.
    residuals
        The largest over outputs of |Y - (K + ridge I) a| / |Y|, in float64, for each ridge.
    tolerance
        What was asked for.
    precision
        Of the tiles: "float32" or "float64".
    """

    ridges: PerRidge
    iterations: Int[np.ndarray, " r"]
    residuals: PerRidge
    tolerance: float
    precision: str

    @property
    def converged(self) -> bool:
        return bool(np.all(self.residuals <= self.tolerance))

    def __str__(self) -> str:
        verdict = "converged" if self.converged else "did not converge"
        reached = f"a residual of {self.residuals.max():.2g} of the targets"
        return f"{verdict}: {self.iterations.max()} iterations, {reached} ({self.tolerance:.2g} asked for)"


@dataclass(frozen=True)
class IterativePath:
    """Solutions for each ridge, with their convergence.

    Attributes
    ----------
    coefficients
        a = (K + ridge I)^-1 Y for each ridge.
    convergence
        Iterations and residuals.
    """

    coefficients: Float[np.ndarray, "r n k"]
    convergence: Convergence


class IterativeSolver:
    """A Gram matrix made ready for ridge regression with given ridges.

    Parameters
    ----------
    gram
        A ``KernelGram`` or a ``MatrixGram``.
    ridges
        On the scale of K, as in ``ridge_path``. By default ``default_ridges``, those that float32 allows.
    rng
        Draws the landmarks.
    landmarks
        Of the preconditioner; by default 8 sqrt(n). More take fewer iterations. 0 for none.
    tolerance
        Each output's residual is to be at most this share of its targets.
    most
        Iterations at most.
    on_progress
        Is called with the share done and what is being done.

    Raises
    ------
    InputError
        If the vectors that are needed do not fit in memory, or a ridge is 0.
    """

    def __init__(
        self,
        gram: Gram,
        ridges: object = None,
        *,
        rng: SplitRandomness,
        landmarks: int | None = None,
        tolerance: float = TOLERANCE,
        most: int = ITERATIONS,
        on_progress: Progress = silent,
    ) -> None:
        check_number(tolerance, "tolerance", positive=True)
        check_count(most, "The number of iterations")
        self._gram, self._tolerance, self._most = gram, float(tolerance), int(most)
        self._report = on_progress
        n = gram.samples
        count = default_landmarks(n) if landmarks is None else min(n, int(landmarks))
        self._order = np.asarray(rng.permutation(n))
        self._landmarks = count
        self._held: Tiles | None = None
        self._mean_diagonal = float(np.mean(gram.diagonal()))
        self.rounding = self._measured_rounding()
        if ridges is None:
            path = default_ridges(self._mean_diagonal, n)
            self.ridges = path[path * OUTWEIGHED >= self.rounding]
        else:
            self.ridges = check_ridges(ridges)
        if not self.ridges.min() > 0:
            raise InputError("The iterative solver needs a ridge above 0: give one, or take solver='direct'.")

    @property
    def precision(self) -> type[np.float32] | type[np.float64]:
        """The precision of tiles in memory: float32 where its rounding stays below a tenth of every ridge."""
        return np.float32 if self.rounding <= OUTWEIGHED * self.ridges.min() else np.float64

    def memory(self, columns: int) -> int:
        """``iterative_memory`` with the precision and the landmarks of this solver."""
        return held_bytes(self._gram.samples, np.dtype(self.precision).itemsize) + self._others(columns)

    def solve(self, Y: object, ridges: object = None) -> IterativePath:
        """The coefficients for each ridge, tested in float64.

        Parameters
        ----------
        Y
            Targets (n, k).
        ridges
            Some of ``ridges``; by default all.

        Returns
        -------
        IterativePath
            With a ``NotConvergedWarning`` where a residual stays above the tolerance.
        """
        targets = check_targets(Y, self._gram.samples)
        chosen = self.ridges if ridges is None else check_ridges(ridges)
        self._require(len(chosen) * targets.shape[1])
        tiles = self._tiles(len(chosen) * targets.shape[1])
        exact = tiles if tiles.dtype == np.float64 else self._gram
        right, shifts = np.tile(targets, len(chosen)), np.repeat(chosen, targets.shape[1])
        report = part(self._report, 0.7, 0.75)
        preconditioner = Preconditioner.of(
            self._gram, self._drawn(), np.ones(len(targets)), lambda share: report(share, PRECONDITIONING)
        )
        sizes = np.linalg.norm(right, axis=0)
        scale = np.where(sizes > 0, sizes, 1.0)
        W, R = np.zeros(right.shape), right.copy()
        iterations, residuals = np.zeros(len(shifts), dtype=int), (sizes > 0).astype(float)
        for number in range(ROUNDS):
            report = part(self._report, 1 - 0.25 * LATER**number, 1 - 0.25 * LATER ** (number + 1))
            (todo,) = np.nonzero(residuals > self._tolerance)
            left = self._most - int(iterations.max(initial=0))
            if not len(todo) or left <= 0:
                break
            solved = conjugate_gradients(
                tiles.product,
                preconditioner.apply,
                R[:, todo],
                shifts[todo],
                goals=0.5 * self._tolerance * scale[todo],
                most=left,
                on_iteration=_solving(part(report, 0.0, 0.5), self._tolerance, "solving"),
            )
            W[:, todo] += solved.solution
            iterations[todo] += solved.iterations
            images = exact.product(W[:, todo], _testing(part(report, 0.5, 1.0)))
            R[:, todo] = right[:, todo] - images - shifts[todo] * W[:, todo]
            before, residuals = residuals, np.linalg.norm(R, axis=0) / scale
            if solved.indefinite or np.any(residuals[todo] > np.maximum(0.5 * before[todo], self._tolerance)):
                break
        convergence = Convergence(
            chosen,
            iterations.reshape(len(chosen), -1).max(axis=1, initial=0),
            residuals.reshape(len(chosen), -1).max(axis=1, initial=0.0),
            self._tolerance,
            str(tiles.dtype),
        )
        if not convergence.converged:
            _warn_of(convergence)
        self._report(1.0, "solving")
        return IterativePath(W.reshape(len(targets), len(chosen), -1).transpose(1, 0, 2), convergence)

    def judge(self, Y: object, *, rng: SplitRandomness, held_out: float = 0.2) -> RidgeErrors:
        """The ridge with the least error on samples held out, from the same tiles.

        Residuals are brought to 1e-3 of the targets, which is enough to compare ridges. A ridge that does not get
        there has the error NaN, with a warning.

        Parameters
        ----------
        Y, rng, held_out
            Targets (n, k); draws the samples held out, and their share.

        Returns
        -------
        RidgeErrors
            The best ridge, and the error of each.
        """
        targets = check_targets(Y, self._gram.samples)
        n, k = targets.shape
        if n < 2:
            raise InputError("A ridge cannot be chosen with 1 sample: give it as a number.")
        (out,) = held_out_rows(rng.permutation(n), held_out)
        self._require(len(self.ridges) * k)
        inside = np.ones(n)
        inside[out] = 0.0
        tiles = self._tiles(len(self.ridges) * k)
        landmarks = self._order[inside[self._order] > 0][: self._landmarks]
        right, shifts = np.tile(inside[:, None] * targets, len(self.ridges)), np.repeat(self.ridges, k)
        goals = JUDGED * np.linalg.norm(right, axis=0)
        report = part(self._report, 0.4, 0.45)
        preconditioner = Preconditioner.of(self._gram, landmarks, inside, lambda share: report(share, PRECONDITIONING))
        solved = conjugate_gradients(
            lambda V: inside[:, None] * tiles.product(V),
            preconditioner.apply,
            right,
            shifts,
            goals=goals,
            most=self._most,
            on_iteration=_solving(part(self._report, 0.45, 0.7), JUDGED, "choosing the ridge"),
        )
        images = tiles.product(solved.solution)
        missing = right - inside[:, None] * images - shifts * solved.solution
        reached = np.all((np.linalg.norm(missing, axis=0) <= 2 * goals).reshape(-1, k), axis=1)
        if not reached.all():
            few = f"{np.sum(~reached)} of {len(reached)} ridges were not judged: conjugate gradients did not get there"
            warnings.warn(f"{few} in {self._most} iterations.", NotConvergedWarning, stacklevel=2)
        predictions = images[out].reshape(len(out), len(self.ridges), k).transpose(1, 0, 2)
        errors = np.where(reached, mean_errors(predictions, targets[out]), np.nan)
        best = best_ridge(errors, self.ridges, self.spectrum)
        return RidgeErrors(float(self.ridges[best]), self.ridges, errors)

    def choose(self, Y: object, *, rng: SplitRandomness, held_out: float = 0.2) -> tuple[ChosenRidge, Convergence]:
        """The ridge by ``judge``, if there are several, and the coefficients with it on all samples."""
        if len(self.ridges) > 1:
            judged = self.judge(Y, rng=rng, held_out=held_out)
        else:
            judged = RidgeErrors(float(self.ridges[0]), self.ridges, np.full(1, np.nan))
        path = self.solve(Y, judged.ridge)
        return ChosenRidge(*judged, np.ascontiguousarray(path.coefficients[0]), self.spectrum), path.convergence

    @property
    def spectrum(self) -> Spectrum:
        """K is taken as positive semi-definite; its largest eigenvalue is at most its trace."""
        return Spectrum(self._gram.samples, 0.0, self._mean_diagonal * self._gram.samples)

    def _drawn(self) -> Int[np.ndarray, " p"]:
        return self._order[: self._landmarks]

    def _measured_rounding(self) -> float:
        """How far float32 moves an eigenvalue of K: |K - float32(K)| on some rows, times n over their number.

        Errors of one sign would grow like that; those of rounding grow as the square root.
        """
        some = self._order[: min(SAMPLED, max(self._landmarks, 100))]
        block = self._gram.block(some)
        with np.errstate(over="ignore", invalid="ignore"):
            apart = block - block.astype(np.float32)
            if not np.isfinite(apart).all():
                return math.inf
        return float(np.linalg.norm(apart, 2)) * self._gram.samples / len(some)

    def _tiles(self, columns: int) -> Tiles:
        """What products are taken with: tiles in memory where they fit, else those of the Gram matrix itself."""
        if self._held is None:
            self._held = self._gram if self._gram.in_memory else self._tiles_that_fit(columns)
        return self._held

    def _tiles_that_fit(self, columns: int) -> Tiles:
        n = self._gram.samples
        itemsize = np.dtype(self.precision).itemsize
        needed, free = self.memory(columns), available_memory()
        if needed <= free:
            return HeldTiles(self._gram, self.precision, part(self._report, 0.0, 0.4))
        why = "" if itemsize == 4 else f" in float64, which the ridge {self.ridges.min():.3g} needs,"
        warnings.warn(
            f"The Gram matrix of {n} samples{why} takes {needed / 2**30:.3g} GiB, and {free / 2**30:.3g} GiB are free: "
            "it is computed anew in every iteration. Take fewer samples, or a larger ridge.",
            RecomputedWarning,
            stacklevel=5,
        )
        return self._gram

    def _others(self, columns: int) -> int:
        return _besides_tiles(self._gram.samples, self._landmarks, columns)

    def _require(self, columns: int) -> None:
        n = self._gram.samples
        what = f"Solving for {columns} columns (ridges times outputs) with {n} samples"
        require_memory(self._others(columns), what, "Take fewer ridges, outputs or samples.")


def default_landmarks(samples: int) -> int:
    """8 sqrt(n), of the preconditioner."""
    return min(samples, math.ceil(8 * math.sqrt(samples)))


def iterative_memory(samples: int, columns: int) -> int:
    """The bytes that ``IterativeSolver`` takes with float32 tiles and its own number of landmarks, besides the inputs.

    Parameters
    ----------
    samples
        Of the Gram matrix.
    columns
        Ridges times outputs.

    Returns
    -------
    int
        For tiles, preconditioner and vectors.
    """
    return held_bytes(samples, 4) + _besides_tiles(samples, default_landmarks(samples), columns)


def _besides_tiles(samples: int, landmarks: int, columns: int) -> int:
    """Bytes of the preconditioner, while it is made, and of vectors for so many columns."""
    n, p = samples, landmarks
    return 8 * (2 * n * p + 4 * p * p + (VECTORS + threads()) * n * columns)


def _solving(report: Progress, tolerance: float, activity: str) -> Callable[[float], None]:
    furthest = 0.0

    def on_iteration(ratio: float) -> None:
        nonlocal furthest
        furthest = max(furthest, _nearness(ratio, tolerance))  # residuals may grow for some iterations
        report(furthest, activity)

    return on_iteration


def _testing(report: Progress) -> Callable[[float], None]:
    return lambda share: report(share, "testing the residual")


def _nearness(ratio: float, tolerance: float) -> float:
    """0 where the residual is that of nothing learned, 1 where it is small enough."""
    return float(np.clip(1 + math.log(max(ratio, 1.0)) / math.log(min(tolerance, 0.1)), 0.0, 1.0))


def _warn_of(convergence: Convergence) -> None:
    worst = int(np.argmax(convergence.residuals))
    warnings.warn(
        f"With the ridge {convergence.ridges[worst]:.3g} conjugate gradients {convergence}. The coefficients are not "
        "the solution: take a larger ridge, more iterations, more landmarks, or the direct solver.",
        NotConvergedWarning,
        stacklevel=3,
    )
