"""The arithmetic of the examples, against brute force and against Theorem 1 as it stands elsewhere."""

import math
from fractions import Fraction

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.certificates import any_kernel
from kernelgap.paper.theory import examples
from kernelgap.paper.theory.theorem1 import Theorem1, quantities


def test_the_exponent_is_that_of_corollary_7_1() -> None:
    """k^2 d / alpha^8 over d, fitted."""
    d = np.array([10.0, 1e3, 1e6])
    for alpha in (Fraction(1, 10), Fraction(1, 100)):
        fitted = np.polyfit(np.log(d), np.log(4 * d / (d ** -float(alpha)) ** 8), 1)[0]
        assert float(examples.resnet_exponent(alpha)) == pytest.approx(fitted)


def test_the_first_d_is_found_as_by_trying_each() -> None:
    for bound in (1, 2, 3, 17, 1000, 12345):
        assert examples.first_d(lambda d, bound=bound: d >= bound, 1) == bound
        assert examples.first_d(lambda d, bound=bound: d >= bound, 5) == max(5, bound)
    assert examples.first_d(lambda d: False, 1) is None


def test_powers_are_compared_exactly_where_floats_are_not_enough() -> None:
    d = 10**40
    assert examples.power_at_most(d, Fraction(9, 5), Fraction(d**9) / d**7 / 10**8)  # d^1.8 = 10^72
    assert not examples.power_at_most(d, Fraction(9, 5), 10**72 - 1)
    assert examples.power_at_most(d, Fraction(9, 5), 10**72)
    assert not examples.power_at_most(2, Fraction(1, 2), 0)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_samples_beyond_the_family_as_by_trying_each_d(k: int) -> None:
    """With a large share the d are small enough to try them all; from the first on it stays true."""
    exponent, share = examples.resnet_exponent(Fraction(1, 10)), examples.share_of_mean(k, Fraction(1, 16))
    tried = [
        d for d in range(9, 4000) if d ** (0.9 * k) <= math.comb(d, k) * float(share)
    ]  # no equality comes near rounding here
    first = examples.first_d(lambda d: examples.beyond_samples(d, k, exponent, share), 9)
    assert tried == list(range(first or 0, 4000))
    with_square = examples.first_d(lambda d: examples.beyond_samples(d, k, exponent, share, k * k), 9)
    assert with_square is not None
    n = (k * k * with_square**1.8) ** (k / 2)
    assert n <= math.comb(with_square, k) * float(share) < 1.01 * n


def test_the_share_is_that_at_which_the_floor_crosses_the_risk() -> None:
    problem = problems.hard(d=20, k=3, alpha=0.3)
    share = examples.share_of_mean(3, Fraction(1, 16))
    size = any_kernel(problem, 0).family_size
    assert any_kernel(problem, math.floor(size * share)).mean_risk >= 0.3**2 / 16
    assert any_kernel(problem, math.ceil(size * share) + 1).mean_risk < 0.3**2 / 16


@pytest.mark.parametrize("k", [4, 6])
def test_samples_for_99_of_100_targets_are_those_of_the_floor(k: int) -> None:
    share = Fraction(k - 1, 100 * k)
    first = examples.first_d(lambda d: examples.beyond_share(d, k, share), 9)
    assert first is not None
    for d, above in ((first, True), (first - 1, False)):
        problem = problems.hard(d=d, k=k, alpha=0.3)
        assert (any_kernel(problem, round(d ** (k / 2))).share_above(0.3**2) >= 0.99) is above


def test_features_and_logarithms_stay_beyond_once_they_are() -> None:
    for c in (1, 2, 3):
        true = [examples.beyond_features(d1, 4 * c, c) for d1 in range(4 * c, 1000)]
        assert true == sorted(true)
        assert true[-1]
        assert examples.beyond_features(500, 4 * c, c) == (math.comb(500, 4 * c) >= 1000 * 1000 ** (2 * c))
    true = [examples.beyond_logarithms(d, 4, 1.08) for d in range(78, 40_000)]
    assert true == sorted(true)
    assert not true[0]
    assert true[-1]


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("d", [20, 300])
def test_constants_are_those_of_theorem_1(k: int, d: int) -> None:
    alpha = 1e-8  # so small that tau_v <= 1, as Table 1 wants
    of = quantities(problems.hard(d=d, k=k, alpha=alpha), 1.0)
    theorem, closed = Theorem1(of), examples.Constants(k)
    assert closed.size_G == pytest.approx(math.log2(of.size_G))
    assert closed.size_F(math.log2(d)) == pytest.approx(math.log2(of.size_F))
    assert closed.delta == pytest.approx(math.log2(k * theorem.least_delta / alpha**4))
    width = closed.least_width(math.log2(of.size_F), math.log2(alpha))
    assert width == pytest.approx(theorem.widths[0][0] / math.log10(2))


def test_the_d_of_a_risk_and_the_exponent_of_the_time_are_those_of_the_theorem() -> None:
    """At a d of which alpha^4 times the constant is alpha^3.9; and at which alpha is what that asks for."""
    k, log_d = 2, 30.0
    closed = examples.Constants(k)
    needed = closed.first_log_d(Fraction(1, 10))
    alpha = -needed / 10
    assert closed.delta + 4 * alpha == pytest.approx(3.9 * alpha)
    log_alpha = min(-10 * closed.delta, -log_d / 1000)
    of = quantities(problems.hard(d=64, k=k, alpha=1e-3), 1.0)
    steps = 2 * (math.log2(of.size_F) + (log_d - 6) / 2) - 2 * (3.9 * log_alpha - 1)  # T = size_F^2 / delta^2
    width = closed.least_width(closed.size_F(log_d), log_alpha)
    assert closed.time_exponent(log_d) * log_d == pytest.approx(steps + width + math.log2(3) + log_d + 1)
