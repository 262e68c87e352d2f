"""Eigenvalues on the cube: against sums over all points, against more digits, and the identities that they obey."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from flint import arb

from kernelgap import kernels
from kernelgap.certificates.floors.theorems import FAMILIES
from kernelgap.errors import InputError
from kernelgap.kernels.cube.balls import precision
from kernelgap.kernels.cube.spectrum import cube_spectrum, eigenvalue_balls, krawtchouk_rows, profile

SETTLED = [name if name not in ("gaussian", "laplace") else f"{name}(bandwidth=1.5)" for name in FAMILIES]
OTHERS = ["polynomial(degree=5, offset=0.0)", "ck3(bias=True, hidden_bias=True)", "arcsin * ck2 + 0.5 * linear"]


def cube(d):
    return 1.0 - 2.0 * ((np.arange(2**d)[:, None] >> np.arange(d)) & 1)


@pytest.mark.parametrize("d", [1, 2, 5, 10])
@pytest.mark.parametrize("name", SETTLED + OTHERS)
def test_eigenvalues_are_sums_over_all_points(name, d):
    kernel, points = kernels.get(name), cube(d)
    for squared_length in (Fraction(1), Fraction(d)):
        scaled = points * float(squared_length / d) ** 0.5
        values = kernel(scaled, scaled[:1])[:, 0]  # x is all ones
        expected = [np.mean(values * points[:, :k].prod(axis=1)) for k in range(d + 1)]
        found = cube_spectrum(kernel, d, squared_length)
        np.testing.assert_allclose(found.eigenvalues, expected, rtol=0, atol=1e-13 * np.abs(values).max())
        assert (found.errors <= 1e-15 * found.eigenvalues.max()).all()


@pytest.mark.parametrize("name", SETTLED + OTHERS)
@pytest.mark.parametrize("d", [3, 30, 300])
def test_eigenvalues_add_up_to_the_diagonal(name, d):
    kernel = kernels.get(name)
    spectrum = cube_spectrum(kernel, d, 1)
    diagonal = kernel.diagonal(np.full((1, d), d**-0.5))[0]
    total = sum(
        Fraction(value) * count for value, count in zip(spectrum.eigenvalues, spectrum.multiplicities, strict=True)
    )
    assert float(total) == pytest.approx(diagonal, rel=1e-12)
    assert spectrum.shares.sum() == pytest.approx(1, rel=1e-12)
    assert (spectrum.eigenvalues >= 0).all()  # a kernel's are not negative


@pytest.mark.parametrize(
    ("name", "d"),
    [
        ("ck2", 1000),
        *((name, 300) for name in ("ntk3", "gaussian(bandwidth=1.0)", "arcsin(bias=True)", "recursive")),
        *(
            pytest.param(name, 1000, marks=pytest.mark.slow)
            for name in ("ntk3", "gaussian(bandwidth=1.0)", "laplace(bandwidth=1.0)", "arcsin(bias=True)")
        ),
    ],
)
def test_hundreds_of_dimensions_keep_their_digits(name, d):
    kernel = kernels.get(name)
    found = cube_spectrum(kernel, d, 1)
    finer = eigenvalue_balls(kernel, d, Fraction(1), found.bits + 300)
    with precision(found.bits + 300):
        for mine, ball, theirs in zip(found.eigenvalues, found.balls, finer, strict=True):
            assert abs(mine - float(theirs.mid())) <= 1e-10 * found.eigenvalues.max()
            assert ball.overlaps(theirs)
    assert abs(found.errors).max() <= 1e-10 * found.eigenvalues.max()


def test_a_gaussian_kernel_is_a_product_of_one_dimensional_ones():
    """exp(-|x - z|^2 / 2) on {-s, s}^d: lambda_k = e^-ds^2 cosh(s^2)^(d-k) sinh(s^2)^k."""
    d = 300
    with precision(500):
        s2 = arb(1) / d
        expected = [(-arb(1)).exp() * s2.cosh() ** (d - k) * s2.sinh() ** k for k in range(40)]
    found = cube_spectrum("gaussian(bandwidth=1.0)", d, 1).eigenvalues[:40]
    np.testing.assert_allclose(found, [float(value.mid()) for value in expected], rtol=1e-14)


def test_the_tangent_kernel_by_its_own_formula_with_more_digits():
    d = 100
    with precision(1000):
        cosines = [arb(d - 2 * i) / d for i in range(d + 1)]
        values = [2 * c * (1 - c.acos() / arb.pi()) + c.acos().sin() / arb.pi() for c in cosines]
        expected = [
            sum(v * comb(d, i) * row[i] for i, v in enumerate(values)) / (arb(2) ** d * comb(d, k))
            for k, row in enumerate(krawtchouk_rows(d))
        ]
    found = cube_spectrum("ntk2", d, 1)
    np.testing.assert_allclose(found.eigenvalues, [float(v.mid()) for v in expected], rtol=1e-13, atol=1e-60)


def test_krawtchouk_rows_are_sums_of_parities():
    d = 6
    points = cube(d)
    sizes = ((np.arange(2**d)[:, None] >> np.arange(d)) & 1).sum(axis=1)
    for k, row in enumerate(krawtchouk_rows(d)):
        sets = [np.nonzero(point < 0)[0] for point in points if (point < 0).sum() == k]
        sums = sum(points[:, s].prod(axis=1) for s in sets)
        assert [row[size] for size in sizes] == list(sums)


@pytest.mark.parametrize("name", ["arcsin", "ck3res", "random_features(feature='sin')"])
def test_the_profile_encloses_the_float_values(name):
    kernel, d = kernels.get(name), 12
    X = cube(d)[[0, 1, 3, 7, 15, 31, 63, 2**d - 1]] * d**-0.5
    values = kernel(X, X[:1])[:, 0]
    with precision(100):
        balls = profile(kernel, d, Fraction(1))
    np.testing.assert_allclose(values, [float(balls[i].mid()) for i in (0, 1, 2, 3, 4, 5, 6, 12)], atol=1e-14)


@pytest.mark.parametrize(
    ("name", "degrees"),
    [
        ("linear", {1}),
        ("polynomial(degree=3, offset=1.0)", {0, 1, 2, 3}),
        ("polynomial(degree=3, offset=0.0)", {1, 3}),
        ("arcsin", {1, 3, 5, 7}),
        ("ck2", {0, 1, 2, 4, 6, 8}),
        ("random_features(feature='cos')", {0, 2, 4, 6, 8}),
        ("ntk3", set(range(9))),
        ("gaussian(bandwidth=1e15)", set(range(9))),  # lambda_8 is 1e-240 of lambda_0, but not 0
        ("polynomial(degree=8, offset=1e20)", set(range(9))),
    ],
)
def test_which_degrees_vanish(name, degrees):
    spectrum = cube_spectrum(name, 8, 1)
    assert set(range(9)) - spectrum.vanishing == degrees
    assert spectrum.rank == sum(comb(8, k) for k in degrees)


def test_an_eigenvalue_too_small_to_tell_from_zero_is_no_zero():
    with pytest.raises(InputError, match="too small to be told from 0"):
        _ = cube_spectrum("gaussian(bandwidth=1e300)", 8, 1).rank


def test_what_is_no_formula_is_refused():
    with pytest.raises(InputError, match="not given as a formula"):
        cube_spectrum(kernels.from_function(lambda X, Z: X @ Z.T), 4)
    with pytest.raises(InputError, match="bandwidth from data"):
        cube_spectrum("gaussian", 4)
    with pytest.raises(InputError, match="whole number"):
        cube_spectrum("ck2", 0)
