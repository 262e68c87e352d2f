"""What network regressors and classifiers share: how they are trained."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
from pydantic import Field
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from kernelgap import console
from kernelgap.errors import InputError
from kernelgap.estimators.base import Count, EstimatorMetadata, ModelEstimator, NotNegative, Positive, Strict, Tables
from kernelgap.estimators.defaults import default_decay, is_auto, is_number, search_grid
from kernelgap.estimators.sample_weights import check_weights, repeat_rows, representative_rows
from kernelgap.kernels.check import check_count, check_flag
from kernelgap.models import NetworkModel
from kernelgap.networks import Network, Params
from kernelgap.tensor_file import check
from kernelgap.training import Arrays, GridResult, Predictor, Schedule, TrainableModel, get_model, train_grid
from kernelgap.training.losses import Loss, WeightedLoss, row_errors
from kernelgap.training.rates import default_rate

RETRIES = 12
LOOKS = 50  # at the held-out part, at least, during training that may stop early
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
    early_stopping
        True to hold a part of the sample out, to keep the weights of the epoch with the least error there, and to end
        when ``patience`` epochs have brought nothing better.
    patience
        Epochs without a lower error on the held-out part after which training ends.
    validation_fraction
        Share of the sample that a search or early stopping holds out.
    warm_start
        True to go on from the weights of the fit before, with the same start, scale and classes.
    random_state
        Seed of the start, the order of the data and the held-out part.
    verbose
        Show progress on standard error.

    Attributes
    ----------
    learning_rate_, weight_decay_
        What was used.
    curve_
        "epochs" and "train_error": the mean of |y - out(x)|^2 summed over outputs, or for a classifier of the
        cross-entropy.
    n_iter_, best_epoch_
        Epochs of training; the one whose weights were kept, None without early stopping.
    validation_curve_
        With early stopping, "epochs" and "validation_error".
    search_results_
        After a search, each pair with its errors.
"""


class _Start(NamedTuple):
    """Where training begins: what is trained, from which weights, and the seed of all else that is random."""

    model: TrainableModel
    params: Params
    seed: int
    trained: Params | None = None  # the part that is trained, where a fit goes on


class NetworkFitted(Strict):
    learning_rate: Positive
    weight_decay: NotNegative
    n_iter: Count
    best_epoch: Annotated[int, Field(ge=0, strict=True)] | None = None


class _Best:
    """The weights with the least error on held-out data. A call says whether to stop."""

    def __init__(self, model: TrainableModel, held: Arrays, patience: int) -> None:
        self.model, self.held, self.patience = model, held, patience
        self.epoch, self.error = 0, np.inf
        self.predictor: Predictor | None = None
        self.epochs: list[int] = []
        self.errors: list[float] = []

    def __call__(self, epoch: int, member: Callable[[int], Predictor]) -> bool:
        predictor = member(0)
        X, labels = self.held
        error = float(jnp.mean(row_errors(self.model, jnp.asarray(predictor(X)), jnp.asarray(labels))))
        self.epochs.append(epoch)
        self.errors.append(error)
        if error < self.error:
            self.epoch, self.error, self.predictor = epoch, error, predictor
        return epoch - self.epoch >= self.patience


@dataclass(eq=False, repr=False)
class NetworkEstimator(ModelEstimator, abstract=True):
    """A network trained by SGD. Subclasses name their network and their loss."""

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
    early_stopping: bool = False
    patience: int = 100
    validation_fraction: float = 0.2
    warm_start: bool = False
    random_state: Any = None
    verbose: bool = False

    model_: NetworkModel = field(init=False)
    _scale: float = field(init=False)
    _loss: ClassVar[Loss]
    _models = (NetworkModel,)
    _tables: ClassVar[Tables] = {
        "curve": ("epochs", "train_error"),
        "validation_curve": ("epochs", "validation_error"),
        "search_results": ("learning_rate", "weight_decay", "validation_error", "train_error", "diverged"),
    }
    _fitted = NetworkFitted

    @abstractmethod
    def _get_network(self) -> Network:
        """What is trained."""

    @abstractmethod
    def _checked(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Inputs (n, d), and y as it can be learned."""

    def _targets(self, y: np.ndarray) -> np.ndarray:
        """What of the checked y each output is trained on, (n, k)."""
        return y

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the network.

        Parameters
        ----------
        X
            Inputs (n, d).
        y
            Of a regressor numbers (n,) or (n, outputs), of a classifier labels (n,).
        sample_weight
            Weights (n,) of the rows. Small whole numbers say how often each row is there: a weight of 2 is the same as
            the row twice, a weight of 0 as no row. Others are the weights of the rows in the loss, on any scale.

        Returns
        -------
        The fitted estimator.

        Raises
        ------
        InputError
            If training diverges, or if a setting or the data cannot be used.
        """
        X, y = self._checked(X, y)
        weights = check_weights(sample_weight, X)
        if weights is not None:  # a class of weight 0 is none
            X, y, weights = (rows[weights > 0] for rows in (X, y, weights))
        self._fit(X, self._targets(y), weights)
        return self

    def _center_and_scale(self, Y: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, float]:
        """What is taken off the targets before training, and by what they are divided."""
        return np.zeros(Y.shape[1]), 1.0

    def _fit(self, X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None = None) -> None:
        """Train on targets that are centred and scaled."""
        for flag in ("early_stopping", "warm_start"):
            check_flag(getattr(self, flag), flag)
        X, Y, weights = repeat_rows(X, Y, weights)
        before = getattr(self, "model_", None) if self.warm_start else None
        offset, self._scale = self._center_and_scale(Y, weights) if before is None else (before.offset, before.scale)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if before is None:
            start = self._start(seed, inputs=X.shape[1], outputs=Y.shape[1])
        else:
            start = self._start_from(before, seed, inputs=X.shape[1], outputs=Y.shape[1])
        labels = (Y - offset) / self._scale
        rate, decay = self._rate_and_decay(start, X if weights is None else representative_rows(X, weights))
        if weights is not None or self._loss != "squared":
            start = start._replace(model=WeightedLoss(start.model, self._loss))
            labels = np.column_stack([labels, np.ones(len(X)) if weights is None else weights])
        if self.search is not False:
            rate, decay = self._search(start, X, labels, rate, decay)
        result, self.learning_rate_, best = self._train(start, X, labels, rate, decay)
        self.weight_decay_ = decay
        self._keep(result, best, offset)

    def _keep(self, result: GridResult, best: _Best | None, offset: np.ndarray) -> None:
        """Set what training has led to."""
        size = self._scale**2
        self.curve_ = {"epochs": result.epochs, "train_error": result.curves["train"][0] * size}
        self.n_iter_ = int(result.epochs[-1])
        self.best_epoch_ = None if best is None else best.epoch
        if best is not None:
            self.validation_curve_ = {"epochs": np.array(best.epochs), "validation_error": np.array(best.errors) * size}
        elif hasattr(self, "validation_curve_"):
            del self.validation_curve_
        predictor = result.predictor(0) if best is None or best.predictor is None else best.predictor
        if isinstance(predictor.model, WeightedLoss):
            predictor = replace(predictor, model=predictor.model.model)
        self.model_ = NetworkModel.from_predictor(predictor, self.train, offset, self._scale)

    def _start_from(self, before: NetworkModel, seed: int, *, inputs: int, outputs: int) -> _Start:
        """Where the fit before has ended."""
        given = self._get_network(), self.train, self.width, inputs, outputs
        width = before.weights["A"].shape[1]
        if given != (before.network, before.train, width, before.features, before.targets):
            what = "warm_start goes on with the network that was fitted"
            raise InputError(
                f"{what}: keep the network, its width, train, and the columns of X and y, or set it False."
            )
        model = get_model(before.network, before.train)
        return _Start(model, before.weights, seed, before.trained or None)

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
        pairs = search_grid(self.search, rate, decay)
        rates, decays = ([p[i] for p in pairs] for i in (0, 1))
        fit, held = self._hold_out(start, X, Y)
        result = self._grid(start, rates, decays, fit, evaluate={"validation": held})
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

    def _hold_out(self, start: _Start, X: np.ndarray, Y: np.ndarray) -> tuple[Arrays, Arrays]:
        """What is trained on, and what is held out."""
        if not is_number(self.validation_fraction) or not 0 < self.validation_fraction < 1:
            raise InputError(f"validation_fraction must lie between 0 and 1, not {self.validation_fraction!r}.")
        split = train_test_split(X, Y, test_size=self.validation_fraction, random_state=start.seed)
        return (split[0], split[2]), (split[1], split[3])

    def _train(
        self, start: _Start, X: np.ndarray, Y: np.ndarray, rate: float, decay: float
    ) -> tuple[GridResult, float, _Best | None]:
        """Train once; if an automatic rate diverges, with half of it again."""
        fit, held = self._hold_out(start, X, Y) if self.early_stopping else ((X, Y), None)
        options: dict[str, Any] = {}
        if held is not None:
            check_count(self.patience, "patience")
            every = max(1, min(int(self.patience) // 10, self._schedule(len(fit[0])).epochs // LOOKS))
            options["epochs"] = range(0, self._schedule(len(fit[0])).epochs + 1, every)
        for _ in range(RETRIES if is_auto(self.learning_rate) else 1):
            best = None if held is None else _Best(start.model, held, int(self.patience))
            result = self._grid(start, [rate], [decay], fit, watch=best, **options)
            if not result.diverged[0]:
                return result, rate, best
            rate /= 2
        raise InputError(
            f"Training diverged at learning_rate {2 * rate:g} after {result.diverged_at[0]} epochs: scale the inputs "
            "(for example with StandardScaler), use learning_rate='auto', or a smaller one."
        )

    def _grid(
        self, start: _Start, rates: list[float], decays: list[float], train: Arrays, **options: Any
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
            trained_from=start.trained,
            **options,
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
