"""Kernel formulas in ball arithmetic (Arb): every value an interval that contains the true one.

The precision in force is flint's (``precision``): formulas are evaluated at whatever it is at the time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq

from kernelgap.kernels.pairs import Polar, Value


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with so many bits."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def as_ball(value: Fraction) -> arb:
    """A rational number: exact where its binary digits end, else the tightest ball around it."""
    return arb(fmpq(value.numerator, value.denominator))


def ends(value: arb) -> tuple[arb, arb]:
    """The exact lower and upper end of a ball."""
    return value.lower(), value.upper()


class BallArithmetic:
    """On balls. Where the true value must lie in a function's domain, the part of the ball outside it is cut off."""

    @property
    def pi(self) -> arb:
        return arb.pi()

    def sqrt(self, value: Value) -> arb:
        low, high = ends(arb(value))
        return low.sqrt().union(high.sqrt()) if low > 0 else arb(0).union(high.sqrt())

    def exp(self, value: Value) -> arb:
        return arb(value).exp()

    def tanh(self, value: Value) -> arb:
        return arb(value).tanh()

    def sin(self, value: Value) -> arb:
        return arb(value).sin()

    def arcsin(self, value: Value) -> arb:
        low, high = _cosines(arb(value))
        return low.asin().union(high.asin())

    def polar(self, cosine: Value) -> Polar:
        """Cosines beyond -1 and 1 come from rounding alone."""
        low, high = _cosines(arb(cosine))
        within = low.union(high)
        return Polar(within, self.sqrt(1 - within * within), low.acos().union(high.acos()))

    def polar_near_one(self, cosine: Value, versine: Callable[..., Value], *of: Value) -> Polar:
        """1 - cos t = 2 sin^2(t / 2); the ball of the versine is the narrower one near 1."""
        versines = arb(versine(*of))
        return Polar(1 - versines, self.sqrt(versines * (2 - versines)), 2 * self.arcsin(self.sqrt(versines / 2)))


def _cosines(value: arb) -> tuple[arb, arb]:
    low, high = ends(value)
    return (arb(-1) if low < -1 else low), (arb(1) if high > 1 else high)


class BallPairs:
    """One pair of inputs of the same length, given by exact rational numbers."""

    arithmetic = BallArithmetic()

    def __init__(self, inner: Fraction, squared_length: Fraction) -> None:
        self._inner, self._squared_length = inner, squared_length

    @property
    def inner(self) -> arb:
        return as_ball(self._inner)

    @property
    def lengths(self) -> arb:
        return as_ball(self._squared_length)

    @property
    def squared_lengths(self) -> tuple[arb, arb]:
        return self.lengths, self.lengths

    @property
    def polar(self) -> Polar:
        cosine = self._inner / self._squared_length
        ball = as_ball(cosine)
        return Polar(ball, self.arithmetic.sqrt(as_ball(1 - cosine * cosine)), self.arithmetic.polar(ball).angle)

    @property
    def squared_distance(self) -> arb:
        return as_ball(2 * (self._squared_length - self._inner))

    @property
    def squared_sum(self) -> arb:
        return as_ball(2 * (self._squared_length + self._inner))

    def with_bias(self) -> "BallPairs":
        return BallPairs(self._inner + 1, self._squared_length + 1)
