"""What a kernel sees of two inputs: their inner product, lengths, angle and distance.

A kernel's formula is written once, over ``Pairs``: with + - * / and the functions named here. NumPy evaluates it over
a whole tile of the Gram matrix; any other arithmetic that offers the same names (ball arithmetic, say) can evaluate
the same formula.
"""

from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from jaxtyping import Float

Value = Any  # a NumPy array, or a number of another arithmetic
Rows = Float[np.ndarray, "n d"]


class Arithmetic(Protocol):
    """The functions that formulas use besides + - * /."""

    @property
    def pi(self) -> Value: ...
    def sqrt(self, value: Value) -> Value: ...
    def exp(self, value: Value) -> Value: ...
    def tanh(self, value: Value) -> Value: ...
    def arcsin(self, value: Value) -> Value: ...
    def polar(self, cosine: Value) -> "Polar": ...


class Polar(NamedTuple):
    """An angle from 0 to pi, with its cosine and sine."""

    cosine: Value
    sine: Value
    angle: Value


class Pairs(Protocol):
    """Pairs (x, z) of inputs."""

    @property
    def arithmetic(self) -> Arithmetic: ...
    @property
    def inner(self) -> Value:
        """<x, z>."""
        ...

    @property
    def lengths(self) -> Value:
        """|x| |z|."""
        ...

    @property
    def squared_lengths(self) -> tuple[Value, Value]:
        """|x|^2 and |z|^2."""
        ...

    @property
    def polar(self) -> Polar:
        """The angle between x and z; a right angle where x or z is 0."""
        ...

    @property
    def squared_distance(self) -> Value:
        """|x - z|^2."""
        ...

    def with_bias(self) -> "Pairs":
        """The pairs (x, 1) and (z, 1)."""
        ...


class NumpyArithmetic:
    """Element by element, on arrays. Cosines that rounding cannot tell from -1 or 1 count as these."""

    pi = np.pi
    exp = staticmethod(np.exp)
    tanh = staticmethod(np.tanh)
    ENDS = 4 * np.finfo(float).eps

    @staticmethod
    def sqrt(value: Value) -> Value:
        return np.sqrt(np.maximum(value, 0.0))

    @staticmethod
    def arcsin(value: Value) -> Value:
        return np.arcsin(np.clip(value, -1.0, 1.0))

    @classmethod
    def polar(cls, cosine: Value) -> Polar:
        end = 1.0 - cls.ENDS
        if reaches(cosine, end):
            cosine = np.where(np.abs(cosine) >= end, np.sign(cosine), cosine)
        return Polar(cosine, np.sqrt(1.0 - cosine * cosine), np.arccos(cosine))


class NumpyPairs:
    """Every row of X with every row of Z, given their inner products.

    Where x and z are nearly parallel, <x,z> / (|x| |z|) and |x|^2 + |z|^2 - 2<x,z> lose half of their digits; such
    pairs (the diagonal and repeated rows among them) are computed from x - z instead.
    """

    arithmetic = NumpyArithmetic()
    NEAR = 1e-6  # 1 - |cosine| below which x - z is used

    def __init__(self, X: Rows, Z: Rows, inner: Float[np.ndarray, "n m"] | None = None) -> None:
        self._X, self._Z = X, Z
        self.inner = X @ Z.T if inner is None else inner

    def with_bias(self) -> "NumpyPairs":
        """The pairs (x, 1) and (z, 1)."""
        return NumpyPairs(with_ones(self._X), with_ones(self._Z), self.inner + 1.0)

    @cached_property
    def squared_lengths(self) -> tuple[Float[np.ndarray, "n 1"], Float[np.ndarray, " m"]]:
        return np.einsum("nd,nd->n", self._X, self._X)[:, None], np.einsum("nd,nd->n", self._Z, self._Z)

    @cached_property
    def lengths(self) -> Float[np.ndarray, "n m"]:
        x, z = self.squared_lengths
        return np.sqrt(x) * np.sqrt(z)

    @cached_property
    def polar(self) -> Polar:
        lengths = self.lengths
        some = all(squared.all() for squared in self.squared_lengths)
        polar = self.arithmetic.polar(self.inner / (lengths if some else np.where(lengths > 0, lengths, 1.0)))
        if not reaches(polar.cosine, 1 - self.NEAR):
            return polar
        cosine, sine, angle = polar
        rows, columns = np.nonzero(np.abs(cosine) > 1 - self.NEAR)
        if len(rows):
            # with unit vectors u, v and s the sign of <u,v>: |u - s v| = 2 sin(a / 2), a the angle between u and s v
            same = cosine[rows, columns] > 0
            u, v = _unit(self._X), np.stack([-_unit(self._Z), _unit(self._Z)])
            half = np.sqrt(_squared_differences(u, v, rows, (same.astype(int), columns))) / 2
            small = 2 * np.arcsin(half)
            cosine[rows, columns] = np.where(same, 1.0, -1.0) * (1.0 - 2 * half**2)
            sine[rows, columns] = np.sin(small)
            angle[rows, columns] = np.where(same, small, np.pi - small)
        return Polar(cosine, sine, angle)

    @cached_property
    def squared_distance(self) -> Float[np.ndarray, "n m"]:
        x, z = self.squared_lengths
        squared = x + z - 2 * self.inner
        rows, columns = np.nonzero(squared <= 2 * self.NEAR * (x + z))
        if len(rows):
            squared[rows, columns] = _squared_differences(self._X, self._Z, rows, columns)
        return squared


class SamePairs:
    """Each row with itself: what the diagonal of a Gram matrix is made of."""

    arithmetic = NumpyArithmetic()

    def __init__(self, X: Rows) -> None:
        self._X = X
        self.inner: Float[np.ndarray, " n"] = np.einsum("nd,nd->n", X, X)
        self.squared_lengths = (self.inner, self.inner)
        self.lengths = self.inner
        self.polar = self.arithmetic.polar((self.inner > 0).astype(float))
        self.squared_distance = np.zeros_like(self.inner)

    def with_bias(self) -> "SamePairs":
        return SamePairs(with_ones(self._X))


def reaches(values: np.ndarray, bound: float) -> bool:
    """Whether any |value| is at least the bound: two reductions, cheaper than looking for which."""
    return bool(np.max(values, initial=0.0) >= bound or np.min(values, initial=0.0) <= -bound)


def with_ones(X: Rows) -> Rows:
    """(x, 1)."""
    return np.concatenate([X, np.ones((len(X), 1))], axis=1)


def _unit(X: Rows) -> Rows:
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1.0)


def _squared_differences(X: Rows, Z: np.ndarray, rows: Any, columns: Any) -> Float[np.ndarray, " pairs"]:
    """|X[row] - Z[column]|^2, in blocks of bounded memory."""
    step = max(1, 2**20 // X.shape[1])
    squared = np.empty(len(rows))
    for i in range(0, len(rows), step):
        block = slice(i, i + step)
        chosen = tuple(c[block] for c in columns) if isinstance(columns, tuple) else columns[block]
        squared[block] = np.sum((X[rows[block]] - Z[chosen]) ** 2, axis=1)
    return squared
