"""Linear ridge regression, scikit-learn's: what needs no kernel and no network."""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import Ridge

from kernelgap.audit.contenders.view import Judged, Records, Setting, Tell, View, spread
from kernelgap.models import LinearModel

RIDGES = (1e-6, 1e3)  # of the number of rows, as columns have variance 1
COUNT = 28


@dataclass(frozen=True)
class LinearRidge:
    """Each ridge is a fit; there are always enough of them to make no difference."""

    name: str

    def judge(self, view: View, tell: Tell) -> Judged:
        records = Records(COUNT, tell)
        for ridge in spread(*RIDGES, COUNT):
            records.add({"ridge": ridge}, [view.error(_fit(view, ridge).predict(view.X_val))])
        return records.judged()

    def fit(self, view: View, setting: Setting) -> LinearModel:
        return _fit(view.train_plus_validation, setting["ridge"])


def _fit(view: View, ridge: float) -> LinearModel:
    fitted = Ridge(alpha=ridge * len(view.X)).fit(view.X, view.centred)
    return LinearModel(np.atleast_2d(fitted.coef_).T, view.offset + fitted.intercept_)
