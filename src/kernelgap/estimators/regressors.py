"""The networks of the paper as scikit-learn regressors."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelgap import console, networks
from kernelgap.errors import InputError
from kernelgap.estimators.base import Count, EstimatorMetadata, NotNegative, Positive, Regressor, Strict, Tables
from kernelgap.estimators.defaults import default_decay, is_auto, is_number, search_grid
from kernelgap.kernels.check import check_count
from kernelgap.models import NetworkModel
from kernelgap.networks import Network, Params
from kernelgap.tensor_file import check
from kernelgap.training import Arrays, GridResult, Schedule, TrainableModel, get_model, train_grid
from kernelgap.training.rates import default_rate

RETRIES = 12
PARAMETERS = """
    Parameters
    ----------
    width
        Number m of neurons in a hidden layer.
    train
        "all" layers, "hidden" layers only, the "last" layer only (the conjugate kernel), or "ntk", all layers of the
        network linearised at its start.
    learning_rate
        A number, or "auto": as large as works on the paper's experiment at inputs of this size, no more than the
        curvature at the start allows, and halved should training diverge.
    weight_decay
        A number, or "auto".
    epochs, batch_size, momentum
        Of SGD. Batches are no larger than the sample.
    warmup
        Share of the epochs over which the rate grows to its value.
    drop_at
        Share of the epochs after which the rate is divided by 10. The paper has warmup 0 and drop_at 0.5.
    search
        True to try a grid of rates and decays, trained at once, and pick on held-out data; or a mapping with the lists
        "learning_rate" and "weight_decay". The chosen pair is then trained on the whole sample.
    validation_fraction
        Share of the sample that a search holds out.
    normalize_y
        Centre the targets and scale them by one common factor before training, and undo it in predictions.
    random_state
        Seed of the start, the order of the data and the held-out part.
    verbose
        Show progress on standard error.

    Attributes
    ----------
    learning_rate_, weight_decay_
        What was used.
    curve_
        "epochs" and "train_error", the mean of |y - out(x)|^2 summed over outputs.
    search_results_
        After a search, each pair with its errors.
"""


class _Start(NamedTuple):
    """Where training begins: what is trained, from which weights, and the seed of all else that is random."""

    model: TrainableModel
    params: Params
    seed: int


class NetworkFitted(Strict):
    learning_rate: Positive
    weight_decay: NotNegative
    n_iter: Count


@dataclass(eq=False, repr=False)
class NetworkRegressor(Regressor, abstract=True):
    """A network trained by SGD. Subclasses name their network."""

    width: int = 100
    _: KW_ONLY
    train: str = "all"
    learning_rate: float | str = "auto"
    weight_decay: float | str = "auto"
    epochs: int = 1000
    batch_size: int = 50
    momentum: float = 0.9
    warmup: float = 0.05
    drop_at: float = 0.85
    search: bool | Mapping[str, Any] = False
    validation_fraction: float = 0.2
    normalize_y: bool = True
    random_state: Any = None
    verbose: bool = False

    model_: NetworkModel = field(init=False)
    _network: ClassVar[str]
    _models = (NetworkModel,)
    _tables: ClassVar[Tables] = {
        "curve": ("epochs", "train_error"),
        "search_results": ("learning_rate", "weight_decay", "validation_error", "train_error", "diverged"),
    }
    _fitted = NetworkFitted

    def _get_network(self) -> Network:
        return networks.get(self._network)

    def _fit(self, X: np.ndarray, Y: np.ndarray) -> None:
        """Train on targets that are centred and scaled."""
        offset, self._scale = self._center_and_scale(Y)
        Y = (Y - offset) / self._scale
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        start = self._start(seed, inputs=X.shape[1], outputs=Y.shape[1])
        rate, decay = self._rate_and_decay(start, X)
        if self.search is not False:
            rate, decay = self._search(start, X, Y, rate, decay)
        result, self.learning_rate_ = self._train(start, X, Y, rate, decay)
        self.weight_decay_ = decay
        self.curve_ = {"epochs": result.epochs, "train_error": result.curves["train"][0] * self._scale**2}
        self.n_iter_ = int(result.epochs[-1])
        self.model_ = NetworkModel.from_predictor(result.predictor(0), self.train, offset, self._scale)

    def _center_and_scale(self, Y: np.ndarray) -> tuple[np.ndarray, float]:
        """What makes Y of mean 0 and mean square 1 over all outputs, if that is wanted."""
        if not self.normalize_y:
            return np.zeros(Y.shape[1]), 1.0
        offset = Y.mean(axis=0)
        return offset, float(np.sqrt(np.mean((Y - offset) ** 2))) or 1.0

    def _start(self, seed: int, *, inputs: int, outputs: int) -> _Start:
        check_count(self.width, "width")
        model = get_model(self._get_network(), self.train)
        params = model.network.init(jax.random.key(seed), inputs=inputs, outputs=outputs, width=int(self.width))
        return _Start(model, params, seed)

    def _schedule(self, n: int) -> Schedule:
        """The schedule, with batches no larger than the sample."""
        check_count(self.batch_size, "batch_size")
        given = {"epochs": self.epochs, "batch": self.batch_size, "momentum": self.momentum}
        schedule = Schedule.checked(**given, warmup=self.warmup, drop_at=self.drop_at)
        return schedule.model_copy(update={"batch": min(schedule.batch, n)})

    def _rate_and_decay(self, start: _Start, X: np.ndarray) -> tuple[float, float]:
        rate: Any = self.learning_rate
        if is_auto(rate):
            rate = default_rate(start.model, self.train, start.params, X)
        decay: Any = self.weight_decay
        if is_auto(decay):
            decay = default_decay(self.train, self.width)
        if not is_number(rate) or rate <= 0:
            raise InputError(f"learning_rate must be a positive number or 'auto', not {rate!r}.")
        if not is_number(decay) or decay < 0:
            raise InputError(f"weight_decay must be a number that is not negative, or 'auto', not {decay!r}.")
        return float(rate), float(decay)

    def _search(self, start: _Start, X: np.ndarray, Y: np.ndarray, rate: float, decay: float) -> tuple[float, float]:
        """Train a whole grid at once on a part of the sample and pick on the rest."""
        if not is_number(self.validation_fraction) or not 0 < self.validation_fraction < 1:
            raise InputError(f"validation_fraction must lie between 0 and 1, not {self.validation_fraction!r}.")
        pairs = search_grid(self.search, rate, decay)
        split = train_test_split(X, Y, test_size=self.validation_fraction, random_state=start.seed)
        X_fit, X_held, Y_fit, Y_held = split
        rates, decays = ([p[i] for p in pairs] for i in (0, 1))
        result = self._grid(start, rates, decays, (X_fit, Y_fit), (X_held, Y_held))
        errors = result.final("validation") * self._scale**2
        self.search_results_ = {
            "learning_rate": result.rates,
            "weight_decay": result.decays,
            "validation_error": errors,
            "train_error": result.final("train") * self._scale**2,
            "diverged": result.diverged,
        }
        if result.diverged.all():
            least = result.rates.min()
            raise InputError(f"Every rate of the search diverged, down to {least:g}: search smaller rates.")
        return pairs[int(np.argmin(errors))]

    def _train(
        self, start: _Start, X: np.ndarray, Y: np.ndarray, rate: float, decay: float
    ) -> tuple[GridResult, float]:
        """Train once; if an automatic rate diverges, with half of it again."""
        for _ in range(RETRIES if is_auto(self.learning_rate) else 1):
            result = self._grid(start, [rate], [decay], (X, Y))
            if not result.diverged[0]:
                return result, rate
            rate /= 2
        raise InputError(
            f"Training diverged at learning_rate {2 * rate:g} after {result.diverged_at[0]} epochs: scale the inputs "
            "(for example with StandardScaler), use learning_rate='auto', or a smaller one."
        )

    def _grid(
        self, start: _Start, rates: list[float], decays: list[float], train: Arrays, held: Arrays | None = None
    ) -> GridResult:
        run = partial(
            train_grid,
            start.model,
            start.params,
            rates,
            decays,
            train,
            schedule=self._schedule(len(train[0])),
            seed=[start.seed],
            evaluate={} if held is None else {"validation": held},
        )
        if not self.verbose:
            return run()
        with console.progress(f"{start.model.network.name}({self.train}) width {self.width}") as show:
            title = f"{len(rates)} in the grid" if len(rates) > 1 else "training"
            return run(on_progress=lambda share: show(share, title))

    def _set_fitted(self, fitted: Any, metadata: EstimatorMetadata) -> None:
        super()._set_fitted(fitted, metadata)
        same = (self._get_network().name, self.train) == (self.model_.network.name, self.model_.train)
        check(same, "its settings are those of another network than it holds")


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
