"""What the kernel estimators share: the kernel, the choice of the ridge, predictions in blocks, files."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.estimators.defaults import is_number
from kernelgap.kernels import Kernel
from kernelgap.kernels.check import check_count
from kernelgap.kernels.own import Precomputed
from kernelgap.machine import require_memory
from kernelgap.regression import Choice, at_edge, choose_nystroem, choose_ridge, nystroem_features, ridge_path

FALLING = 0.01  # share by which the error falls towards an edge for it to matter
BLOCK = 2**25  # entries of the Gram matrix that a prediction computes at a time: 256 MiB


class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """Kernel ridge regression with any number of outputs."""

    def __init__(
        self,
        kernel: str | Kernel = "ntk2",
        *,
        ridge: Any = "path",
        selection: str = "holdout",
        validation_fraction: float = 0.2,
        folds: int = 5,
        landmarks: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.selection = selection
        self.validation_fraction = validation_fraction
        self.folds = folds
        self.landmarks = landmarks
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags

    @property
    def _precomputed(self) -> bool:
        text = isinstance(self.kernel, str) and self.kernel.strip() == "precomputed"
        return text or isinstance(self.kernel, Precomputed)

    def _fit(self, X: np.ndarray, Y: np.ndarray) -> None:
        """Choose the ridge, if it is to be chosen, and solve."""
        self.kernel_ = kernels.get(self.kernel).fit(X)
        if self._precomputed and X.shape[0] != X.shape[1]:
            raise InputError(f"With kernel='precomputed', fit takes the square Gram matrix, not the shape {X.shape}.")
        n = len(X)
        if self.landmarks is None:
            require_memory(
                3 * 8 * n * n,
                f"Kernel regression on {n} samples",
                "Take fewer, or regress over explicit features (landmarks=..., kernels.random_features).",
            )
            choice = self._choose(self.kernel_(X), Y)
            self.X_fit_ = None if self._precomputed else X
        else:
            choice, self.X_fit_ = self._choose_over_landmarks(X, Y)
        self.ridge_ = choice.ridge
        self.spectrum_ = choice.spectrum
        self.dual_coef_ = choice.coefficients
        self.path_ = {"ridge": choice.ridges, "validation_error": choice.errors}

    @property
    def ridge_at_edge_(self) -> str | None:
        """Whether the chosen ridge is the "smallest" or the "largest" of those tried."""
        check_is_fitted(self, "dual_coef_")
        return at_edge(self.ridge_, self.path_["ridge"])

    def _choose(self, gram: np.ndarray, Y: np.ndarray) -> Choice:
        if is_number(self.ridge):
            path = ridge_path(gram, Y, self.ridge, overwrite=True)
            return Choice(float(self.ridge), path.ridges, np.full(1, np.nan), path.coefficients[0], path.spectrum)
        choice = choose_ridge(
            gram,
            Y,
            self._ridges,
            by=self.selection,
            rng=check_random_state(self.random_state),
            held_out=self.validation_fraction,
            folds=self.folds,
        )
        if not isinstance(self.ridge, str):  # the ends of the default path are as far as it makes sense to go
            _warn_of_edge(choice)
        return choice

    @property
    def _ridges(self) -> Any:
        """Those to try; None for the default path."""
        if isinstance(self.ridge, str) and self.ridge != "path":
            raise InputError(f"ridge must be a number, a list of numbers or 'path', not {self.ridge!r}.")
        return None if isinstance(self.ridge, str) else self.ridge

    def _choose_over_landmarks(self, X: np.ndarray, Y: np.ndarray) -> tuple[Choice, np.ndarray]:
        """The same over Nystroem features; the coefficients are then the landmarks'."""
        if not isinstance(self.selection, str) or self.selection != "holdout":
            raise InputError(f"With landmarks a ridge is chosen on a holdout, not by {self.selection!r}.")
        check_count(self.landmarks, "The number of landmarks")
        rng = check_random_state(self.random_state)
        features = nystroem_features(self.kernel_, X, int(self.landmarks), rng=rng)
        choice = choose_nystroem(features, X, Y, self._ridges, rng=rng, held_out=self.validation_fraction)
        if not isinstance(self.ridge, str):
            _warn_of_edge(choice)
        return choice, features.landmarks

    def _outputs(self, X: Any) -> np.ndarray:
        """The regression's outputs, (n, k)."""
        check_is_fitted(self, "dual_coef_")
        X = validate_data(self, X, reset=False, dtype=np.float64)
        if self.X_fit_ is None:
            return X @ self.dual_coef_
        step = max(1, BLOCK // len(self.X_fit_))
        blocks = [self.kernel_(X[i : i + step], self.X_fit_) @ self.dual_coef_ for i in range(0, len(X), step)]
        return np.concatenate(blocks)

    def save(self, path: str | Path) -> Path:
        """Write the fitted model to a file that ``kernelgap.load`` reads: numbers and text, no code."""
        from kernelgap.estimators.saving import save

        return save(self, path)


def _warn_of_edge(choice: Choice) -> None:
    """If the chosen ridge is the last of its grid, and the error was still falling towards it, say so."""
    edge = at_edge(choice.ridge, choice.ridges)
    if edge is None:
        return
    others = choice.ridges != choice.ridge
    nearest = np.argmin(np.where(others, np.abs(choice.ridges - choice.ridge), np.inf))
    if np.min(choice.errors[~others]) < (1 - FALLING) * choice.errors[nearest]:
        what = f"The chosen ridge {choice.ridge:.3g} is the {edge} of those given, and the error falls towards it"
        further = "smaller" if edge == "smallest" else "larger"
        warnings.warn(f"{what}: give {further} ones too.", UserWarning, stacklevel=5)
