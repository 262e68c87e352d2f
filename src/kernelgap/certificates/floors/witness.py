"""What makes a kernel's floor easy to check: weights, and a factor that shows that G is positive definite.

For any weights w the risk |H|^2 - 2 <b,w> + <w,Gw> is attained; with r = b - G w the least one is lower by
|r|^2 / sigma at most, where sigma is at most the least eigenvalue of G. With G - sigma0 I = L L' + E and
|E| <= sigma0 / 2 (Frobenius) that eigenvalue is at least sigma0 / 2. Weights, L and sigma0 are dyadic numbers, so that
a checker has them exactly.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import frexp

import numpy as np
from flint import arb, arb_mat, fmpz
from jaxtyping import Float
from scipy.linalg import LinAlgError, cholesky, eigvalsh

from kernelgap.certificates.exact.cube import Cube
from kernelgap.certificates.floors.rigorous import (
    FIRST_BITS,
    MOST_BITS,
    TIGHT,
    System,
    inner,
    midpoints,
    refine,
    system_of,
    target_coefficients,
)
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels.cube.balls import as_ball, precision
from kernelgap.kernels.cube.spectrum import CubeSpectrum, eigenvalue_balls
from kernelgap.problems import ParityProblem
from kernelgap.progress import Progress, silent

LEAF = 24  # rows of a block that is factorised entry by entry
SPARE_BITS = 6  # of a factor and of weights, beyond what the proof needs
WIDTH = Fraction(1, 10**13)  # of what the weights may miss, of |H|^2
FLOAT_TELLS = 2.0**-40  # of the trace: eigenvalues below it are left to ball arithmetic
STEP = 24  # bits by which sigma0 is lowered where a factorisation fails

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Witness:
    """Dyadic numbers: whole numbers in units of 2^-bits.

    Attributes
    ----------
    weights_bits, weights
        A row for each input, a number for each output.
    factor_bits, factor
        L, lower triangular: rows of growing length.
    sigma_bits, sigma
        sigma0.
    """

    weights_bits: int
    weights: Rows
    factor_bits: int
    factor: Rows
    sigma_bits: int
    sigma: int


def distinct_inputs(signs: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "m d"]:
    """Without repetitions, in the order in which they first appear."""
    _, first = np.unique(signs, axis=0, return_index=True)
    return signs[np.sort(first)]


def find_witness(
    problem: ParityProblem,
    kernel: Kernel,
    cube: Cube,
    signs: Float[np.ndarray, "n d"],
    on_progress: Progress = silent,
) -> tuple[Witness, tuple[arb, arb]]:
    """A witness, and the bounds of the floor that it proves.

    Raises
    ------
    InputError
        If no positive eigenvalue of G is found: the functions K(., x_n) are probably dependent.
    """
    signs = distinct_inputs(signs)
    for bits in _precisions():
        on_progress(0.0, f"a witness with {len(signs)} x {len(signs)} balls of {bits} bits")
        with precision(bits):
            spectrum, system = _system(problem, kernel, cube, signs, bits)
            factored = _factored(spectrum, system.gram, bits)
            weights = None if factored is None else _weights(spectrum, signs, system, factored[0], on_progress)
            if factored is None or weights is None:
                continue
            sigma, factor_bits, factor = factored
            mantissa, exponent = map(int, sigma.man_exp())
            witness = Witness(*weights, factor_bits, factor, max(0, -exponent), mantissa << max(0, exponent))
            ends = _ends(system, witness)
            if ends is not None:
                return witness, ends
    raise InputError(
        f"{MOST_BITS} bits do not show that the {len(signs)} functions {kernel.spec}(., x_n) are independent: probably "
        "they are not (x and -x, say, with an odd or even kernel). Leave this kernel out."
    )


def check_witness(
    problem: ParityProblem,
    kernel: Kernel,
    cube: Cube,
    signs: Float[np.ndarray, "n d"],
    witness: Witness,
    interval: tuple[float, float],
) -> bool:
    """Whether the witness proves that the floor lies in the interval."""
    signs = distinct_inputs(signs)
    if [len(row) for row in witness.factor] != list(range(1, len(signs) + 1)) or witness.sigma <= 0:
        return False
    if [len(row) for row in witness.weights] != [problem.outputs] * len(signs):
        return False
    for bits in _precisions():
        with precision(bits):
            _, system = _system(problem, kernel, cube, signs, bits)
            ends = _ends(system, witness)
            if ends is not None and arb(interval[0]) <= ends[0] and ends[1] <= arb(interval[1]):
                return True
    return False


def _precisions() -> Iterator[int]:
    bits = FIRST_BITS
    while bits <= MOST_BITS // 4:
        yield bits
        bits *= 2


def _system(
    problem: ParityProblem, kernel: Kernel, cube: Cube, signs: Float[np.ndarray, "n d"], bits: int
) -> tuple[CubeSpectrum, System]:
    balls = eigenvalue_balls(kernel, cube.d, cube.squared_length, bits)
    spectrum = CubeSpectrum(kernel, cube.d, cube.squared_length, bits, balls)
    return spectrum, system_of(target_coefficients(problem), spectrum, signs)


def _ends(system: System, witness: Witness) -> tuple[arb, arb] | None:
    """Between which numbers the floor lies, by the witness; None if its factor shows nothing at this precision."""
    n = system.gram.nrows()
    sigma = _dyadic(witness.sigma, witness.sigma_bits)
    if not _frobenius(_remainder(system.gram, sigma, _lower(witness.factor, witness.factor_bits))) <= sigma / 2:
        return None
    rows = [[_dyadic(value, witness.weights_bits) for value in row] for row in witness.weights]
    weights = arb_mat(n, system.right.ncols(), [value for row in rows for value in row])
    residual = system.right - system.gram * weights
    risk = system.risk(weights, residual)
    missed = inner(residual, residual) / (sigma / 2)
    return (risk - missed).lower(), risk.upper()


def _factored(spectrum: CubeSpectrum, gram: arb_mat, bits: int) -> tuple[arb, int, Rows] | None:
    """sigma0, and L in units of 2^-bits."""
    n, middle = gram.nrows(), midpoints(gram)
    trace = middle.trace().mid()
    values = np.array([float(entry / trace) for entry in middle.entries()]).reshape(n, n)
    least = float(eigvalsh(values, subset_by_index=[0, 0])[0])
    # a quarter of the least eigenvalue or less, if float64 tells it
    power = frexp(least)[1] - 3 if least > FLOAT_TELLS else frexp(FLOAT_TELLS)[1]
    while power > -bits // 2:
        sigma = arb(2) ** (_power(trace) - 1 + power)
        # half a unit in each entry of L changes L L' by n sqrt(trace) units at most: here an eighth of sigma0
        units = max(0, _power(8 * n * trace.sqrt() / sigma) + SPARE_BITS)
        for factorise in (_float_factor, _cholesky):
            lower = factorise(middle - _times_identity(sigma, n))
            if lower is None:
                continue
            rounded = _rounded(lower, units)
            if _frobenius(_remainder(gram, sigma, _lower(rounded, units))) <= sigma / 4:
                return sigma, units, rounded
        power -= STEP
    return None


def _weights(
    spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], system: System, sigma: arb, on_progress: Progress
) -> tuple[int, Rows] | None:
    """Weights that miss little, rounded to dyadic numbers."""
    refined = refine(spectrum, signs, system, system.norm * as_ball(TIGHT), on_progress)
    exact = None if refined is None else refined.weights
    if exact is None or not _missed(system, exact, sigma) <= as_ball(WIDTH) * system.norm:
        try:
            exact = midpoints(midpoints(system.gram).solve(midpoints(system.right)))
        except ZeroDivisionError:
            return None
    n, k = exact.nrows(), exact.ncols()
    # half a unit in each weight changes r by at most trace(G) sqrt(n k) / 2 of them
    room = (as_ball(WIDTH) * system.norm * sigma).sqrt() / (system.gram.trace() * arb(n * k).sqrt())
    bits = max(0, _power(1 / room) + SPARE_BITS)
    entries = [_whole(entry, bits) for entry in exact.entries()]
    return bits, tuple(tuple(entries[i * k : (i + 1) * k]) for i in range(n))


def _missed(system: System, weights: arb_mat, sigma: arb) -> arb:
    residual = system.right - system.gram * weights
    return inner(residual, residual) / sigma


def _cholesky(matrix: arb_mat) -> arb_mat | None:
    """L with L L' = matrix to nearly all bits, by halves; None if a pivot is not positive. Midpoints count."""
    n = matrix.nrows()
    if n <= LEAF:
        return _small_cholesky(matrix)
    half, entries = n // 2, matrix.entries()

    def block(first: int, stop: int, left: int, right: int) -> arb_mat:
        return arb_mat(
            stop - first, right - left, [v for i in range(first, stop) for v in entries[i * n + left : i * n + right]]
        )

    upper = _cholesky(block(0, half, 0, half))
    if upper is None:
        return None
    beside = midpoints(upper.solve(block(0, half, half, n))).transpose()
    rest = _cholesky(midpoints(block(half, n, half, n) - beside * beside.transpose()))
    if rest is None:
        return None
    zeros = [arb(0)] * (n - half)
    rows = [row + zeros for row in upper.tolist()]
    rows += [left + right for left, right in zip(beside.tolist(), rest.tolist(), strict=True)]
    return arb_mat(rows)


def _small_cholesky(matrix: arb_mat) -> arb_mat | None:
    rows: list[list[arb]] = matrix.tolist()
    n = len(rows)
    lower = [[arb(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = (rows[i][j] - sum((lower[i][t] * lower[j][t] for t in range(j)), start=arb(0))).mid()
            if i == j:
                if not rest > 0:
                    return None
                lower[i][i] = rest.sqrt().mid()
            else:
                lower[i][j] = (rest / lower[j][j]).mid()
    return arb_mat(lower)


def _float_factor(matrix: arb_mat) -> arb_mat | None:
    """L in float64, which is enough where no eigenvalue is tiny."""
    n, trace = matrix.nrows(), matrix.trace().mid()
    if not trace > 0:
        return None
    values = np.array([float(entry / trace) for entry in matrix.entries()]).reshape(n, n)
    try:
        lower = cholesky(values, lower=True)
    except LinAlgError:
        return None
    return midpoints(arb_mat(lower.tolist()) * trace.sqrt().mid())


def _remainder(gram: arb_mat, sigma: arb, lower: arb_mat) -> arb_mat:
    return gram - _times_identity(sigma, gram.nrows()) - lower * lower.transpose()


def _times_identity(sigma: arb, n: int) -> arb_mat:
    return arb_mat(n, n, [sigma if i == j else arb(0) for i in range(n) for j in range(n)])


def _frobenius(matrix: arb_mat) -> arb:
    return inner(matrix, matrix).sqrt().upper()


def _lower(rows: Rows, bits: int) -> arb_mat:
    n = len(rows)
    return arb_mat([[_dyadic(v, bits) for v in row] + [arb(0)] * (n - len(row)) for row in rows])


def _rounded(lower: arb_mat, bits: int) -> Rows:
    return tuple(tuple(_whole(v, bits) for v in row[: i + 1]) for i, row in enumerate(lower.tolist()))


def _dyadic(value: int, bits: int) -> arb:
    """value 2^-bits, exactly: no precision rounds it."""
    return arb((fmpz(value), fmpz(-bits)))


def _power(ball: arb) -> int:
    """A power of 2 that nothing of the ball exceeds, and hardly more."""
    mantissa, exponent = map(int, ball.abs_upper().man_exp())
    return mantissa.bit_length() + exponent


def _whole(entry: arb, bits: int) -> int:
    """The whole number nearest to the midpoint, in units of 2^-bits."""
    mantissa, exponent = map(int, entry.mid().man_exp())
    shift = exponent + bits
    if shift >= 0:
        return mantissa << shift
    return (mantissa + (1 << (-shift - 1))) >> -shift
