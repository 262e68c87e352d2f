"""A network as a scikit-learn classifier, trained by cross-entropy."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelgap import networks
from kernelgap.estimators.base import Classifier
from kernelgap.estimators.network_estimators import PARAMETERS, NetworkEstimator
from kernelgap.networks import Network
from kernelgap.training.losses import Loss


@dataclass(eq=False, repr=False, kw_only=True)
class NetworkClassifier(NetworkEstimator, Classifier):
    __doc__ = f"""A network with an output for each class, trained by SGD on the cross-entropy of their softmax.
{PARAMETERS}
    classes_
        The labels, in the order of the outputs.

    Other Parameters
    ----------------
    network
        By name: "2layer", "3layer", "3resnet" or another one that ``kernelgap list`` shows.

    Examples
    --------
    >>> import kernelgap as kg
    >>> X, Y = kg.problems.hard(d=10, k=2, alpha=0.5, seed=0).sample(200, seed=0)
    >>> model = kg.NetworkClassifier(width=30, epochs=50, random_state=0).fit(X, Y[:, 0] > 0)
    >>> model.predict_proba(X[:3]).shape
    (3, 2)
    """

    network: str = "3resnet"

    _loss: ClassVar[Loss] = "cross-entropy"

    def _get_network(self) -> Network:
        return networks.get(self.network)

    def _checked(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        return self._labelled(X, y)

    def _targets(self, y: np.ndarray) -> np.ndarray:
        return self._one_hot(y, keep=self.warm_start and hasattr(self, "model_"))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, (n, classes): the softmax of the outputs."""
        outputs = self._predict(X)
        shares = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)
