"""Values and eigenvalues of kernels, by the checker and by kernelgap."""

from fractions import Fraction

import pytest
from flint import arb

from kernelgap import kernels
from kernelgap.kernels.cube.balls import precision
from kernelgap.kernels.cube.spectrum import eigenvalue_balls, krawtchouk_rows
from support.certificates.standalone import checker

KERNELS = [
    "linear",
    "linear(bias=True)",
    "polynomial",
    "polynomial(degree=2, offset=0.0)",
    "polynomial(bias=True, degree=5, offset=0.3)",
    "arcsin",
    "arcsin(bias=True)",
    "recursive",
    "recursive(depth=4)",
    "recursive(bias=True, depth=3)",
    "gaussian(bandwidth=0.7)",
    "gaussian(bandwidth=3.3, factor=0.1)",
    "laplace(bandwidth=0.7)",
    "laplace(bandwidth=1.9, factor=2.1)",
    "ck2",
    "ck2(bias=True)",
    "ck3",
    "ck3(bias=True, hidden_bias=True)",
    "ck(depth=5)",
    "ck(bias=True, depth=4, hidden_bias=True)",
    "ck(depth=1, hidden_bias=True)",
    "ntk2",
    "ntk2(bias=True, train='hidden')",
    "ntk3",
    "ntk3(bias=True, hidden_bias=True)",
    "ntk3(train='last')",
    "ntk(depth=6)",
    "ntk(bias=True, depth=4, hidden_bias=True, train='hidden')",
    "ntk3res",
    "ntk3res(bias=True, hidden_bias=True)",
    "ntk3res(train='hidden')",
    "ck3res",
    "ck3res(bias=True, hidden_bias=True)",
    "ck2 + ck3",
    "0.1 * ck2",
    "ntk2 + 0.3 * laplace(bandwidth=2.0) + 1e-05 * linear",
    "ck2 * ck3 * recursive(depth=2)",
    "0.7 * (ck2 + ck(depth=3)) * (arcsin(bias=True) + gaussian(bandwidth=1.0))",
    "2.0 * ck2 * linear(bias=True) + polynomial",
]
CUBES = [(1, Fraction(1)), (4, Fraction(1)), (7, Fraction(1, 7)), (8, Fraction(1, 13)), (30, Fraction(1, 30))]


def eigenvalues(text, d, scale, bits):
    class Cube:  # what the checker's function reads of a target
        own = {"squared_scale": scale}  # noqa: RUF012

    Cube.d = d
    return checker.eigenvalues(checker.read_kernel(text), Cube, bits)


@pytest.mark.parametrize("text", KERNELS)
def test_eigenvalues_are_kernelgaps(text):
    assert kernels.get(text).spec == text or "depth=1" in text
    for d, scale in CUBES:
        own = eigenvalues(text, d, scale, 300)
        with precision(600):
            for interval, ball in zip(own, eigenvalue_balls(kernels.get(text), d, d * scale, 600), strict=True):
                low, high = arb(interval.low) * arb(2) ** -300, arb(interval.high) * arb(2) ** -300
                assert not low > ball
                assert not high < ball
                assert interval.high - interval.low < 2**60


def test_eigenvalues_tell_kernels_apart():
    """The comparison above would notice another kernel."""
    first, second = (eigenvalues(text, 7, Fraction(1, 7), 300) for text in ("ck3", "ck3(hidden_bias=True)"))
    assert any(a.low > b.high or a.high < b.low for a, b in zip(first, second, strict=True))


def test_krawtchouk_numbers():
    for d in range(1, 31):
        assert checker.krawtchouk(d) == list(krawtchouk_rows(d))


def test_krawtchouk_numbers_by_brute_force():
    d = 6
    for k, row in enumerate(checker.krawtchouk(d)):
        for i in range(d + 1):
            point = 2**i - 1
            sets = (S for S in range(2**d) if S.bit_count() == k)
            assert row[i] == sum((-1) ** (S & point).bit_count() for S in sets)


@pytest.mark.parametrize(
    "text",
    [
        "gaussian",
        "gaussian(bandwidth=2)",
        "gaussian(bandwidth=0.0)",
        "gaussian(bandwidth=1e9)",
        "gaussian(factor=1.0, bandwidth=1.0)",
        "gaussian(bandwidth=1.0, bandwidth=1.0)",
        "gaussian(bandwidth='median')",
        "gaussian(bandwidth=nan)",
        "laplace(bandwidth=-1.0)",
        "ck(depth=0)",
        "ck(depth=65)",
        "ck(depth=True)",
        "ck(depth=2.0)",
        "ck2(depth=1)",
        "ntk2(train='first')",
        "ntk3(bias=1)",
        "cntk",
        "random_features(feature='relu')",
        "ck2 + cntk",
        "2 * ck2",
        "0.10 * ck2",
        "-1.0 * ck2",
        "1e9 * ck2",
        "ck2 * 2.0",
        "2.0 + ck2",
        "2.0",
        "ck2 - ck3",
        "ck2 +  ck3",
        "ck2+ck3",
        "(ck2 + ck3",
        "ck2 + ck3)",
        ") + (",
        " + ",
        " * ",
        "() * ck2",
        "ck2()",
        "ck2 ",
        "",
        "ck2(bias=True",
        "(",
        "((((((((",
        "__import__('os')",
        "polynomial(degree=1000)",
        "polynomial(offset=-1.0)",
    ],
)
def test_other_texts_are_refused(text):
    with pytest.raises(checker.Refused):
        checker.read_kernel(text)
