"""Networks by SGD: a grid of rates and decays trained at once, each stopped where its validation error was least."""

from math import isqrt

import jax
import numpy as np

from kernelgap import networks
from kernelgap.audit.contenders.view import Search, Tell, Tuned, View, spread
from kernelgap.audit.models import NetworkModel
from kernelgap.networks import Network, Params
from kernelgap.training import Schedule, get_model, train_grid
from kernelgap.training.rates import default_rate

WEIGHTS = 20_000  # about so many each, so that training takes them much the same time
WIDTHS = (32, 64, 96, 128, 192, 256)
RATES = (1.0, 0.05)  # of the default rate
DECAYS = (1e-4, 3e-2)
LOOKS = 24  # epochs at which training may stop


def tune_network(name: str, view: View, tell: Tell) -> Tuned:
    """Each pair of a rate and a decay is a fit; targets are centred and scaled to mean square 1."""
    network, params, width = start(name, view)
    scale = float(np.sqrt(np.mean(view.centred**2))) or 1.0
    model = get_model(network, "all")
    fastest = default_rate(model, "all", params, view.X)
    pairs = [(fastest * factor, decay) for factor, decay in factors(view.effort.fits)]
    grid = train_grid(
        model,
        params,
        [rate for rate, _ in pairs],
        [decay for _, decay in pairs],
        (view.X, view.centred / scale),
        schedule=Schedule(epochs=view.effort.epochs, batch=min(50, len(view.X)), warmup=0.05, drop_at=0.75),
        seed=[view.seed, 3],
        evaluate={"validation": (view.X_val, view.centred_val / scale)},
        epochs=looks(view.effort.epochs),
        stop_early="validation",
        on_progress=tell,
    )
    errors = grid.curves["validation"].min(axis=1) * scale**2 / view.divisor
    search = Search(len(pairs), lambda share: None)
    for i, (rate, decay) in enumerate(pairs):
        setting = {"width": width, "rate": rate, "decay": decay, "epochs": int(grid.stopped_at[i])}
        weights = {n: w[i] for n, w in grid.trained.items()}
        search.add(setting, float(errors[i]), lambda w=weights: NetworkModel(network, w, view.offset, scale))  # type: ignore[misc]
    return search.result()


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
