"""Networks by SGD: a grid of rates and decays trained at once, each stopped where its validation error was least."""

from dataclasses import dataclass
from math import isqrt

import jax
import numpy as np

from kernelgap import networks
from kernelgap.audit.contenders.view import Search, Tell, Tuned, View, spread
from kernelgap.audit.models import NetworkModel
from kernelgap.networks import Network, Params
from kernelgap.training import Arrays, GridResult, Schedule, get_model, train_grid
from kernelgap.training.rates import default_rate

WEIGHTS = 20_000  # about so many each, so that training takes them much the same time
WIDTHS = (32, 64, 96, 128, 192, 256)
RATES = (1.0, 0.05)  # of the default rate
DECAYS = (1e-4, 3e-2)
BATCH = 50
LOOKS = 24  # epochs at which training may stop


def tune_network(name: str, view: View, tell: Tell) -> Tuned:
    """Each pair of a rate and a decay is a fit; targets are centred and scaled to mean square 1."""
    network, params, width = start(name, view)
    scale = float(np.sqrt(np.mean(view.centred**2))) or 1.0
    fastest = default_rate(get_model(network, "all"), "all", params, view.X)
    pairs = [(fastest * factor, decay) for factor, decay in factors(view.effort.fits)]
    training = Training(network, params, view.effort.epochs, [view.seed, 3])
    judged = training.run(
        pairs, (view.X, view.centred / scale), validation=(view.X_val, view.centred_val / scale), tell=tell
    )
    errors = judged.curves["validation"].min(axis=1) * scale**2 / view.divisor
    search = Search(len(pairs), lambda share: None)
    for i, pair in enumerate(pairs):
        epochs = int(judged.stopped_at[i])

        def refit(i: int = i, pair: tuple[float, float] = pair, epochs: int = epochs) -> NetworkModel:
            stopped = NetworkModel(network, {n: w[i] for n, w in judged.trained.items()}, view.offset, scale)
            return _refit(training, pair, epochs, view, stopped)

        setting = {"width": width, "rate": pair[0], "decay": pair[1], "epochs": epochs}
        search.add(setting, float(errors[i]), refit)
    return search.result()


@dataclass(frozen=True)
class Training:
    """SGD from one start."""

    network: Network
    params: Params
    epochs: int
    seed: list[int]

    def run(
        self,
        pairs: list[tuple[float, float]],
        train: Arrays,
        *,
        validation: Arrays | None = None,
        until: int | None = None,
        tell: Tell | None = None,
    ) -> GridResult:
        """Every pair of a rate and a decay; with a validation sample each is stopped where it is best there."""
        return train_grid(
            get_model(self.network, "all"),
            self.params,
            [rate for rate, _ in pairs],
            [decay for _, decay in pairs],
            train,
            schedule=Schedule(epochs=self.epochs, batch=min(BATCH, len(train[0])), warmup=0.05, drop_at=0.75),
            seed=self.seed,
            evaluate={} if validation is None else {"validation": validation},
            epochs=looks(self.epochs),
            stop_early=None if validation is None else "validation",
            until=until,
            on_progress=tell,
        )


def _refit(
    training: Training, pair: tuple[float, float], epochs: int, view: View, stopped: NetworkModel
) -> NetworkModel:
    """The same start, rate, decay and epochs on the whole sample.

    The rows to choose by are then among those learned from. If they are predicted worse all the same, training has gone
    astray, and the network is kept as it was.
    """
    if epochs == 0:
        return stopped
    X, Y = view.whole
    scale = float(np.sqrt(np.mean(Y**2))) or 1.0
    again = training.run([pair], (X, Y / scale), until=epochs)
    weights = {name: weight[0] for name, weight in again.trained.items()}
    if again.diverged[0] or not all(np.isfinite(weight).all() for weight in weights.values()):
        return stopped
    model = NetworkModel(training.network, weights, view.whole_offset, scale)
    return model if view.error(model.outputs(view.X_val)) <= view.error(stopped.outputs(view.X_val)) else stopped


def start(name: str, view: View) -> tuple[Network, Params, int]:
    """The network, its random start (the same wherever this seed's network is asked for) and its width."""
    network = networks.get(name)
    inputs, outputs = view.X.shape[1], view.Y.shape[1]
    width = width_for(network, inputs=inputs, outputs=outputs)
    return network, network.init(jax.random.key(view.seed), inputs=inputs, outputs=outputs, width=width), width


def width_for(network: Network, *, inputs: int, outputs: int) -> int:
    """The largest width with no more than ``WEIGHTS`` weights."""
    fitting = [m for m in WIDTHS if network.size(inputs=inputs, outputs=outputs, width=m) <= WEIGHTS]
    return max(fitting, default=WIDTHS[0])


def factors(fits: int) -> list[tuple[float, float]]:
    """Rates as shares of the default one, and decays: as many of each."""
    side = isqrt(fits)
    return [(rate, decay) for rate in spread(*RATES, side) for decay in spread(*DECAYS, side)]


def looks(epochs: int) -> list[int]:
    """The epochs at which errors are taken, evenly on a log scale."""
    return sorted({round(e) for e in np.geomspace(1, epochs, LOOKS)})
