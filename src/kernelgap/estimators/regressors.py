"""The networks of the paper as scikit-learn regressors."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelgap import networks
from kernelgap.estimators.network_base import NetworkRegressor
from kernelgap.networks import Network

PARAMETERS = """
    Parameters
    ----------
    width : number m of neurons in a hidden layer.
    train : "all" layers, "hidden" layers only, the "last" layer only (the conjugate kernel), or "ntk", all layers of
        the network linearised at its start.
    learning_rate : a number, or "auto": as large as works on the paper's experiment at inputs of this size, no more
        than the curvature at the start allows, and halved should training diverge.
    weight_decay : a number, or "auto".
    epochs, batch_size, momentum : of SGD. Batches are no larger than the sample.
    warmup : share of the epochs over which the rate grows to its value.
    drop_at : share of the epochs after which the rate is divided by 10. The paper has warmup 0 and drop_at 0.5.
    search : True to try a grid of rates and decays, trained at once, and pick on held-out data; or a mapping with the
        lists "learning_rate" and "weight_decay". The chosen pair is then trained on the whole sample.
    validation_fraction : share of the sample that a search holds out.
    normalize_y : centre the targets and scale them by one common factor before training, and undo it in predictions.
    random_state : seed of the start, the order of the data and the held-out part.
    verbose : show progress on standard error.

    Attributes
    ----------
    learning_rate_, weight_decay_ : what was used.
    curve_ : "epochs" and "train_error", the mean of |y - out(x)|^2 summed over outputs.
    search_results_ : after a search, each pair with its errors.
"""


class TwoLayerRegressor(NetworkRegressor):
    __doc__ = f"""Two-layer fully connected network A s(Wx + b1), trained by SGD.
{PARAMETERS}"""

    _network = "2layer"


class ThreeLayerRegressor(NetworkRegressor):
    __doc__ = f"""Three-layer fully connected network A s(U s(Wx + b1) + b2), trained by SGD.
{PARAMETERS}"""

    _network = "3layer"


class ResNetRegressor(NetworkRegressor):
    __doc__ = f"""Three-layer ResNet out1 + A s(V out1 + b2), out1 = A s(Wx + b1), trained by SGD.

    With ``bottleneck=False`` it is the network of eq. 2.1 with a full m x m matrix U in place of U = VA.
{PARAMETERS}"""

    _network = "3resnet"

    def __init__(
        self,
        width: int = 100,
        *,
        bottleneck: bool = True,
        train: str = "all",
        learning_rate: float | str = "auto",
        weight_decay: float | str = "auto",
        epochs: int = 1000,
        batch_size: int = 50,
        momentum: float = 0.9,
        warmup: float = 0.05,
        drop_at: float = 0.85,
        search: Any = False,
        validation_fraction: float = 0.2,
        normalize_y: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            width,
            train=train,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            epochs=epochs,
            batch_size=batch_size,
            momentum=momentum,
            warmup=warmup,
            drop_at=drop_at,
            search=search,
            validation_fraction=validation_fraction,
            normalize_y=normalize_y,
            random_state=random_state,
            verbose=verbose,
        )
        self.bottleneck = bottleneck

    def _get_network(self) -> Network:
        return networks.resnet if self.bottleneck else networks.resnet_full

    def first_output(self, X: Any) -> np.ndarray:
        """out1(x), the output of the first residual block, which comes to resemble the base signal F."""
        check_is_fitted(self, "model_")
        return self._shaped(self.model_.first_output(validate_data(self, X, reset=False, dtype=np.float64)))
