"""Linear ridge regression, scikit-learn's: what needs no kernel and no network."""

import numpy as np
from sklearn.linear_model import Ridge

from kernelgap.audit.contenders.view import Search, Tell, Tuned, View, spread
from kernelgap.audit.models import LinearModel

RIDGES = (1e-6, 1e3)  # of the number of rows, as columns have variance 1
COUNT = 28


def tune_ridge(name: str, view: View, tell: Tell) -> Tuned:
    """Each ridge is a fit; there are always enough of them to make no difference."""
    search = Search(COUNT, tell)
    for ridge in spread(*RIDGES, COUNT):
        fitted = Ridge(alpha=ridge * len(view.X)).fit(view.X, view.centred)
        model = LinearModel(np.atleast_2d(fitted.coef_).T, view.offset + fitted.intercept_)
        search.add({"ridge": ridge * len(view.X)}, view.error(model.outputs(view.X_val)), lambda m=model: m)  # type: ignore[misc]
    return search.result()
