"""A path of ridges for one kernel: exactly where the Gram matrix has room, else over Nystroem features."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from kernelgap.audit.contenders.view import Outputs, Rows, View
from kernelgap.kernels import Kernel
from kernelgap.regression import NystroemPath, default_ridges, nystroem_features, nystroem_path
from kernelgap.regression.ridge import Solved
from kernelgap.regression.selection import best_ridge, solve_quietly

Ridges = Float[np.ndarray, " r"]


def solve_path(kernel: Kernel, X: Rows, Y: Outputs, view: View) -> "Exact | Reduced":
    """Regression with every ridge."""
    if view.effort.landmarks is None or view.effort.landmarks >= len(X):
        gram = kernel(X)
        ridges = default_ridges(float(np.mean(np.diagonal(gram))), len(X))
        return Exact(kernel, X, solve_quietly(gram, Y, ridges))
    features = nystroem_features(kernel, X, view.effort.landmarks, rng=np.random.default_rng([view.seed, len(X)]))
    return Reduced(nystroem_path(features, X, Y))


@dataclass(frozen=True)
class Exact:
    """A path of ridges from one factorisation."""

    kernel: Kernel
    points: Rows
    solved: Solved

    @property
    def note(self) -> dict[str, int]:
        return {}

    @property
    def ridges(self) -> Ridges:
        return self.solved.ridges

    def errors(self, X: Rows, Y: Outputs) -> Ridges:
        return self.solved.errors(self.kernel(X, self.points), Y)

    def best(self, errors: Ridges) -> int:
        return best_ridge(errors, self.ridges, self.solved.spectrum)

    def solution(self, best: int) -> Outputs:
        return self.solved.only(best).coefficients[0]


@dataclass(frozen=True)
class Reduced:
    """The same over Nystroem features; the points are their landmarks."""

    path: NystroemPath

    @property
    def note(self) -> dict[str, int]:
        return {"landmarks": len(self.points)}

    @property
    def points(self) -> Rows:
        return self.path.features.landmarks

    @property
    def ridges(self) -> Ridges:
        return self.path.ridges

    def errors(self, X: Rows, Y: Outputs) -> Ridges:
        return self.path.errors(X, Y)

    def best(self, errors: Ridges) -> int:
        spectrum = self.path.path.spectrum
        assert spectrum is not None
        return best_ridge(errors, self.ridges, spectrum)

    def solution(self, best: int) -> Outputs:
        return self.path.features.root @ self.path.path.weights[best]
