"""Linear regression over explicit features, with an l2 or an l1 penalty, for a whole path of penalties."""

import warnings
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.regression.ridge import check_ridges, default_ridges, mean_errors, ridge_path
from kernelgap.regression.spectrum import PerRidge, Spectrum, Targets
from kernelgap.rows import check_finite

Features = Float[np.ndarray, "n m"]


@dataclass(frozen=True)
class FeaturePath:
    """Weights for each penalty.

    Attributes
    ----------
    penalties
        The ridges, or the l1 penalties.
    weights
        For each penalty a table (m, k): features by outputs.
    spectrum
        That of the smaller Gram matrix, Phi' Phi or Phi Phi'; None for an l1 penalty.
    """

    penalties: PerRidge
    weights: Float[np.ndarray, "r m k"]
    spectrum: Spectrum | None = None

    def predict(self, features: Features) -> Float[np.ndarray, "r t k"]:
        r, m, k = self.weights.shape
        features = np.asarray(features, dtype=float)
        if features.ndim != 2 or features.shape[1] != m:
            raise InputError(f"Predictions need a column for each of the {m} features, not the shape {features.shape}.")
        together = self.weights.transpose(1, 0, 2).reshape(m, -1)
        return (features @ together).reshape(len(features), r, k).transpose(1, 0, 2)

    def errors(self, features: Features, Y: Float[np.ndarray, "t k"]) -> PerRidge:
        """The mean over samples of |prediction - y|^2, for each penalty."""
        return mean_errors(self.predict(features), Y)


def feature_path(features: object, Y: object, ridges: object = None) -> FeaturePath:
    """Minimise |Phi w - Y|^2 + ridge |w|^2 for every ridge, in whichever of n and m dimensions are fewer.

    Parameters
    ----------
    features, Y
        Phi (n, m) and targets (n, k).
    ridges
        By default the path of the kernel Phi Phi'.

    Returns
    -------
    FeaturePath
        The weights for each ridge.
    """
    features, Y = _checked(features, Y)
    n, m = features.shape
    if m < n:
        return path_of_products(features.T @ features, features.T @ Y, n, ridges)
    chosen = default_ridges(float(np.sum(features**2) / n), n) if ridges is None else check_ridges(ridges)
    path = ridge_path(features @ features.T, Y, chosen, overwrite=True)
    return FeaturePath(chosen, np.einsum("nm,rnk->rmk", features, path.coefficients, optimize=True), path.spectrum)


def path_of_products(
    products: Float[np.ndarray, "m m"], cross: Float[np.ndarray, "m k"], samples: int, ridges: object = None
) -> FeaturePath:
    """The same from Phi' Phi, which is used up, and Phi' Y, which can be summed over blocks of samples."""
    chosen = default_ridges(float(np.trace(products)) / samples, samples) if ridges is None else check_ridges(ridges)
    path = ridge_path(products, cross, chosen, overwrite=True)
    return FeaturePath(chosen, path.coefficients, path.spectrum)


def lasso_path(features: object, Y: object, penalties: object = None) -> FeaturePath:
    """Minimise |Phi w - y|^2 / (2n) + penalty |w|_1 for each output and penalty (scikit-learn's coordinate descent).

    Parameters
    ----------
    features, Y
        Phi (n, m) and targets (n, k).
    penalties
        By default from the smallest with all weights 0, over all outputs, down to a thousandth of it.

    Returns
    -------
    FeaturePath
        The weights for each penalty.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import lasso_path as sklearn_lasso_path

    features, Y = _checked(features, Y)
    n = len(features)
    if penalties is None:
        largest = float(np.max(np.abs(features.T @ Y)) / n)
        if largest == 0:
            raise InputError("Y is orthogonal to every feature: an l1 path has no scale. Give penalties.")
        chosen = np.geomspace(1e-3, 1.0, 30) * largest
    else:
        chosen = check_ridges(penalties)
    order = np.argsort(-chosen)  # from strong to weak, each start the last solution
    weights = np.empty((len(chosen), features.shape[1], Y.shape[1]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        for output in range(Y.shape[1]):
            _, path, _ = sklearn_lasso_path(features, Y[:, output], alphas=chosen[order], max_iter=10_000)
            weights[order, :, output] = path.T
    failed = sum(issubclass(w.category, ConvergenceWarning) for w in caught)
    if failed:
        message = f"{failed} of {len(chosen) * Y.shape[1]} l1 fits did not converge: their penalties are too small."
        warnings.warn(message, ConvergenceWarning, stacklevel=2)
    return FeaturePath(chosen, weights)


def _checked(features: object, targets: object) -> tuple[Features, Targets]:
    try:
        features, Y = np.asarray(features, dtype=float), np.asarray(targets, dtype=float)
    except (TypeError, ValueError):
        raise InputError("Features and Y must be tables of numbers.") from None
    if features.ndim != 2 or Y.ndim != 2 or len(features) != len(Y):
        raise InputError(f"Features (n, m) and Y (n, k) must belong together, not {features.shape} and {Y.shape}.")
    check_finite(features, "The features")
    check_finite(Y, "Y")
    return features, Y
