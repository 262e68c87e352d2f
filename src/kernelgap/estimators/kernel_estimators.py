"""Kernel ridge regression as a scikit-learn regressor and classifier."""

from typing import Any, Self

import numpy as np
from pydantic import ValidationError
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from kernelgap.errors import InputError
from kernelgap.estimators.base import EstimatorMetadata, Labels, Regressor
from kernelgap.estimators.kernel_base import KernelEstimator
from kernelgap.tensor_file import check

PARAMETERS = """
    Parameters
    ----------
    kernel : a name ("ntk2", "gaussian(bandwidth=2.0)", "ck2 + 0.1 * laplace"; see ``kernelgap list``), a kernel, or
        "precomputed": then fit takes the training samples' Gram matrix, and predict that of new samples with them.
    ridge : a number on the scale of the kernel (scikit-learn's alpha), a list of them, or "path": three a decade from
        1e-9 (from 1,062 samples n on: 4 n^2 eps, what rounding allows) to 100 times the mean of K(x,x).
    selection : how the ridge is chosen: on a "holdout" (2 factorisations for the whole path), by "folds" (one more than
        there are folds), by "loo" (leave one out) or "gcv", both in closed form (1). The chosen ridge is then used on
        all samples.
    validation_fraction : share of the samples that "holdout" holds out.
    folds : how many there are with "folds".
    landmarks : for more samples than a Gram matrix has room for: how many of them to see the kernel through (Nystroem
        features, drawn at random). ``regression.most_landmarks`` says how many fit. None for the exact regression.
    random_state : seed of the held-out part or the folds, and of the landmarks.

    Attributes
    ----------
    ridge_, kernel_ : what was used; the kernel with its bandwidth is_fitted.
    ridge_at_edge_ : "smallest" or "largest" if the chosen ridge is that of those tried, else None. A warning is given
        where the error still fell towards the edge of a list of yours.
    path_ : "ridge" and "validation_error" for each ridge tried: the mean of |y - prediction|^2 summed over outputs.
    spectrum_ : how healthy the Gram matrix is: its smallest and largest eigenvalue, what was added to its diagonal.
    dual_coef_, X_fit_ : the prediction at x is K(x, X_fit_) dual_coef_. With landmarks, X_fit_ are these.
"""


class KernelRegressor(Regressor, KernelEstimator):
    __doc__ = f"""Kernel ridge regression, the ridge chosen from a whole path by a few factorisations.
{PARAMETERS}"""


class KernelClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    __doc__ = f"""Least squares on one-hot labels with a kernel: the class with the largest output.

    Labels become 1 for their class and 0 for the others, less 1 / classes.
{PARAMETERS}
    classes_ : the labels, in the order of the outputs.
"""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit X (n, d) and labels y (n,)."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError("The classifier needs samples of at least 2 classes, and the labels hold one class.")
        self._fit(X, np.eye(len(self.classes_))[codes] - 1 / len(self.classes_))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The outputs: (n, classes), or for two classes (n,), above 0 for the second."""
        outputs = self._predict(X)
        return outputs[:, 1] - outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest output for X (n, d)."""
        largest = np.argmax(self._predict(X), axis=1)
        return self.classes_[largest]

    def _labels(self) -> Labels:
        try:
            return Labels(dtype=self.classes_.dtype.str, values=self.classes_.tolist())
        except ValidationError:
            raise InputError("Labels can be saved if they are numbers or texts.") from None

    def _set_fitted(self, fitted: Any, metadata: EstimatorMetadata) -> None:
        super()._set_fitted(fitted, metadata)
        labels = metadata.labels
        check(labels is not None, "a classifier needs labels")
        assert labels is not None
        dtype = np.dtype(labels.dtype)
        check(dtype.kind in "biufUO", "its labels are neither numbers nor texts")
        self.classes_ = np.array(labels.values, dtype=dtype)
        check(self.classes_.tolist() == labels.values, "its labels are of another type than it says")
        check(len(set(labels.values)) == self.model_.targets >= 2, "it has not as many labels as outputs")
