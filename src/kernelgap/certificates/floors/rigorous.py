"""The oracle risk as a proof: everything in ball arithmetic, precision raised until the answer is tight.

Mostly no system is solved in ball arithmetic: weights come by refinement, with a bound for what they miss. Any weights
w give |H|^2 - 2 b'w + w'Gw, a risk that is attained; with the residual r = b - Gw the least one is lower by r' G^-1 r,
which is at most |r|^2 over the smallest eigenvalue of G. The weights come from float64 and are refined with residuals
in ball arithmetic; risk and residual are enclosed. The smallest eigenvalue is bounded from below through the part of G
above some degree (what is left out is positive semi-definite): if a Cholesky factorisation of that part less s times
the identity runs to its end in floating point, no eigenvalue is below s by more than its rounding, for which Rump (BIT
46, 2006) gives a bound that holds for any order of operations.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat
from jaxtyping import Float
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigvalsh

from kernelgap.certificates.exact.cube import Cube
from kernelgap.certificates.floors.family import as_written
from kernelgap.certificates.floors.spectral import gram_above, most_apart, parities_up_to, uncertainty_above
from kernelgap.durations import format_estimate
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels.cube.balls import as_ball, precision
from kernelgap.kernels.cube.spectrum import CubeSpectrum, eigenvalue_balls, has_every_degree
from kernelgap.machine import require_memory
from kernelgap.problems import FourierProblem
from kernelgap.problems.fourier import IndexSet
from kernelgap.progress import Progress, silent

FIRST_BITS = 192
MOST_BITS = 2**13
TIGHT = Fraction(1, 10**15)  # width of the enclosure, relative to |H|^2
ROUNDS = 12
MOST_WORK = 4e12  # of solving in balls, n^3 bits: about ten minutes
SECONDS = 1.5e-10  # for one
UNIT = 2.0**-53
DEPENDENT = (  # formatted with the rank
    "span at most {:,} dimensions, so no proof finds their weights: take no more samples than that, or "
    "rigorous=False (no --rigorous)."
)
LEAST = 1e-250  # trace of a matrix in whose factorisation nothing underflows


def enclose(
    problem: FourierProblem,
    kernel: Kernel,
    cube: Cube,
    signs: Float[np.ndarray, "n d"],
    bits: int = 0,
    on_progress: Progress = silent,
    most_work: float = MOST_WORK,
) -> arb:
    """A ball that contains the least risk over all weights.

    With G_nm = sum_S lambda_S^2 chi_S(x_n) chi_S(x_m) and b_n = sum_S lambda_S H_S chi_S(x_n) the risk of an output is
    |H|^2 - b' G^-1 b. ``bits`` fixes the precision; by default it is doubled until the ball is tight.
    Where refinement does not do, systems are solved in balls: n^3 bits for each, ``most_work`` for all.
    """
    signs = np.unique(signs, axis=0)  # a repeated input adds nothing to the span
    target = target_coefficients(problem)
    tight = TIGHT * sum((value**2 for row in target.values() for value in row), start=Fraction(0))
    tries = [bits] if bits else [FIRST_BITS * 2**i for i in range(20) if FIRST_BITS * 2**i <= MOST_BITS]
    work = 0.0

    def allow(spectrum: CubeSpectrum) -> None:
        """Refuse to solve what has no solution, or takes too long."""
        nonlocal work
        known = sum(spectrum.multiplicities[degree] for degree in spectrum.positive)
        if known < len(signs) and not has_every_degree(kernel) and spectrum.rank < len(signs):
            raise InputError(f"The {len(signs):,} functions {kernel.spec}(., x_n) {DEPENDENT.format(spectrum.rank)}")
        work += len(signs) ** 3 * spectrum.bits
        if work > most_work:
            raise InputError(
                f"A proof for {kernel.spec} with {len(signs):,} samples would solve equations in balls of "
                f"{spectrum.bits} bits for {format_estimate(work * SECONDS)}, which is more than is allowed. Take "
                "fewer samples or another kernel, or rigorous=False (no --rigorous)."
            )

    for tried in tries:
        require_memory(len(signs) ** 2 * (120 + tried // 2), f"A proof with {len(signs):,} samples", "Take fewer.")
        on_progress(0.0, f"{len(signs)} x {len(signs)} balls of {tried} bits")
        with precision(tried):
            balls = eigenvalue_balls(kernel, cube.d, cube.squared_length, tried)
            spectrum = CubeSpectrum(kernel, cube.d, cube.squared_length, tried, balls)
            risk = _enclose_once(target, spectrum, signs, as_ball(tight), on_progress, allow)
            if risk is not None and (bits or risk.rad() <= as_ball(tight)):
                return risk
    raise InputError(
        f"{tries[-1]} bits do not prove that the {len(signs)} functions {kernel.spec}(., x_n) are independent: "
        "probably they are not (x and -x, say, with an odd or even kernel). Leave such inputs out, or rigorous=False."
    )


def target_coefficients(problem: FourierProblem) -> dict[IndexSet, list[Fraction]]:
    """H by index sets, as written: where base and composite signal meet, they are added as rational numbers."""
    rows: dict[IndexSet, list[Fraction]] = {}
    for signal in (problem.base_fourier, problem.composite_fourier):
        for index_set, row in zip(signal.index_sets, signal.coefficients.tolist(), strict=True):
            before = rows.setdefault(index_set, [Fraction(0)] * problem.outputs)
            rows[index_set] = [old + as_written(value) for old, value in zip(before, row, strict=True)]
    return rows


class System(NamedTuple):
    """The least risk is norm - trace(right' gram^-1 right), all in balls."""

    gram: arb_mat
    right: arb_mat
    norm: arb

    def risk(self, weights: arb_mat, residual: arb_mat) -> arb:
        """What these weights reach; the residual is right - gram weights."""
        return self.norm - inner(self.right, weights) - inner(weights, residual)


def system_of(
    target: Mapping[IndexSet, list[Fraction]], spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"]
) -> System:
    """G, b and |H|^2 for inputs without repetitions, at flint's precision."""
    squared, differ = spectrum.squared_profile(), ((spectrum.d - signs @ signs.T) / 2).astype(int)
    gram = arb_mat([[squared[i] for i in row] for row in differ.tolist()])
    coefficients = [[as_ball(value) for value in row] for row in target.values()]
    norm = sum((value * value for row in coefficients for value in row), start=arb(0))
    products = arb_mat([[int(value) for value in signs[:, list(s)].prod(axis=1)] for s in target]).transpose()
    eigenvalues = [spectrum.balls[len(s)] for s in target]
    right = products * arb_mat([[e * v for v in row] for e, row in zip(eigenvalues, coefficients, strict=True)])
    return System(gram, right, norm)


def _enclose_once(
    target: Mapping[IndexSet, list[Fraction]],
    spectrum: CubeSpectrum,
    signs: Float[np.ndarray, "n d"],
    tight: arb,
    on_progress: Progress,
    allow: Callable[[CubeSpectrum], None],
) -> arb | None:
    system = system_of(target, spectrum, signs)
    refined = refine(spectrum, signs, system, tight, on_progress)
    if refined is not None:
        return refined.risk
    allow(spectrum)
    on_progress(0.0, f"solving with {len(signs)} x {len(signs)} balls of {spectrum.bits} bits")
    try:
        weights = system.gram.solve(system.right)
    except ZeroDivisionError:
        return None
    risk = system.norm - inner(system.right, weights)
    return risk if risk.is_finite() else None


class Refined(NamedTuple):
    """A ball that contains the least risk, and the exact weights that nearly reach it."""

    risk: arb
    weights: arb_mat


def refine(
    spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], system: System, tight: arb, on_progress: Progress
) -> Refined | None:
    """The least risk of the system in a ball no wider than ``tight``; None if this way is closed."""
    gram, right, _ = system
    for degree in dict.fromkeys((most_apart(spectrum, len(signs)), -1)):
        on_progress(0.1, f"the smallest eigenvalue, above degree {degree}")
        high = gram_above(spectrum, signs, degree)
        smallest = smallest_eigenvalue(high, blurred=uncertainty_above(spectrum, degree))
        if smallest is None:
            continue
        try:
            solve = _solver(spectrum, signs, high, degree)
        except LinAlgError:
            continue
        weights = arb_mat(right.nrows(), right.ncols())
        residual = right
        before = None
        for i in range(ROUNDS):
            missed = inner(residual, residual) / smallest
            risk = system.risk(weights, residual)
            if missed.upper() + risk.rad() <= tight:
                return Refined((risk - missed.upper()).lower().union(risk.upper()), weights)
            if before is not None and missed.upper() > before / 4:
                break  # refinement does not converge
            before = missed.upper()
            on_progress(0.2 + 0.8 * i / ROUNDS, f"refining {len(signs)} weights, {i + 1}")
            weights = midpoints(weights + _solved(solve, residual))
            residual = right - gram * weights
    return None


def smallest_eigenvalue(matrix: Float[np.ndarray, "n n"], blurred: float = 0.0) -> arb | None:
    """A proved lower bound of the smallest eigenvalue of what ``matrix`` is the rounding of; None if none is found.

    Before rounding, each entry may have been off by ``blurred``.
    """
    n = len(matrix)
    try:
        guess = float(eigvalsh(matrix, subset_by_index=[0, 0])[0])
    except LinAlgError:
        return None
    trace, rows = float(np.trace(matrix)), float(np.abs(matrix).sum(axis=1).max())
    # Rump's bound with twice its constant, and the rounding of the entries themselves (a unit each, taken twice)
    lost = 4 * (n + 2) * UNIT * trace + 2 * UNIT * rows + 2 * n * blurred
    if trace < LEAST:
        return None
    for share in (0.9, 0.5):
        shift = share * guess
        if shift <= 2 * lost:
            return None
        try:
            cho_factor(matrix - shift * np.eye(n), lower=True)
        except LinAlgError:
            continue
        return arb(shift) - arb(lost) * 2
    return None


def _solver(
    spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], high: Float[np.ndarray, "n n"], degree: int
) -> Callable[[np.ndarray], np.ndarray]:
    """Roughly G^-1 times a vector, in float64: G is ``high`` and the low parities, which Woodbury's formula adds."""
    factor = cho_factor(high, lower=True)
    low = parities_up_to(spectrum, signs, degree)
    if low.shape[1] == 0:
        return lambda v: np.asarray(cho_solve(factor, v))
    through = cho_solve(factor, low)
    inner = cho_factor(np.eye(low.shape[1]) + low.T @ through, lower=True)

    def solve(v: np.ndarray) -> np.ndarray:
        direct = cho_solve(factor, v)
        return np.asarray(direct - through @ cho_solve(inner, low.T @ direct))

    return solve


def _solved(solve: Callable[[np.ndarray], np.ndarray], residual: arb_mat) -> arb_mat:
    """The correction, scaled so that small residuals stay within float64's range."""
    largest = max(entry.abs_upper() for entry in residual.entries())
    if largest == 0:
        return arb_mat(residual.nrows(), residual.ncols())
    scaled = [float((entry / largest).mid()) for entry in residual.entries()]
    correction = solve(np.array(scaled).reshape(residual.nrows(), residual.ncols()))
    return arb_mat([[arb(value) * largest.mid() for value in row] for row in correction.tolist()])


def midpoints(matrix: arb_mat) -> arb_mat:
    """The midpoints: exact numbers to go on with."""
    return arb_mat(matrix.nrows(), matrix.ncols(), [entry.mid() for entry in matrix.entries()])


def inner(first: arb_mat, second: arb_mat) -> arb:
    return sum((a * b for a, b in zip(first.entries(), second.entries(), strict=True)), start=arb(0))
