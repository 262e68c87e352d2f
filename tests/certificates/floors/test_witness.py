"""Witnesses of floors, checked by fractions alone: no code of the package but what gives the kernel's values."""

from fractions import Fraction

import numpy as np
import pytest

from kernelgap import kernels, problems
from kernelgap.certificates import oracle_risk
from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.floors import witness as module
from kernelgap.certificates.floors.witness import check_witness, distinct_inputs, find_witness
from kernelgap.errors import InputError
from kernelgap.kernels.cube.balls import precision
from kernelgap.kernels.cube.spectrum import eigenvalue_balls, krawtchouk_rows


def fraction(ball):
    mantissa, exponent = map(int, ball.mid().man_exp())
    return mantissa * Fraction(2) ** exponent


def by_fractions(problem, kernel, signs, witness):
    """The bounds that the formulas of the format give, with eigenvalues of 600 bits as if they were exact."""
    cube, n = cube_of(problem), len(signs)
    with precision(600):
        eigenvalues = [fraction(ball) for ball in eigenvalue_balls(kernel, cube.d, cube.squared_length, 600)]
    rows = list(krawtchouk_rows(cube.d))
    profile = [sum(e * e * row[i] for e, row in zip(eigenvalues, rows, strict=True)) for i in range(cube.d + 1)]
    differ = ((cube.d - signs @ signs.T) / 2).astype(int)
    G = [[profile[i] for i in row] for row in differ.tolist()]
    target, norm = problem.target_fourier, Fraction(0)
    b = [[Fraction(0)] * problem.outputs for _ in range(n)]
    for s, row in zip(target.index_sets, target.coefficients.tolist(), strict=True):
        for j, value in enumerate(map(str, row)):
            norm += Fraction(value) ** 2
            for i, sign in enumerate(signs[:, list(s)].prod(axis=1)):
                b[i][j] += eigenvalues[len(s)] * Fraction(value) * int(sign)
    L = [[Fraction(v, 2**witness.factor_bits) for v in row] for row in witness.factor]
    sigma0 = Fraction(witness.sigma, 2**witness.sigma_bits)
    square = Fraction(0)
    for i in range(n):
        for j in range(n):
            product = sum((L[i][t] * L[j][t] for t in range(min(i, j) + 1)), Fraction(0))
            square += (G[i][j] - sigma0 * (i == j) - product) ** 2
    assert square <= (sigma0 / 2) ** 2
    w = [[Fraction(v, 2**witness.weights_bits) for v in row] for row in witness.weights]
    r = [[b[i][j] - sum(G[i][m] * w[m][j] for m in range(n)) for j in range(problem.outputs)] for i in range(n)]
    risk = norm - sum(w[i][j] * (b[i][j] + r[i][j]) for i in range(n) for j in range(problem.outputs))
    return risk - sum(v * v for row in r for v in row) / (sigma0 / 2), risk


CASES = [
    ("hard(d=6, k=2, alpha=0.5)", "ck2", 8),
    ("hard(d=9, k=3, alpha=0.3)", "gaussian(bandwidth=8.0)", 12),
    ("hard(d=8, k=2, alpha=0.3, d1=6, background='zero')", "laplace(bandwidth=1.0)", 9),
    ("parity(d=7, k=3)", "ntk3", 10),
]


@pytest.mark.parametrize(("spec", "text", "n"), CASES)
def test_a_witness_proves_the_floor(spec, text, n):
    problem, kernel = problems.get(spec), kernels.get(text)
    X, _ = problem.sample(n, 3)
    X = np.concatenate([X, X[:2]])  # repetitions add nothing
    cube = cube_of(problem)
    signs = cube.signs(X)
    witness, (low, high) = find_witness(problem, kernel, cube, signs)
    own = by_fractions(problem, kernel, distinct_inputs(signs), witness)
    assert float(own[0]) == pytest.approx(float(low), abs=1e-12)
    assert float(own[1]) == pytest.approx(float(high), abs=1e-12)
    floor = oracle_risk(problem, kernel, X, rigorous=True)
    assert own[0] <= floor.interval[1]
    assert floor.interval[0] <= own[1]
    assert own[1] - own[0] <= Fraction(1, 10**12)
    wide = (float(low) - 1e-12, float(high) + 1e-12)
    assert check_witness(problem, kernel, cube, signs, witness, wide)
    assert not check_witness(problem, kernel, cube, signs, witness, (wide[0] + 1e-10, wide[1]))
    assert not check_witness(problem, kernel, cube, signs[1:], witness, wide)


def test_a_nearly_singular_kernel_is_factorised_in_ball_arithmetic(monkeypatch):
    """A wide Gaussian, whose least eigenvalue float64 does not tell; blocks and single entries alike."""
    monkeypatch.setattr(module, "LEAF", 5)
    problem, kernel = problems.get("hard(d=10, k=3, alpha=0.3)"), kernels.get("gaussian(bandwidth=60.0)")
    X, _ = problem.sample(40, 0)
    cube = cube_of(problem)
    witness, (low, high) = find_witness(problem, kernel, cube, cube.signs(X))
    assert Fraction(witness.sigma, 2**witness.sigma_bits) < Fraction(1, 2**50)
    floor = oracle_risk(problem, kernel, X, rigorous=True)
    assert float(low) <= floor.interval[1]
    assert floor.interval[0] <= float(high)
    assert float(high) - float(low) < 1e-11
    assert check_witness(problem, kernel, cube, cube.signs(X), witness, (float(low) - 1e-12, float(high) + 1e-12))


def test_dependent_functions_have_no_witness():
    problem = problems.get("hard(d=4, k=2, alpha=0.5)")
    X, _ = problem.sample(8, 0)
    cube = cube_of(problem)
    with pytest.raises(InputError, match="are independent: probably they are not"):
        find_witness(problem, kernels.get("linear"), cube, cube.signs(X))
