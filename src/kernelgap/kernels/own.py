"""Anyone's own kernel: a function, or a Gram matrix that was computed elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_flag
from kernelgap.kernels.kernel import Gram, Kernel, require_gram
from kernelgap.kernels.pairs import Others, Rows
from kernelgap.rows import check_finite, check_numbers


@dataclass(frozen=True, repr=False)
class FunctionKernel(Kernel):
    """K given by a function of two tables, or of two rows."""

    function: Callable[..., object]
    pairwise: bool = False

    def _gram(self, X: Rows, Z: Others) -> Gram:
        require_gram(len(X), len(Z))
        if self.pairwise:
            values = np.array([[self._number(x, z) for z in Z] for x in X]).reshape(len(X), len(Z))
        else:
            values = np.array(self.function(X, Z), dtype=float)  # a copy: the function may keep its own
        if values.shape != (len(X), len(Z)):
            advice = "(n, d) and (m, d) must give (n, m); for a function of two rows, say pairwise=True."
            raise InputError(f"{self._name} gave the shape {values.shape} for {len(X)} and {len(Z)} rows: {advice}")
        check_finite(values, f"The Gram matrix of {self._name}")
        if Z is X and not np.allclose(values, values.T, rtol=1e-8, atol=1e-8 * np.abs(values).max(initial=0.0)):
            raise InputError(f"{self._name} is not symmetric: K(x,z) and K(z,x) differ, so it is no kernel.")
        return values

    def _number(self, x: np.ndarray, z: np.ndarray) -> float:
        try:
            return float(self.function(x, z))  # type: ignore[arg-type]
        except TypeError:
            raise InputError(f"{self._name} must give one number for two rows.") from None

    @property
    def _name(self) -> str:
        return getattr(self.function, "__name__", repr(self.function))

    @property
    def spec(self) -> str:
        return f"from_function({self._name})"


def from_function(function: Callable[..., object], *, pairwise: bool = False) -> Kernel:
    """A kernel from a function of one's own.

    Parameters
    ----------
    function
        f(X, Z) -> Gram matrix (n, m), or with ``pairwise`` f(x, z) -> number.
    pairwise
        Whether it is a function of two rows.

    Examples
    --------
    >>> import numpy as np
    >>> kernel = from_function(lambda X, Z: (1 + X @ Z.T) ** 2)
    >>> kernel(np.eye(2))
    array([[4., 1.],
           [1., 4.]])
    """
    if not callable(function):
        raise InputError(f"from_function takes a function, not {function!r}.")
    check_flag(pairwise, "pairwise")
    return FunctionKernel(function, pairwise)


@dataclass(frozen=True, repr=False)
class Precomputed(Kernel):
    """In place of inputs, the Gram matrix itself: rows are samples, columns are training samples."""

    def __call__(self, X: object, Z: object = None) -> Gram:
        gram = check_numbers(X, "X").copy()  # regression may use it up
        if gram.ndim != 2:
            raise InputError(f"A precomputed Gram matrix has two dimensions, not the shape {gram.shape}.")
        check_finite(gram, "The precomputed Gram matrix")
        return gram

    def _gram(self, X: Rows, Z: Others) -> Gram:
        return X.copy()

    def _diagonal(self, X: Rows) -> Float[np.ndarray, " n"]:
        if X.shape[0] != X.shape[1]:
            raise InputError(f"A precomputed Gram matrix of shape {X.shape} has no K(x,x): give the square one.")
        return np.diagonal(X).copy()

    @property
    def combines(self) -> bool:
        return False

    @property
    def spec(self) -> str:
        return "precomputed"
