"""Problems on the Boolean cube in which F and G are products: sec. 8.1, the talk's example and eq. 7.1."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.problems.background import Background
from kernelgap.problems.fourier import FourierExpansion, IndexSet, symmetric_difference
from kernelgap.problems.problem import WrittenProblem


@dataclass(frozen=True, eq=False, repr=False)
class ParityProblem(WrittenProblem):
    """F_j(x) = prod_{i in base_sets[j]} x_i / scale and G_j(y) = composite_signs[j] prod_{l in composite_sets[j]} y_l.

    The first ``d1`` coordinates of x are independent and uniform on {-scale, scale}; the others come from
    ``background``. F uses only the first d1, so beta F and alpha G(F) are sums of parities of uniform signs.
    """

    name: str
    d: int
    base_sets: tuple[IndexSet, ...]
    composite_sets: tuple[tuple[int, ...], ...]
    composite_signs: tuple[int, ...]
    alpha: float
    beta: float
    noise: float
    scale: float
    d1: int
    background: Background | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def outputs(self) -> int:  # type: ignore[override]
        return len(self.base_sets)

    @property
    def spec(self) -> str:
        if any(callable(value) for value in self.arguments.values()):
            raise InputError(f"This {self.name} problem has a function as background and cannot be written as text.")
        return super().spec

    def inputs(self, rng: np.random.Generator, n: int) -> Float[np.ndarray, "n d"]:
        # One row after another from one stream, so that a larger sample starts with the smaller one.
        of_background = rng.spawn(1)[0]
        signs = 2.0 * rng.integers(0, 2, size=(n, self.d1), dtype=np.int8) - 1.0
        if self.d1 == self.d:
            return self.scale * signs
        assert self.background is not None
        others = np.asarray(self.background(of_background, n, self.d - self.d1), dtype=float)
        if others.shape != (n, self.d - self.d1) or not np.isfinite(others).all():
            raise InputError(
                f"The background must give a finite array of shape {(n, self.d - self.d1)}, it gave {others.shape}."
            )
        return np.hstack([self.scale * signs, self.scale * others])

    def _first_signal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        """F(x), without beta."""
        signs = self._checked(X) / self.scale
        return np.stack([signs[:, list(s)].prod(axis=1) for s in self.base_sets], axis=1)

    def base(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        return self.beta * self._first_signal(X)

    def composite(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        F = self._first_signal(X)
        products = {sets: F[:, list(sets)].prod(axis=1) for sets in set(self.composite_sets)}
        G = np.stack([s * products[c] for s, c in zip(self.composite_signs, self.composite_sets, strict=True)], axis=1)
        return self.alpha * G

    @property
    def threshold(self) -> float:
        """outputs * alpha^2, since each G_j(F) is a parity of square 1."""
        return self.outputs * self.alpha**2

    @property
    def base_fourier(self) -> FourierExpansion:
        """beta F as parities of the signs x / scale."""
        return self._expansion(list(self.base_sets), [self.beta] * self.outputs)

    @property
    def composite_fourier(self) -> FourierExpansion:
        """alpha G(F) as parities of the signs x / scale."""
        sets = [symmetric_difference([self.base_sets[j] for j in c]) for c in self.composite_sets]
        return self._expansion(sets, [self.alpha * s for s in self.composite_signs])

    @property
    def target_fourier(self) -> FourierExpansion:
        """H = beta F + alpha G(F) as parities of the signs x / scale."""
        return self.base_fourier + self.composite_fourier

    def _expansion(self, sets: list[IndexSet], weights: list[float]) -> FourierExpansion:
        terms: dict[IndexSet, np.ndarray] = {}
        for output, (index_set, weight) in enumerate(zip(sets, weights, strict=True)):
            terms.setdefault(tuple(sorted(index_set)), np.zeros(self.outputs))[output] += weight
        return FourierExpansion.from_terms(terms)


def pairs(count: int) -> tuple[IndexSet, ...]:
    """(x1 x2, x3 x4, ...): the index sets of ``count`` products of neighbours."""
    return tuple((2 * j, 2 * j + 1) for j in range(count))


def unit_scale(d: int) -> float:
    """The scale 1/sqrt(d) at which the cube's points are unit vectors."""
    return 1.0 / math.sqrt(d)
