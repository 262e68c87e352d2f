"""What a kernel sees of two inputs: their inner product, lengths, angle and distance.

A kernel's formula is written once, over ``Pairs``: with + - * / and the functions named here. NumPy evaluates it over
a whole tile of the Gram matrix; any other arithmetic that offers the same names (ball arithmetic, say) can evaluate
the same formula.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from jaxtyping import Float

Value = Any  # a NumPy array, or a number of another arithmetic
Rows = Float[np.ndarray, "n d"]
Others = Float[np.ndarray, "m d"]
OfPairs = Float[np.ndarray, "..."]  # a table for rows with others, or a list of pairs
Result = TypeVar("Result")


class Arithmetic(Protocol):
    """The functions that formulas use besides + - * /."""

    @property
    def pi(self) -> Value: ...
    def sqrt(self, value: Value) -> Value: ...
    def exp(self, value: Value) -> Value: ...
    def tanh(self, value: Value) -> Value: ...
    def sin(self, value: Value) -> Value: ...
    def arcsin(self, value: Value) -> Value: ...
    def polar(self, cosine: Value) -> "Polar": ...
    def polar_near_one(self, cosine: Value, versine: Callable[..., Value], *of: Value) -> "Polar":
        """The same, where 1 - cosine = versine(*of) has digits that the cosine itself has lost near 1."""
        ...


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
    def inner(self) -> Value: ...  # <x, z>
    @property
    def lengths(self) -> Value: ...  # |x| |z|
    @property
    def squared_lengths(self) -> tuple[Value, Value]: ...  # |x|^2 and |z|^2
    @property
    def polar(self) -> Polar: ...  # the angle between x and z; a right angle where x or z is 0
    @property
    def squared_distance(self) -> Value: ...  # |x - z|^2
    @property
    def squared_sum(self) -> Value: ...  # |x + z|^2
    def with_bias(self) -> "Pairs": ...  # the pairs (x, 1) and (z, 1)


class lazy(Generic[Result]):  # noqa: N801
    """Computed at first use. Until Python 3.12 ``cached_property`` holds a lock meanwhile, one for all tiles."""

    def __init__(self, compute: Callable[[Any], Result]) -> None:
        self._compute = compute

    def __get__(self, owner: Any, kind: type) -> Result:
        result = owner.__dict__[self._compute.__name__] = self._compute(owner)
        return result


def geometric_mean(x: Value, z: Value, arithmetic: Arithmetic) -> Value:
    """sqrt(xz) for x > 0: without overflow, and x itself where z = x."""
    return x * arithmetic.sqrt(z / x)


class NumpyArithmetic:
    """Element by element, on arrays. Cosines that rounding cannot tell from -1 or 1 count as these."""

    pi = np.pi
    exp = staticmethod(np.exp)
    tanh = staticmethod(np.tanh)
    sin = staticmethod(np.sin)
    ENDS = 4 * np.finfo(float).eps
    NEAR_ONE = 1e-5  # 1 - cosine below which a versine is used: an angle from the cosine is off by eps / angle

    @staticmethod
    def sqrt(value: Value) -> Value:
        return np.sqrt(np.maximum(value, 0.0))

    @staticmethod
    def arcsin(value: Value) -> Value:
        return np.arcsin(np.clip(value, -1.0, 1.0))

    @classmethod
    def polar(cls, cosine: Value) -> Polar:
        squared = 1.0 - cosine * cosine
        if np.min(squared, initial=1.0) < 4 * cls.ENDS:
            cosine = np.where(np.abs(cosine) >= 1.0 - cls.ENDS, np.sign(cosine), cosine)
            squared = 1.0 - cosine * cosine
        return Polar(cosine, np.sqrt(squared), np.arccos(cosine))

    @classmethod
    def polar_near_one(cls, cosine: Value, versine: Callable[..., Value], *of: Value) -> Polar:
        polar = cls.polar(cosine)
        if np.max(cosine, initial=-1.0) <= 1.0 - cls.NEAR_ONE:
            return polar
        near = np.nonzero(cosine > 1.0 - cls.NEAR_ONE)
        versines = np.maximum(versine(*(np.broadcast_to(value, cosine.shape)[near] for value in of)), 0.0)
        # 1 - cos t = 2 sin^2(t / 2), sin^2 t = (1 - cos t)(1 + cos t)
        exact = Polar(1.0 - versines, np.sqrt(versines * (2.0 - versines)), 2 * np.arcsin(np.sqrt(versines / 2)))
        for values, exact_values in zip(polar, exact, strict=True):
            values[near] = exact_values
        return polar


class NumpyPairs:
    """Every row of X with every row of Z, given their inner products.

    Where x and z are nearly parallel, <x,z> / (|x| |z|) and |x|^2 + |z|^2 - 2<x,z> lose half of their digits; such
    pairs (the diagonal and repeated rows among them) are computed from x - z instead, nearly opposite ones from x + z.
    """

    arithmetic = NumpyArithmetic()
    NEAR = 1e-6  # 1 - |cosine| below which x - z is used

    def __init__(self, X: Rows, Z: Others, inner: OfPairs | None = None) -> None:
        self._X, self._Z = X, Z
        self.inner = X @ Z.T if inner is None else inner

    def with_bias(self) -> "NumpyPairs":
        """The pairs (x, 1) and (z, 1)."""
        return NumpyPairs(with_ones(self._X), with_ones(self._Z), self.inner + 1.0)

    @lazy
    def squared_lengths(self) -> tuple[np.ndarray, np.ndarray]:
        return np.einsum("nd,nd->n", self._X, self._X)[:, None], np.einsum("nd,nd->n", self._Z, self._Z)

    @lazy
    def lengths(self) -> OfPairs:
        x, z = self.squared_lengths
        return np.sqrt(x) * np.sqrt(z)

    @lazy
    def polar(self) -> Polar:
        lengths = self.lengths
        if np.min(lengths, initial=1.0) == 0:
            lengths = np.where(lengths > 0, lengths, 1.0)
        polar = self.arithmetic.polar(self.inner / lengths)
        if np.min(polar.sine, initial=1.0) > (2 * self.NEAR) ** 0.5:
            return polar
        cosine, sine, angle = polar
        near = np.nonzero(np.abs(cosine) > 1 - self.NEAR)
        if len(near[0]):
            # with unit vectors u, v and s the sign of <u,v>: |u - s v| = 2 sin(a / 2), a the angle between u and s v
            same = cosine[near] > 0
            rows, columns = self._rows_and_columns(near)
            u, v = _unit(self._X), np.stack([-_unit(self._Z), _unit(self._Z)])
            half = np.sqrt(_squared_differences(u, v, rows, (same.astype(int), columns))) / 2
            small = 2 * np.arcsin(half)
            cosine[near] = np.where(same, 1.0, -1.0) * (1.0 - 2 * half**2)
            sine[near] = np.sin(small)
            angle[near] = np.where(same, small, np.pi - small)
        return Polar(cosine, sine, angle)

    @lazy
    def squared_distance(self) -> OfPairs:
        return self._squared_distance(self.inner, self._Z)

    @lazy
    def squared_sum(self) -> OfPairs:
        return self._squared_distance(-self.inner, -self._Z)

    def _squared_distance(self, inner: OfPairs, Z: Others) -> OfPairs:
        """From Z, which has the lengths of ``self._Z`` and these inner products."""
        x, z = self.squared_lengths
        squared = x + z - 2 * inner
        if np.min(squared, initial=np.inf) > 2 * self.NEAR * (np.max(x, initial=0.0) + np.max(z, initial=0.0)):
            return squared
        near = np.nonzero(squared <= 2 * self.NEAR * (x + z))
        if len(near[0]):
            squared[near] = _squared_differences(self._X, Z, *self._rows_and_columns(near))
        return squared

    def _rows_and_columns(self, places: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
        """The rows of X and of Z that meet in these places of ``inner``."""
        return places[0], places[1]


class UpperPairs(NumpyPairs):
    """Each row of X with every later row, in the order of ``np.triu_indices``: half of a symmetric matrix."""

    def __init__(self, X: Rows, inner: Float[np.ndarray, " pairs"] | None = None) -> None:
        from scipy.spatial.distance import squareform  # late: it takes a third of a second

        self._places = _upper(len(X))
        super().__init__(X, X, squareform(X @ X.T, checks=False) if inner is None else inner)

    def with_bias(self) -> "UpperPairs":
        return UpperPairs(with_ones(self._X), self.inner + 1.0)

    @lazy
    def squared_lengths(self) -> tuple[Float[np.ndarray, " pairs"], Float[np.ndarray, " pairs"]]:
        squared = np.einsum("nd,nd->n", self._X, self._X)
        rows, columns = self._places
        return squared.take(rows), squared.take(columns)

    @lazy
    def lengths(self) -> Float[np.ndarray, " pairs"]:
        each = np.linalg.norm(self._X, axis=1)
        rows, columns = self._places
        return each.take(rows) * each.take(columns)

    def _rows_and_columns(self, places: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
        rows, columns = self._places
        return rows[places], columns[places]


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
        self.squared_sum = 4 * self.inner

    def with_bias(self) -> "SamePairs":
        return SamePairs(with_ones(self._X))


@lru_cache(maxsize=4)
def _upper(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(n, 1)


def with_ones(X: Rows) -> Float[np.ndarray, "n d+1"]:
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
