"""The oracle risk as a proof: everything in ball arithmetic, precision raised until the answer is tight."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat
from jaxtyping import Float

from kernelgap.certificates.exact.cube import Cube
from kernelgap.certificates.floors.family import as_written
from kernelgap.certificates.floors.refined import refine
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels.cube.balls import as_ball, precision
from kernelgap.kernels.cube.spectrum import CubeSpectrum, eigenvalue_balls
from kernelgap.problems import ParityProblem
from kernelgap.problems.fourier import IndexSet
from kernelgap.progress import Progress, silent

FIRST_BITS = 192
MOST_BITS = 2**13
TIGHT = Fraction(1, 10**15)  # width of the enclosure, relative to |H|^2


def enclose(
    problem: ParityProblem,
    kernel: Kernel,
    cube: Cube,
    signs: Float[np.ndarray, "n d"],
    bits: int = 0,
    on_progress: Progress = silent,
) -> arb:
    """A ball that contains the least risk over all weights.

    With G_nm = sum_S lambda_S^2 chi_S(x_n) chi_S(x_m) and b_n = sum_S lambda_S H_S chi_S(x_n) the risk of an output is
    |H|^2 - b' G^-1 b. ``bits`` fixes the precision; by default it is doubled until the ball is tight.
    """
    signs = np.unique(signs, axis=0)  # a repeated input adds nothing to the span
    differ = ((cube.d - signs @ signs.T) / 2).astype(int)
    target = _coefficients(problem)
    tight = TIGHT * sum((value**2 for row in target.values() for value in row), start=Fraction(0))
    tries = [bits] if bits else [FIRST_BITS * 2**i for i in range(20) if FIRST_BITS * 2**i <= MOST_BITS]
    for tried in tries:
        on_progress(0.0, f"{len(signs)} x {len(signs)} balls of {tried} bits")
        with precision(tried):
            risk = _enclose_once(target, kernel, cube, signs, differ, tried, tight, on_progress)
            if risk is not None and (bits or risk.rad() <= as_ball(tight)):
                return risk
    raise InputError(
        f"{tries[-1]} bits do not prove that the {len(signs)} functions {kernel.spec}(., x_n) are independent: "
        "probably they are not (x and -x, say, with an odd or even kernel). Leave such inputs out, or rigorous=False."
    )


def _coefficients(problem: ParityProblem) -> dict[IndexSet, list[Fraction]]:
    """H by index sets, as written: where base and composite signal meet, they are added as rational numbers."""
    found: dict[IndexSet, list[Fraction]] = {}
    for signal in (problem.base_fourier, problem.composite_fourier):
        for index_set, row in zip(signal.index_sets, signal.coefficients.tolist(), strict=True):
            before = found.setdefault(index_set, [Fraction(0)] * problem.outputs)
            found[index_set] = [old + as_written(value) for old, value in zip(before, row, strict=True)]
    return found


def _enclose_once(
    target: Mapping[IndexSet, list[Fraction]],
    kernel: Kernel,
    cube: Cube,
    signs: Float[np.ndarray, "n d"],
    differ: np.ndarray,
    bits: int,
    tight: Fraction,
    on_progress: Progress,
) -> arb | None:
    spectrum = CubeSpectrum(
        kernel, cube.d, cube.squared_length, bits, eigenvalue_balls(kernel, cube.d, cube.squared_length, bits)
    )
    squared = spectrum.squared_profile()
    gram = arb_mat([[squared[i] for i in row] for row in differ.tolist()])
    coefficients = [[as_ball(value) for value in row] for row in target.values()]
    norm = sum((value * value for row in coefficients for value in row), start=arb(0))
    products = arb_mat([[int(value) for value in signs[:, list(s)].prod(axis=1)] for s in target]).transpose()
    scaled = arb_mat(
        [[spectrum.balls[len(s)] * value for value in row] for s, row in zip(target, coefficients, strict=True)]
    )
    right = products * scaled
    refined = refine(spectrum, signs, gram, right, norm, as_ball(tight), on_progress)
    if refined is not None:
        return refined
    on_progress(0.0, f"solving with {len(signs)} x {len(signs)} balls of {bits} bits")
    try:
        weights = gram.solve(right)
    except ZeroDivisionError:
        return None
    captured = arb(0)
    for n in range(right.nrows()):
        for output in range(right.ncols()):
            captured += right[n, output] * weights[n, output]
    risk = norm - captured
    return risk if risk.is_finite() else None
