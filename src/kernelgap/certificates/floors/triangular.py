"""The risks of many targets over a well conditioned span, at the speed of matrix products.

With G and the low coefficients L as in ``span``, the functions have the Gram matrix G + L L' = T T'. T comes from a
Cholesky factor C of G and a QR factorisation of [C'; L'], so that G + L L' itself, which is badly conditioned, is not
formed. For a parity with b_n = E f_n chi, y = T^-1 b: |y|^2 is captured, y_A y_B is captured of <A, B>, and w = T^-T y
are the best weights.

What rounding does: C C' differs from G by ``noise``, which changes |y|^2 by noise |w|^2. The QR factorisation changes
column n of [C'; L'] by some EPS |f_n|, which changes |y|^2 by 2 |y| times EPS sum_n |f_n| |w_n|, because [C'; L'] w is
as long as y. Solving changes T by EPS |T|, or on its diagonal blocks D, which are inverted, by EPS |D| |D^-1| |D|; that
changes |y|^2 by 2 w' dT y. All but the first are at most some EPS |w| |y| times ``spread``, a Frobenius norm.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import lapack

from kernelgap.certificates.floors.targets import OneTarget, Targets
from kernelgap.kernels.cube.spectrum import CubeSpectrum
from kernelgap.machine import one_blas_thread, threads

EPS = float(np.finfo(float).eps)
EPS32 = float(np.finfo(np.float32).eps)
APART = 64  # times the noise: all of G's eigenvalues are above
SMALLEST, LARGEST = 1e-100, 1e100  # of what is squared
SMALLEST_BLOCK, LARGEST_BLOCK = 8, 256  # rows of the diagonal blocks of T
ENTRIES, ROWS = 2**18, 256  # right-hand sides at a time: so many numbers, but not fewer rows
PAIRS = 2**21  # numbers in a table of products of two coordinates


class CapturedTriangular(NamedTuple):
    """What a span makes of parities."""

    squared: Float[np.ndarray, " sets"]  # |y|^2
    weights: Float[np.ndarray, " sets"]  # |w|, or a little more
    cross: Float[np.ndarray, "sets bases"]  # y_A y_B


class TriangularSpan:
    """Functions whose Gram matrix is T T'. Parities up to degree ``given_away`` are in the span, besides.

    ``noise`` is how far rounding can have moved the Gram matrix, ``change`` the functions' own values.
    """

    def __init__(
        self,
        spectrum: CubeSpectrum,
        signs: Float[np.ndarray, "n d"],
        factor: Float[np.ndarray, "n n"],
        *,
        noise: float,
        change: float,
        given_away: int,
    ) -> None:
        self.noise, self.change, self.given_away = noise, change, given_away
        self._eigenvalues, self._parities = spectrum.eigenvalues, ParityRows(signs)
        self._factor = np.ascontiguousarray(factor)
        inverse = lapack.dtrtri(factor, lower=1)[0]
        self._size = float(np.linalg.norm(inverse))
        self._inverse32 = (inverse / self._size).astype(np.float32, order="C")
        self._blocks, self.spread = _diagonal_blocks(self._factor, inverse)

    def risks(
        self, targets: Targets | OneTarget
    ) -> tuple[Float[np.ndarray, " targets"], Float[np.ndarray, " targets"]]:
        """No less, and no more, than the risk of each target."""
        energy = targets.size
        change, weights = self._of_one(targets) if isinstance(targets, OneTarget) else self._of_many(targets)
        risk = targets.energies(self.given_away).sum() + change
        error = 16 * EPS * (np.sqrt(weights * energy) * self.spread + energy)
        error += self.noise * weights * APART / (APART - 1)
        error += 2 * self.change * np.sqrt(weights * np.maximum(risk, 0.0))
        return risk - error, risk + error

    def _of_one(self, target: OneTarget) -> tuple[Float[np.ndarray, " targets"], Float[np.ndarray, " targets"]]:
        """What ``_risks`` says of a single target: y of a sum of parities is the sum of theirs."""
        captured, solved = self._solved(target.sets)
        risk = -((solved.T @ target.weights) ** 2).sum()
        weights = ((captured.weights @ np.abs(target.weights)) ** 2).sum()
        return np.array([risk]), np.array([weights])

    def _of_many(self, targets: Targets) -> tuple[Float[np.ndarray, " targets"], Float[np.ndarray, " targets"]]:
        """What ``_risks`` says of all targets, block by block."""
        base, solved = self._solved(targets.base_groups)
        step = max(ROWS, ENTRIES // len(self._factor))
        blocks = [slice(start, start + step) for start in range(0, len(targets), step)]

        def judge(block: slice) -> tuple[np.ndarray, np.ndarray]:
            captured = [self._capture(sets[block], solved) for sets in targets.composites]
            return _risks(targets, block, base, captured)

        if len(blocks) > 1 and threads() > 1:
            with one_blas_thread(), ThreadPoolExecutor(threads()) as pool:
                parts = list(pool.map(judge, blocks))
        else:
            parts = [judge(block) for block in blocks]
        change, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return change, weights

    def _solved(
        self, groups: Sequence[Int[np.ndarray, "_ _"]]
    ) -> tuple[CapturedTriangular, Float[np.ndarray, "sets n"]]:
        """What is captured of parities, in the order given, and y for each."""
        solved = np.zeros((sum(map(len, groups)), len(self._factor)))
        start = 0
        for sets in groups:
            count, size = sets.shape
            if size > self.given_away:
                solved[start : start + count] = self._solve(self._eigenvalues[size] * self._parities.of(sets))
            start += count
        weights = lapack.dtrtrs(self._factor.T, solved.T, lower=0)[0]  # T' w = y
        return CapturedTriangular(_squared(solved), np.linalg.norm(weights, axis=0), np.zeros((len(solved), 0))), solved

    def _capture(self, sets: Int[np.ndarray, "sets size"], bases: Float[np.ndarray, "bases n"]) -> CapturedTriangular:
        count, size = sets.shape
        if size <= self.given_away:
            return CapturedTriangular(np.zeros(count), np.zeros(count), np.zeros((count, len(bases))))
        value = float(self._eigenvalues[size])
        solved = self._solve(self._parities.of(sets))  # of chi: y is ``value`` times that
        squared = value**2 * _squared(solved)
        # single precision does for weights, which only bound errors; what it may have lost is added
        single = np.multiply(solved, value, dtype=np.float32, casting="same_kind") @ self._inverse32
        lost = (len(self._factor) + 4) * EPS32 * np.sqrt(squared)
        weights = self._size * (np.sqrt(_squared(single)) * (1 + 1e-3) + lost)
        return CapturedTriangular(squared, weights, value * (solved @ bases.T))

    def _solve(self, rows: Float[np.ndarray, "sets n"]) -> Float[np.ndarray, "sets n"]:
        """T^-1 times each row, in its place."""
        for start, stop, inverse in self._blocks:
            part = rows[:, start:stop]
            left = part - rows[:, :start] @ self._factor[start:stop, :start].T
            np.matmul(left, inverse.T, out=part)
        return rows


def _diagonal_blocks(
    factor: Float[np.ndarray, "n n"], inverse: Float[np.ndarray, "n n"]
) -> tuple[list[tuple[int, int, np.ndarray]], float]:
    """Where the diagonal blocks D of T start and stop, and D^-1; with the ``spread``, the size of what rounding moves.

    Blocks are halved until |D| |D^-1| |D| is no larger than T: the first columns of T are much larger than others.
    """
    whole = float(np.linalg.norm(factor))
    blocks, start, squared = [], 0, whole**2
    while start < len(factor):
        stop = min(len(factor), start + LARGEST_BLOCK)
        while (moved := _moved(factor[start:stop, start:stop], inverse[start:stop, start:stop])) > whole:
            if stop - start <= SMALLEST_BLOCK:
                break
            stop = start + (stop - start) // 2
        blocks.append((start, stop, np.ascontiguousarray(inverse[start:stop, start:stop])))
        squared += moved**2
        start = stop
    return blocks, squared**0.5


def _moved(block: Float[np.ndarray, "b b"], inverse: Float[np.ndarray, "b b"]) -> float:
    block, inverse = np.abs(block), np.abs(inverse)
    return float(np.linalg.norm(block @ (inverse @ block)))


class ParityRows:
    """chi_S at all inputs, a row for each S: products of rows from a table of products of two coordinates."""

    def __init__(self, signs: Float[np.ndarray, "n d"]) -> None:
        n, d = signs.shape
        self._single = np.ascontiguousarray(signs.T)
        self._pairs: np.ndarray | None = None
        if d * (d - 1) // 2 * n <= PAIRS:
            first, second = np.triu_indices(d, 1)
            self._pairs = self._single[first] * self._single[second]
            self._place = np.zeros((d, d), dtype=int)
            self._place[first, second] = self._place[second, first] = np.arange(len(first))

    def of(self, sets: Int[np.ndarray, "sets size"]) -> Float[np.ndarray, "sets n"]:
        count, size = sets.shape
        factors = [(self._single, sets[:, i]) for i in range(size)]
        if self._pairs is not None:
            factors = [(self._pairs, self._place[sets[:, i], sets[:, i + 1]]) for i in range(0, size - 1, 2)]
            factors += [(self._single, sets[:, -1])] if size % 2 else []
        if not factors:
            return np.ones((count, self._single.shape[1]))
        rows, *others = (table.take(places, axis=0) for table, places in factors)
        for other in others:
            rows *= other
        return rows


def triangular_factor(
    gram: Float[np.ndarray, "n n"], low: Float[np.ndarray, "n low"], change: float
) -> tuple[Float[np.ndarray, "n n"], float] | None:
    """T with G + L L' = T T', and how far rounding can have moved G; None where G is not clear of that.

    ``change`` is how far the functions' own values can have moved.
    """
    n = len(gram)
    factor, failed = lapack.dpotrf(gram, lower=1, clean=1)
    if failed:
        return None
    absolute = np.abs(factor)
    # rounding of the entries, and of the factorisation: at most (n + 1) EPS |C| |C'|, the constant taken as sqrt(n)
    products = float((absolute @ absolute.sum(axis=0)).max())
    noise = EPS * (float(np.abs(gram).sum(axis=1).max()) + n**0.5 * products) + change**2
    shifted = np.array(gram, order="F")
    shifted[np.diag_indices(n)] -= (APART + 1) * noise
    if lapack.dpotrf(shifted, lower=1, overwrite_a=1)[1] or not SMALLEST < noise < products < LARGEST:
        return None
    if low.shape[1]:
        upper, *_, failed = lapack.dtpqrt(0, min(32, n), np.asfortranarray(factor.T), np.asfortranarray(low.T))
        assert failed == 0
        factor = np.asfortranarray(np.triu(upper).T)
    return factor, noise


def _squared(rows: Float[np.ndarray, "sets n"]) -> Float[np.ndarray, " sets"]:
    return np.einsum("ij,ij->i", rows, rows).astype(float)


def _risks(
    targets: Targets, block: slice, base: CapturedTriangular, composites: list[CapturedTriangular]
) -> tuple[Float[np.ndarray, " targets"], Float[np.ndarray, " targets"]]:
    """Summed over outputs: the risk less |H|^2, and a bound of the squared weights."""
    risk, weights = np.zeros((2, len(composites[0].squared)))
    rows = np.arange(len(risk))
    alpha, beta = targets.alpha, targets.beta
    for j, (i, sign) in enumerate(zip(targets.which, targets.signs, strict=True)):
        b, composite = targets.base_of[block, j], composites[i]
        risk -= beta**2 * base.squared[b] + alpha**2 * composite.squared
        risk -= 2 * alpha * beta * sign * composite.cross[rows, b]
        weights += (beta * base.weights[b] + alpha * composite.weights) ** 2
    return risk, weights
