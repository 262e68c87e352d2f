"""Linear ridge regression, scikit-learn's: what needs no kernel and no network."""

import numpy as np
from jaxtyping import Float
from sklearn.linear_model import Ridge

from kernelgap.audit.contenders.view import Outputs, Rows, Search, Tell, Tuned, View, spread
from kernelgap.audit.models import LinearModel

RIDGES = (1e-6, 1e3)  # of the number of rows, as columns have variance 1
COUNT = 28


def tune_ridge(name: str, view: View, tell: Tell) -> Tuned:
    """Each ridge is a fit; there are always enough of them to make no difference."""
    search = Search(COUNT, tell)
    for factor in spread(*RIDGES, COUNT):
        ridge = factor * len(view.X)
        error = view.error(_fit(view.X, view.centred, ridge, view.offset).outputs(view.X_val))
        search.add({"ridge": ridge}, error, lambda r=ridge: _fit(*view.whole, r, view.whole_offset))  # type: ignore[misc]
    return search.result()


def _fit(X: Rows, Y: Outputs, ridge: float, offset: Float[np.ndarray, " k"]) -> LinearModel:
    fitted = Ridge(alpha=ridge).fit(X, Y)
    return LinearModel(np.atleast_2d(fitted.coef_).T, offset + fitted.intercept_)
