"""The networks of the paper as scikit-learn regressors."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelgap import networks
from kernelgap.estimators.base import Regressor
from kernelgap.estimators.network_estimators import PARAMETERS, NetworkEstimator
from kernelgap.networks import Network
from kernelgap.training.losses import Loss

PARAMETERS = PARAMETERS.replace(
    "    random_state\n",
    """    normalize_y
        Centre the targets and scale them by one common factor before training, and undo it in predictions.
    random_state
""",
)


@dataclass(eq=False, repr=False, kw_only=True)
class NetworkRegressor(NetworkEstimator, Regressor, abstract=True):
    """A network that fits numbers by the squared error. Subclasses name their network."""

    normalize_y: bool = True

    _network: ClassVar[str]
    _loss: ClassVar[Loss] = "squared"

    def _get_network(self) -> Network:
        return networks.get(self._network)

    def _checked(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        return self._numbers(X, y)

    def _center_and_scale(self, Y: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, float]:
        """What makes Y of mean 0 and mean square 1 over all outputs, if that is wanted."""
        if not self.normalize_y:
            return super()._center_and_scale(Y, weights)
        offset = Y.mean(axis=0) if weights is None else np.average(Y, axis=0, weights=weights)
        squares = ((Y - offset) ** 2).mean(axis=1)
        return offset, float(np.sqrt(np.average(squares, weights=weights))) or 1.0


class TwoLayerRegressor(NetworkRegressor):
    __doc__ = f"""Two-layer fully connected network A s(Wx + b1), trained by SGD.
{PARAMETERS}"""

    _network = "2layer"


class ThreeLayerRegressor(NetworkRegressor):
    __doc__ = f"""Three-layer fully connected network A s(U s(Wx + b1) + b2), trained by SGD.
{PARAMETERS}"""

    _network = "3layer"


@dataclass(eq=False, repr=False, kw_only=True)
class ResNetRegressor(NetworkRegressor):
    __doc__ = f"""Three-layer ResNet out1 + A s(V out1 + b2), out1 = A s(Wx + b1), trained by SGD.
{PARAMETERS}
    Other Parameters
    ----------------
    bottleneck
        True for U = VA; False for the network of eq. 2.1, with a full m x m matrix U in its place.
    """

    _network = "3resnet"

    bottleneck: bool = True

    def _get_network(self) -> Network:
        return networks.resnet if self.bottleneck else networks.resnet_full

    def first_output(self, X: Any) -> np.ndarray:
        """out1(x), the output of the first residual block, which comes to resemble the base signal F."""
        check_is_fitted(self, "model_")
        return self._shaped(self.model_.first_output(validate_data(self, X, reset=False, dtype=np.float64)))
