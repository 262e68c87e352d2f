"""A preconditioner for K + ridge I from random landmarks, the same for every ridge.

K(X,L) K(L,L)^-1 K(L,X) = U diag(s) U' is the kernel seen through the landmarks L, never more than K itself. With mu the
smallest of s,

    P^-1 = U (diag(s) + ridge)^-1 U' + (I - U U') / (mu + ridge)

is close to (K + ridge I)^-1 where K is large, and leaves the rest alone (Frangella, Tropp and Udell, "Randomized
Nystroem preconditioning", 2021). Conjugate gradients then take as many steps as the rest of K demands.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import eigh

from kernelgap.errors import InputError
from kernelgap.regression.spectrum import Targets
from kernelgap.regression.tiles import Gram, ShareDone, no_progress

LEAST = 1e-11  # of the largest s: below, rounding keeps the columns of U from being orthonormal
ROWS = 4096  # that are multiplied at a time

PerColumn = Float[np.ndarray, " c"]


@dataclass(frozen=True)
class Preconditioner:
    """U and s. Without columns in U, nothing is done.

    Attributes
    ----------
    vectors, values
        U, with orthonormal columns, and s, from the smallest up.
    """

    vectors: Float[np.ndarray, "n r"]
    values: Float[np.ndarray, " r"]

    @classmethod
    def of(
        cls,
        gram: Gram,
        landmarks: Int[np.ndarray, " p"],
        inside: Float[np.ndarray, " n"],
        on_progress: ShareDone = no_progress,
    ) -> "Preconditioner":
        """From the rows at ``landmarks``, for the samples where ``inside`` is 1; it is 0 on those held out."""
        if not len(landmarks):
            return cls(np.empty((gram.samples, 0)), np.empty(0))
        features = gram.columns(landmarks, lambda share: on_progress(0.4 * share))
        weights, turn = eigh(features[landmarks], overwrite_a=True, check_finite=False)
        kept = weights > len(weights) * np.finfo(float).eps * max(weights[-1], 0.0)
        if not kept.any():
            raise InputError("The kernel is 0 on all landmarks: nothing can be learned from it.")
        features = _multiplied_in_place(
            features, turn[:, kept] / np.sqrt(weights[kept]), lambda share: on_progress(0.4 + 0.2 * share)
        )
        features = features * inside[:, None]
        on_progress(0.6)
        values, turn = eigh(features.T @ features, overwrite_a=True, check_finite=False)
        kept = values > LEAST * values[-1]
        turn = turn[:, kept] / np.sqrt(values[kept])
        return cls(_multiplied_in_place(features, turn, lambda share: on_progress(0.8 + 0.2 * share)), values[kept])

    @property
    def largest(self) -> float:
        """The largest eigenvalue of K, from below."""
        return float(self.values[-1])

    def apply(self, R: Targets, ridges: PerColumn) -> Targets:
        """P^-1 R, each column with its own ridge."""
        if not len(self.values):
            return R.copy()
        rest = 1 / (self.values[0] + ridges)
        gains = 1 / (self.values[:, None] + ridges) - rest
        return R * rest + self.vectors @ (gains * (self.vectors.T @ R))


def _multiplied_in_place(
    tall: Float[np.ndarray, "n p"], square: Float[np.ndarray, "p r"], on_progress: ShareDone
) -> Float[np.ndarray, "n r"]:
    """The product, in the memory of the first: some rows at a time."""
    width = square.shape[1]
    for i in range(0, len(tall), ROWS):
        tall[i : i + ROWS, :width] = tall[i : i + ROWS] @ square
        on_progress(min(1.0, (i + ROWS) / len(tall)))
    return tall[:, :width]
