"""Kernel ridge regression as a scikit-learn regressor and classifier."""

import warnings
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernelgap import console, kernels
from kernelgap.errors import InputError, unknown
from kernelgap.estimators.base import (
    Classifier,
    EstimatorMetadata,
    ModelEstimator,
    NotNegative,
    Regressor,
    Strict,
    Tables,
)
from kernelgap.estimators.defaults import is_number
from kernelgap.kernels import Kernel
from kernelgap.kernels.check import check_count
from kernelgap.kernels.own import Precomputed
from kernelgap.machine import available_memory, require_memory
from kernelgap.models import Expansion, KernelModel, LinearModel, Model
from kernelgap.regression import (
    ChosenRidge,
    IterativeSolver,
    KernelGram,
    MatrixGram,
    Spectrum,
    at_edge,
    choose_nystroem,
    choose_ridge,
    nystroem_features,
    solve_with_spectrum,
)
from kernelgap.tensor_file import check

SOLVERS = ("auto", "direct", "iterative")
FALLING = 0.01  # share by which the error falls towards an edge for a warning
PARAMETERS = """
    Parameters
    ----------
    kernel
        A name ("ntk2", "gaussian(bandwidth=2.0)", "ck2 + 0.1 * laplace"; see ``kernelgap list``), a kernel, or
        "precomputed": then fit takes the training samples' Gram matrix, and predict that of new samples with them.
    ridge
        A number on the scale of the kernel (scikit-learn's alpha), a list of them, or "path": three a decade from 1e-9
        (from 1,062 samples n on: 4 n^2 eps, what rounding allows) to 100 times the mean of K(x,x).
    selection
        How the ridge is chosen: on a "holdout" (2 factorisations for the whole path), by "folds" (one more than there
        are folds), by "loo" (leave one out) or "gcv", both in closed form (1). The chosen ridge is then used on all
        samples.
    validation_fraction
        Share of the samples that "holdout" holds out.
    folds
        How many there are with "folds".
    solver
        "direct" factorises the Gram matrix, which takes three times its memory. "iterative" runs conjugate gradients
        over half of it in float32 until the residual is 1e-5 of the targets; it chooses a ridge on a holdout, by
        default from those that float32 allows. "auto" is direct where memory allows, else iterative.
    landmarks
        For more samples than a Gram matrix has room for: how many of them to see the kernel through (Nystroem features,
        drawn at random). ``regression.most_landmarks`` says how many fit. None for the exact regression.
    random_state
        Seed of the held-out part or the folds, and of the landmarks.

    Attributes
    ----------
    ridge_, kernel_
        What was used; the kernel with its bandwidth.
    ridge_at_edge_
        "smallest" or "largest" if the chosen ridge is that of those tried, else None. A warning is given where the
        error still fell towards the edge of a list of yours.
    path_
        "ridge" and "validation_error" for each ridge tried: the mean of |y - prediction|^2 summed over outputs.
    spectrum_
        How healthy the Gram matrix is: its smallest and largest eigenvalue, what was added to its diagonal. With one
        given ridge and more than 300 samples the eigenvalues may be estimates, to some per cent. The iterative
        solver knows bounds: 0 and the trace.
    n_iter_
        Iterations of conjugate gradients for the chosen ridge; None with the direct solver.
    dual_coef_, X_fit_
        The prediction at x is K(x, X_fit_) dual_coef_. With landmarks, X_fit_ are these.
"""


class KernelFitted(Strict, strict=False):  # the fields of a spectrum become one
    ridge: NotNegative
    spectrum: Spectrum
    n_iter: Annotated[int, Field(ge=0, strict=True)] | None = None


@dataclass(eq=False, repr=False)
class KernelEstimator(ModelEstimator, abstract=True):
    """Kernel ridge regression with any number of outputs. Over a precomputed matrix the model is linear in its rows."""

    kernel: str | Kernel = "ntk2"
    _: KW_ONLY
    ridge: Any = "path"
    selection: str = "holdout"
    validation_fraction: float = 0.2
    folds: int = 5
    solver: str = "auto"
    landmarks: Any = None
    random_state: Any = None

    model_: Expansion | LinearModel = field(init=False)
    n_iter_: int | None = field(init=False)
    _models: ClassVar[tuple[type[Model], ...]] = (KernelModel, LinearModel)
    _tables: ClassVar[Tables] = {"path": ("ridge", "validation_error")}
    _fitted: ClassVar[type[Strict]] = KernelFitted

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
        points, self.n_iter_ = X, None
        solver = self._solver(len(X))
        if self.landmarks is not None:
            choice, points = self._choose_over_landmarks(kernel, X, Y)
        elif solver == "iterative":
            choice = self._choose_iteratively(kernel, X, Y)
        else:
            advice = "Take fewer, solver='iterative', or features (landmarks=..., kernels.random_features)."
            require_memory(_direct_memory(len(X)), f"Kernel regression on {len(X)} samples", advice)
            choice = self._choose(kernel(X), Y, positive=kernel.has_formula)
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

    def _choose(self, gram: np.ndarray, Y: np.ndarray, *, positive: bool) -> ChosenRidge:
        if is_number(self.ridge):
            solution = solve_with_spectrum(gram, Y, self.ridge, positive=positive)
            return ChosenRidge(float(self.ridge), np.array([float(self.ridge)]), np.full(1, np.nan), *solution)
        options: dict[str, Any] = {"held_out": self.validation_fraction, "folds": self.folds}
        rng = check_random_state(self.random_state)
        choice = choose_ridge(gram, Y, self._ridges, by=self.selection, rng=rng, **options)
        if not isinstance(self.ridge, str):  # the ends of the default path are as far as it makes sense to go
            _warn_of_edge(choice)
        return choice

    def _solver(self, n: int) -> str:
        """Which solver to take for so many samples."""
        if not isinstance(self.solver, str) or self.solver not in SOLVERS:
            raise unknown("solver", self.solver, SOLVERS)
        if self.solver != "auto":
            return self.solver
        return "direct" if _direct_memory(n) <= available_memory() else "iterative"

    def _choose_iteratively(self, kernel: Kernel, X: np.ndarray, Y: np.ndarray) -> ChosenRidge:
        """By conjugate gradients. Tiles that do not fit are refused: computing them in every iteration takes hours."""
        chosen = not is_number(self.ridge)
        if chosen and (not isinstance(self.selection, str) or self.selection != "holdout"):
            raise InputError(f"The iterative solver chooses a ridge on a holdout, not by {self.selection!r}.")
        rng = check_random_state(self.random_state)
        with console.progress(f"kernel regression on {len(X):,} samples") as show:
            gram = MatrixGram(X) if self._precomputed else KernelGram(kernel, X)
            solver = IterativeSolver(gram, self._ridges if chosen else [self.ridge], rng=rng, on_progress=show)
            if not self._precomputed:
                columns = len(solver.ridges) * Y.shape[1]
                advice = "Take fewer samples or ridges, a larger ridge, or landmarks=..."
                require_memory(solver.memory(columns), f"Kernel regression on {len(X)} samples", advice)
            choice, convergence = solver.choose(Y, rng=rng, held_out=self.validation_fraction)
        self.n_iter_ = int(convergence.iterations[0])
        if chosen and not isinstance(self.ridge, str):
            _warn_of_edge(choice)
        return choice

    @property
    def _ridges(self) -> Any:
        """Those to try; None for the default path."""
        if isinstance(self.ridge, str) and self.ridge != "path":
            raise InputError(f"ridge must be a number, a list of numbers or 'path', not {self.ridge!r}.")
        return None if isinstance(self.ridge, str) else self.ridge

    def _choose_over_landmarks(self, kernel: Kernel, X: np.ndarray, Y: np.ndarray) -> tuple[ChosenRidge, np.ndarray]:
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


def _direct_memory(n: int) -> int:
    return 3 * 8 * n * n


def _warn_of_edge(choice: ChosenRidge) -> None:
    """Warn if the chosen ridge is the last of its grid, and the error was still falling towards it."""
    edge = at_edge(choice.ridge, choice.ridges)
    if edge is None:
        return
    others = choice.ridges != choice.ridge
    nearest = np.argmin(np.where(others, np.abs(choice.ridges - choice.ridge), np.inf))
    if np.min(choice.errors[~others]) < (1 - FALLING) * choice.errors[nearest]:
        what = f"The chosen ridge {choice.ridge:.3g} is the {edge} of those given, and the error falls towards it"
        further = "smaller" if edge == "smallest" else "larger"
        warnings.warn(f"{what}: give {further} ones too.", UserWarning, stacklevel=5)


class KernelRegressor(Regressor, KernelEstimator):
    __doc__ = f"""Kernel ridge regression, the ridge chosen from a whole path by a few factorisations.
{PARAMETERS}"""


class KernelClassifier(Classifier, KernelEstimator):
    __doc__ = f"""Least squares on one-hot labels with a kernel: the class with the largest output.

    Labels become 1 for their class and 0 for the others, less 1 / classes.
{PARAMETERS}
    classes_
        The labels, in the order of the outputs.
"""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X
            Inputs (n, d).
        y
            Labels (n,).

        Returns
        -------
        The estimator itself.
        """
        X, y = self._labelled(X, y)
        self._fit(X, self._one_hot(y) - 1 / len(self.classes_))
        return self
