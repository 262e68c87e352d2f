"""Functions on the Boolean cube as sums of parities chi_S(s) = prod_{i in S} s_i, s in {-1, 1}^d."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

IndexSet = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class FourierExpansion:
    """f(s) = sum_S coefficients[S] chi_S(s), one column of coefficients for each output.

    Parities are orthonormal under the uniform distribution, so E |f|^2 is the sum of the squared coefficients
    (Parseval).

    Parameters
    ----------
    index_sets
        The sets S. They are distinct, sorted and count coordinates from 0.
    coefficients
        A row for each set, a column for each output.
    """

    index_sets: tuple[IndexSet, ...]
    coefficients: Float[np.ndarray, "sets outputs"]

    @classmethod
    def from_terms(cls, terms: Mapping[IndexSet, Float[np.ndarray, " outputs"]]) -> "FourierExpansion":
        sets = tuple(sorted(terms, key=lambda s: (len(s), s)))
        return cls(sets, np.array([terms[s] for s in sets], dtype=float))

    @property
    def outputs(self) -> int:
        return self.coefficients.shape[1]

    @property
    def degree(self) -> int:
        return max((len(s) for s in self.index_sets), default=0)

    def __add__(self, other: "FourierExpansion") -> "FourierExpansion":
        terms = dict(zip(self.index_sets, self.coefficients, strict=True))
        for index_set, row in zip(other.index_sets, other.coefficients, strict=True):
            terms[index_set] = terms.get(index_set, 0.0) + row
        return FourierExpansion.from_terms(terms)

    def __call__(self, signs: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        parities = np.empty((len(signs), len(self.index_sets)))
        for column, index_set in zip(parities.T, self.index_sets, strict=True):
            column[:] = signs[:, list(index_set)].prod(axis=1)
        return parities @ self.coefficients

    def squared_norm(self) -> float:
        """E |f|^2 over the uniform cube, summed over outputs."""
        return float((self.coefficients**2).sum())


def symmetric_difference(index_sets: list[IndexSet]) -> IndexSet:
    """The index set of a product of parities: coordinates that occur an odd number of times (s_i^2 = 1)."""
    product: set[int] = set()
    for index_set in index_sets:
        product ^= set(index_set)
    return tuple(sorted(product))
