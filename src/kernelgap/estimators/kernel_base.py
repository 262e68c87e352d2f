"""What the kernel estimators share: the kernel and the choice of the ridge."""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.estimators.base import EstimatorMetadata, ModelEstimator, NotNegative, Strict, Tables
from kernelgap.estimators.defaults import is_number
from kernelgap.kernels import Kernel
from kernelgap.kernels.check import check_count
from kernelgap.kernels.own import Precomputed
from kernelgap.machine import require_memory
from kernelgap.models import Expansion, KernelModel, LinearModel, Model
from kernelgap.regression import Choice, Spectrum, at_edge, choose_nystroem, choose_ridge, nystroem_features, ridge_path
from kernelgap.tensor_file import check

FALLING = 0.01  # share by which the error falls towards an edge for it to matter


class KernelFitted(Strict, strict=False):  # the fields of a spectrum become one
    ridge: NotNegative
    spectrum: Spectrum


class KernelEstimator(ModelEstimator, abstract=True):
    """Kernel ridge regression with any number of outputs. Over a precomputed matrix the model is linear in its rows."""

    model_: Expansion | LinearModel
    _models: ClassVar[tuple[type[Model], ...]] = (KernelModel, LinearModel)
    _tables: ClassVar[Tables] = {"path": ("ridge", "validation_error")}
    _fitted: ClassVar[type[Strict]] = KernelFitted

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
        kernel = kernels.get(self.kernel).fit(X)
        if self._precomputed and X.shape[0] != X.shape[1]:
            raise InputError(f"With kernel='precomputed', fit takes the square Gram matrix, not the shape {X.shape}.")
        n, points = len(X), X
        if self.landmarks is None:
            require_memory(
                3 * 8 * n * n,
                f"Kernel regression on {n} samples",
                "Take fewer, or regress over explicit features (landmarks=..., kernels.random_features).",
            )
            choice = self._choose(kernel(X), Y)
        else:
            choice, points = self._choose_over_landmarks(kernel, X, Y)
        self.ridge_ = choice.ridge
        self.spectrum_ = choice.spectrum
        self.path_ = {"ridge": choice.ridges, "validation_error": choice.errors}
        offset = np.zeros(Y.shape[1])
        if self._precomputed:
            self.model_ = LinearModel(choice.coefficients, offset)
        else:
            self.model_ = KernelModel(kernel, points, choice.coefficients, offset)

    @property
    def kernel_(self) -> Kernel:
        """The kernel that was used, with its bandwidth."""
        return self.model_.kernel if isinstance(self.model_, Expansion) else Precomputed()

    @property
    def X_fit_(self) -> np.ndarray | None:
        """The training inputs or landmarks; None for a precomputed matrix."""
        return self.model_.points if isinstance(self.model_, Expansion) else None

    @property
    def dual_coef_(self) -> np.ndarray:
        """The prediction at x is K(x, X_fit_) dual_coef_."""
        return self.model_.coefficients if isinstance(self.model_, Expansion) else self.model_.weights

    @property
    def ridge_at_edge_(self) -> str | None:
        """Whether the chosen ridge is the "smallest" or the "largest" of those tried."""
        check_is_fitted(self, "model_")
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

    def _choose_over_landmarks(self, kernel: Kernel, X: np.ndarray, Y: np.ndarray) -> tuple[Choice, np.ndarray]:
        """The same over Nystroem features; the coefficients are then the landmarks'."""
        if not isinstance(self.selection, str) or self.selection != "holdout":
            raise InputError(f"With landmarks a ridge is chosen on a holdout, not by {self.selection!r}.")
        check_count(self.landmarks, "The number of landmarks")
        rng = check_random_state(self.random_state)
        features = nystroem_features(kernel, X, int(self.landmarks), rng=rng)
        choice = choose_nystroem(features, X, Y, self._ridges, rng=rng, held_out=self.validation_fraction)
        if not isinstance(self.ridge, str):
            _warn_of_edge(choice)
        return choice, features.landmarks

    def _set_fitted(self, fitted: Any, metadata: EstimatorMetadata) -> None:
        super()._set_fitted(fitted, metadata)
        self.ridge, self.kernel = self.ridge_, getattr(self.model_.metadata(), "kernel", "precomputed")
        check(not np.any(self.model_.offset) and getattr(self.model_, "scale", 1.0) == 1, "it has a scale or an offset")
        check(self.spectrum_.samples == len(self.dual_coef_), "it has not as many samples as coefficients")
        check(self.ridge_ in self.path_["ridge"], "its ridge is not one of those tried")


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
