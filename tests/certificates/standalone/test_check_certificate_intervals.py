"""Enclosures of the checker beside Arb's: they overlap, and they are narrow."""

from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelgap.kernels.cube.balls import precision
from support.certificates.standalone import checker

Interval = checker.Interval
BITS = [64, 200, 1000]
numbers = st.fractions(0, 50, max_denominator=10**6)


def as_arb(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def encloses(interval, exact: arb, narrow: int = 40) -> bool:
    """Both ends are on their side of the true number, and near it."""
    scale = arb(2) ** -interval.bits
    low, high = arb(interval.low) * scale, arb(interval.high) * scale
    outside = low > exact or high < exact
    return not outside and interval.high - interval.low <= 2**narrow


@pytest.mark.parametrize("bits", BITS)
@given(x=numbers)
@settings(max_examples=60, deadline=None)
def test_functions(bits, x):
    with precision(4 * bits + 200):
        exact, own = as_arb(x), Interval.of(x, bits)
        assert encloses(own.sqrt(), exact.sqrt(), 40 if x > Fraction(1, 10**6) else bits)
        assert encloses((own * -1).exp(), (-exact).exp())
        assert encloses(own.arctan(), exact.atan())
        v = x / 25
        assert encloses(Interval.of(v, bits).angle(), (1 - as_arb(v)).acos(), bits // 2 + 40)


@pytest.mark.parametrize("bits", BITS)
@given(x=st.fractions(-50, 50, max_denominator=10**6), y=st.fractions(-50, 50, max_denominator=10**6))
@settings(max_examples=60, deadline=None)
def test_arithmetic(bits, x, y):
    def holds(interval, exact: Fraction) -> bool:
        return interval.low <= exact * 2**bits <= interval.high and interval.high - interval.low < 2**20

    a, b = Interval.of(x, bits), Interval.of(y, bits)
    assert holds(a + b, x + y)
    assert holds(a - b, x - y)
    assert holds(3 - a, 3 - x)
    assert holds(a * b, x * y)
    assert holds(x * b, x * y)
    divisor = abs(y) + 1
    assert holds(a / Interval.of(divisor, bits), x / divisor)


@pytest.mark.parametrize("bits", BITS)
def test_wide_intervals_stay_on_both_sides(bits):
    """Of an interval, every function encloses the values at both ends."""
    wide = Interval.of(Fraction(1, 3), bits) + Interval(0, 2 ** (bits - 4), bits)
    for name in ("sqrt", "arctan", "angle"):
        found = getattr(wide, name)()
        for end in (wide.low, wide.high):
            inner = getattr(Interval(end, end, bits), name)()
            assert found.low <= inner.low + 2**12
            assert found.high >= inner.high - 2**12
            assert not (found.high < inner.low)
            assert not (found.low > inner.high)
    below = wide * -1
    assert below.exp().low <= Interval(below.low, below.low, bits).exp().high
    assert below.exp().high >= Interval(below.high, below.high, bits).exp().low


@pytest.mark.parametrize("bits", BITS)
def test_pi_and_exact_zeros(bits):
    with precision(2 * bits):
        assert encloses(checker.pi(bits), arb.pi(), 20)
    zero = Interval.of(0, bits)
    assert (zero.angle().low, zero.angle().high) == (0, 0)
    assert (zero.sqrt().low, zero.sqrt().high) == (0, 0)


def test_exponentials_far_below_the_unit():
    tiny = Interval.of(-(10**9), 64).exp()
    assert tiny.low == 0
    assert tiny.high == 1


def test_a_wrong_enclosure_is_noticed():
    with precision(500):
        assert not encloses(Interval.of(3, 64), arb.pi())
        assert not encloses(checker.pi(64) + Interval(0, 2**50, 64), arb.pi(), 40)
