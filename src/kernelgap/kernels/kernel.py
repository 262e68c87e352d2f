"""Gram matrices, computed in tiles on all cores, the lower half of a symmetric one mirrored."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from numbers import Real
from typing import ClassVar

import numpy as np
from jaxtyping import Float

from kernelgap.calls import format_call
from kernelgap.display import Card, Displayed
from kernelgap.errors import InputError
from kernelgap.kernels.pairs import NumpyPairs, Others, Pairs, Rows, SamePairs, UpperPairs, Value
from kernelgap.machine import available_memory, one_blas_thread, require_memory, threads
from kernelgap.rows import check_rows as check_rows

TILE = 256  # rows and columns of a tile: its arrays stay in a core's cache
AT_HAND = 2**24  # bytes; once a block of this size was freed, glibc keeps what tiles free for the next tiles


def check_overflow(values: np.ndarray, spec: str) -> None:
    """Refuse infinity and NaN, which finite inputs give where a kernel overflows."""
    with np.errstate(over="ignore", invalid="ignore"):  # invalid: infinity less infinity
        total = values.sum()
    if not np.isfinite(total) and not np.isfinite(values).all():
        raise InputError(f"The kernel {spec} overflows on these inputs: rescale them.")


def require_gram(n: int, m: int) -> None:
    """Refuse a Gram matrix that does not fit in memory."""
    largest = int((available_memory() / 8) ** 0.5)
    require_memory(
        8 * n * m,
        f"A Gram matrix of {n} x {m}",
        f"Take fewer samples (up to about {largest} x {largest} fit), predict in smaller blocks, or regress over "
        "explicit features (kernels.random_features, regression.feature_path).",
    )


def evaluate(formula: Callable[[Pairs], Value], X: Rows, Z: Others) -> Float[np.ndarray, "n m"]:
    """Fill the Gram matrix tile by tile with the formula's values."""
    from scipy.spatial.distance import squareform  # late: it takes a third of a second, and networks do without it

    require_gram(len(X), len(Z))
    symmetric = Z is X
    for rows in (X,) if symmetric else (X, Z):
        if not np.isfinite(np.einsum("nd,nd->n", rows, rows)).all():  # angles would be wrong, and finite
            raise InputError("The squared lengths of these inputs overflow: rescale them.")
    gram = np.empty((len(X), len(Z)))
    np.empty(AT_HAND, dtype=np.uint8)  # never touched, freed at once
    tiles = [(i, j) for i in range(0, len(X), TILE) for j in range(i if symmetric else 0, len(Z), TILE)]
    left = iter(tiles)  # shared by the threads

    def fill(i: int, j: int) -> None:
        rows, columns = slice(i, i + TILE), slice(j, j + TILE)
        if symmetric and i == j:
            gram[rows, rows] = squareform(formula(UpperPairs(X[rows])), checks=False)
            gram.flat[i * (len(X) + 1) : (i + TILE) * len(X) : len(X) + 1] = formula(SamePairs(X[rows]))
            return
        gram[rows, columns] = formula(NumpyPairs(X[rows], Z[columns]))
        if symmetric:
            gram[columns, rows] = gram[rows, columns].T

    @np.errstate(all="ignore")  # each thread has its own; what overflows is refused at the end
    def work() -> None:
        for i, j in left:
            fill(i, j)

    helpers = min(threads(), len(tiles)) - 1
    if helpers < 1:
        work()
    else:
        with one_blas_thread(), ThreadPoolExecutor(helpers) as pool:
            helping = [pool.submit(work) for _ in range(helpers)]
            work()
            for helper in helping:
                helper.result()
    return gram


Gram = Float[np.ndarray, "n m"]


def check_two(X: object, Z: object = None) -> tuple[Rows, Others]:
    """The rows of X and of Z, with as many columns; twice the same where Z is not given."""
    first = check_rows(X)
    second = first if Z is None or Z is X else check_rows(Z, "Z")
    if second.shape[1] != first.shape[1]:
        raise InputError(f"X has {first.shape[1]} columns and Z has {second.shape[1]}: a kernel needs the same.")
    return first, second


class Kernel(Displayed, ABC):
    """A symmetric positive semi-definite function of two inputs."""

    def __call__(self, X: object, Z: object = None) -> Gram:
        """The Gram matrix.

        Parameters
        ----------
        X, Z
            Inputs, a row each. Without Z, the rows of X are paired with each other.

        Returns
        -------
        numpy.ndarray
            K(x, z) for each row of X and each row of Z, in float64.
        """
        first, second = check_two(X, Z)
        with np.errstate(all="ignore"):
            fitted = self if self.is_fitted else self.fit(first if second is first else np.concatenate([first, second]))
            gram = fitted._gram(first, second)
            check_overflow(gram, self.spec)
        return gram

    @abstractmethod
    def _gram(self, X: Rows, Z: Others) -> Gram:
        """The Gram matrix of checked inputs; ``Z is X`` where both are the same."""

    def diagonal(self, X: object) -> Float[np.ndarray, " n"]:
        """K(x, x) for each row."""
        rows = check_rows(X)
        with np.errstate(all="ignore"):
            values = self._diagonal(rows)
            check_overflow(values, self.spec)
        return values

    def _diagonal(self, X: Rows) -> Float[np.ndarray, " n"]:
        """The diagonal of the Gram matrix of checked inputs."""
        return np.array([self._gram(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(len(X))])

    def fit(self, X: object) -> "Kernel":
        """This kernel with what it takes from the data (such as a median distance) taken from X."""
        return self

    @property
    def is_fitted(self) -> bool:
        """Whether nothing is left to take from the data. What is, a call takes from the points that it is given."""
        return True

    @property
    def has_formula(self) -> bool:
        """Whether ``value`` states the kernel as a formula in <x,z>, |x| and |z|, for any arithmetic."""
        return False

    def value(self, pairs: Pairs) -> Value:
        """K(x, z) of the pairs."""
        raise InputError(f"The kernel {self.spec} has no formula in <x,z>, |x| and |z|.")

    @property
    @abstractmethod
    def spec(self) -> str:
        """The text from which ``kernels.get`` makes this kernel again, if it can."""

    def _card(self) -> Card:
        return Card("kernel", self.spec)

    def _repr_html_(self) -> str:
        of_inputs = "a formula in <x,z>, |x| and |z|" if self.has_formula else "a function of two inputs"
        left = "" if self.is_fitted else " Its bandwidth comes from the points that it is given."
        return replace(self._card(), sentence=f"K(x, z) is {of_inputs}.{left}").table

    @property
    def combines(self) -> bool:
        """Whether sums and products with it make sense."""
        return True

    def __add__(self, other: object) -> "Kernel":
        from kernelgap.kernels.combination import added

        return added(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: object) -> "Kernel":
        from kernelgap.kernels.combination import multiplied, scaled

        if isinstance(other, Kernel):
            return multiplied(self, other)
        return scaled(self, other) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__


class NamedKernel(Kernel):
    """A frozen dataclass with a name. ``special`` are names of its own for some of its members: ck2 for ck(depth=1)."""

    name: ClassVar[str]
    special: ClassVar[Mapping[str, Mapping[str, object]]] = {}

    @property
    def spec(self) -> str:
        """The name and what differs from the defaults."""
        fields = getattr(self, "__dataclass_fields__", {})
        given = {n: getattr(self, n) for n, field in fields.items() if getattr(self, n) != field.default}
        for name, arguments in self.special.items():
            if all(getattr(self, n) == value for n, value in arguments.items()):
                return format_call(name, {n: value for n, value in given.items() if n not in arguments})
        return format_call(self.name, given)


class FormulaKernel(NamedKernel):
    """A kernel given by a formula in <x,z>, |x| and |z|: ``value`` states it once."""

    has_formula = True

    @abstractmethod
    def value(self, pairs: Pairs) -> Value: ...

    def _gram(self, X: Rows, Z: Others) -> Gram:
        return evaluate(self.value, X, Z)

    def _diagonal(self, X: Rows) -> Float[np.ndarray, " n"]:
        return np.asarray(self.value(SamePairs(X)), dtype=float)
