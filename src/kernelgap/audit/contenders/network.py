"""Networks by SGD: a grid of rates and decays trained at once, each of which may stop early."""

from dataclasses import dataclass
from math import isqrt

import jax
import numpy as np
from jaxtyping import Float

from kernelgap import networks
from kernelgap.audit.contenders.view import Judged, Records, Setting, Tell, View, spread
from kernelgap.models import NetworkModel
from kernelgap.networks import Network, Params
from kernelgap.training import GridResult, Schedule, get_model, train_grid
from kernelgap.training.rates import default_rate

WEIGHTS = 20_000  # about so many each, so that training takes them much the same time
WIDTHS = (32, 64, 96, 128, 192, 256)
RATES = (1.0, 0.05)  # of the default rate
DECAYS = (1e-4, 3e-2)
LOOKS = 24  # epochs at which training may stop
BATCH = 50
RETRIES = 4


@dataclass(frozen=True)
class SGDNetwork:
    """Each pair of a rate and a decay is a fit; targets are centred and scaled to mean square 1.

    A rate is a share of the default one, ``epochs`` are those after which training stops. An error is taken together
    with those just before and after it: at a fast rate single epochs are good by luck. Fitted, a network is trained for
    as many epochs with the whole schedule, the slow last quarter included.
    """

    name: str

    def judge(self, view: View, tell: Tell) -> Judged:
        side = isqrt(view.search_budget.fits)
        pairs = [(rate, decay) for rate in spread(*RATES, side) for decay in spread(*DECAYS, side)]
        grid, scale = self._train(view, pairs, view.search_budget.epochs, tell)
        records = Records(len(pairs), lambda share: None)
        for (rate, decay), curve in zip(pairs, grid.curves["validation"], strict=True):
            errors = _smooth(curve) * scale**2 / view.divisor
            records.add({"rate": rate, "decay": decay, "epochs": grid.epochs.astype(float)}, errors)
        return records.judged()

    def fit(self, view: View, setting: Setting) -> NetworkModel:
        """The same start as where it was judged. Should it diverge with more rows, with half of the rate again."""
        whole, epochs = view.train_plus_validation, round(setting["epochs"])
        network, params, _ = start(self.name, view)
        if epochs == 0:
            return NetworkModel(network, {n: np.asarray(w) for n, w in params.items()}, whole.offset, _scale(whole))
        rate = setting["rate"]
        for _ in range(RETRIES):
            grid, scale = self._train(whole, [(rate, setting["decay"])], epochs)
            weights = {name: weight[0] for name, weight in grid.trained.items()}
            if not grid.diverged[0] and all(np.isfinite(weight).all() for weight in weights.values()):
                return NetworkModel(network, weights, whole.offset, scale)
            rate /= 2
        raise ArithmeticError(f"training diverged, down to {rate:.2g} of the default rate")

    def _train(
        self, view: View, pairs: list[tuple[float, float]], epochs: int, tell: Tell | None = None
    ) -> tuple[GridResult, float]:
        """All pairs together, and what the targets were divided by."""
        network, params, _ = start(self.name, view)
        model, scale = get_model(network, "all"), _scale(view)
        fastest = default_rate(model, "all", params, view.X)
        judged = {"validation": (view.X_val, view.centred_val / scale)} if len(view.X_val) else {}
        grid = train_grid(
            model,
            params,
            [fastest * rate for rate, _ in pairs],
            [decay for _, decay in pairs],
            (view.X, view.centred / scale),
            schedule=Schedule(epochs=epochs, batch=min(BATCH, len(view.X)), warmup=0.05, drop_at=0.75),
            seed=[view.seed, 3],
            evaluate=judged,
            epochs=sorted({round(e) for e in np.geomspace(1, epochs, LOOKS)}),
            on_progress=tell,
        )
        return grid, scale


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


def _smooth(curve: Float[np.ndarray, " times"]) -> Float[np.ndarray, " times"]:
    """Each error with its two neighbours' in the mean; at the ends with one."""
    padded = np.concatenate([[np.nan], curve, [np.nan]])
    return np.asarray(np.nanmean(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0))


def _scale(view: View) -> float:
    return float(np.sqrt(np.mean(view.centred**2))) or 1.0
