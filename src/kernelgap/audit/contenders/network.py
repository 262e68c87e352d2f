"""Networks by SGD: a grid of rates and decays trained at once, each of which may stop early."""

from dataclasses import dataclass
from math import isqrt

import jax
import numpy as np
from jaxtyping import Float

from kernelgap import networks
from kernelgap.audit.contenders.view import ProgressCallback, Records, Setting, SettingErrors, View, spread
from kernelgap.models import NetworkModel
from kernelgap.networks import Network, Params
from kernelgap.training import GridResult, Schedule, get_model, train_grid
from kernelgap.training.rates import default_rate

WEIGHTS = 20_000  # about, in each network, so that their training takes much the same time
WIDTHS = (32, 64, 96, 128, 192, 256)
RATES = (1.0, 0.05)  # of the default rate
DECAYS = (1e-4, 3e-2)
LOOKS = 24  # epochs at which training may stop
BATCH = 50
RETRIES = 4


@dataclass(frozen=True)
class SGDNetwork:
    """Each pair of a rate and a decay is a fit; targets are centred and scaled to mean square 1.

    A rate is a share of the default one; training stops after ``epochs``. Each error is averaged with those just before
    and after it: at a fast rate single epochs are good by luck. A fitted network is trained for as many epochs with the
    whole schedule, the slow last quarter included.
    """

    name: str

    def judge(self, view: View, on_progress: ProgressCallback) -> SettingErrors:
        side = isqrt(view.search_budget.fits)
        pairs = [(rate, decay) for rate in spread(*RATES, side) for decay in spread(*DECAYS, side)]
        grid = self._train(view, pairs, view.search_budget.epochs, on_progress)
        records = Records(len(pairs), lambda share: None)
        for (rate, decay), curve in zip(pairs, grid.curves["validation"], strict=True):
            errors = _smooth(curve) * view.scale**2 / view.divisor
            records.add({"rate": rate, "decay": decay, "epochs": grid.epochs.astype(float)}, errors)
        return records.judged()

    def fit(self, view: View, setting: Setting) -> NetworkModel:
        """Train from the same start as in judging. If it diverges with more rows, halve the rate and try again."""
        sample, epochs = view.train_plus_validation, round(setting["epochs"])
        network, params = start(self.name, view)
        if epochs == 0:
            return NetworkModel(network, {n: np.asarray(w) for n, w in params.items()}, sample.offset, sample.scale)
        rate = setting["rate"]
        for _ in range(RETRIES):
            grid = self._train(sample, [(rate, setting["decay"])], epochs)
            weights = {name: weight[0] for name, weight in grid.trained.items()}
            if not grid.diverged[0] and all(np.isfinite(weight).all() for weight in weights.values()):
                return NetworkModel(network, weights, sample.offset, sample.scale)
            rate /= 2
        raise ArithmeticError(f"training diverged, down to {rate:.2g} of the default rate")

    def _train(
        self, view: View, pairs: list[tuple[float, float]], epochs: int, on_progress: ProgressCallback | None = None
    ) -> GridResult:
        """Train all pairs together, on targets divided by ``view.scale``."""
        network, params = start(self.name, view)
        model = get_model(network, "all")
        fastest = default_rate(model, "all", params, view.X)
        judged = {"validation": (view.X_val, view.centred_val / view.scale)} if len(view.X_val) else {}
        return train_grid(
            model,
            params,
            [fastest * rate for rate, _ in pairs],
            [decay for _, decay in pairs],
            (view.X, view.centred / view.scale),
            schedule=Schedule(epochs=epochs, batch=min(BATCH, len(view.X)), warmup=0.05, drop_at=0.75),
            seed=[view.seed, 3],
            evaluate=judged,
            epochs=sorted({round(e) for e in np.geomspace(1, epochs, LOOKS)}),
            on_progress=on_progress,
        )


def start(name: str, view: View) -> tuple[Network, Params]:
    """The network and its random start, the same for a seed and the shape of the data."""
    network = networks.get(name)
    inputs, outputs = view.X.shape[1], view.Y.shape[1]
    width = width_for(network, inputs=inputs, outputs=outputs)
    return network, network.init(jax.random.key(view.seed), inputs=inputs, outputs=outputs, width=width)


def width_for(network: Network, *, inputs: int, outputs: int) -> int:
    """The largest width with no more than ``WEIGHTS`` weights."""
    fitting = [m for m in WIDTHS if network.size(inputs=inputs, outputs=outputs, width=m) <= WEIGHTS]
    return max(fitting, default=WIDTHS[0])


def _smooth(curve: Float[np.ndarray, " times"]) -> Float[np.ndarray, " times"]:
    """Each error with its two neighbours' in the mean; at the ends with one."""
    padded = np.concatenate([[np.nan], curve, [np.nan]])
    return np.asarray(np.nanmean(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0))
