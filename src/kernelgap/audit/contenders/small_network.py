"""A small 2layer network in NumPy: nothing is compiled, so that even a short audit has a network to compare.

out = A s(Wx + b1) with the squared loss, by Adam (Kingma and Ba 2015) over shuffled batches.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from kernelgap import networks
from kernelgap.audit.contenders.view import Outputs, ProgressCallback, Records, Rows, Setting, SettingErrors, View
from kernelgap.models import NetworkModel
from kernelgap.seeds import stream

WIDTH = 64
RATES = (1e-2, 3e-3)
DECAYS = (1e-3, 3e-2)
LOOKS = 12  # epochs at which training may stop
BATCH = 50
MEANS = (0.9, 0.999)  # of Adam's running means of gradients and of their squares

Weights = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class PlainNetworkModel(NetworkModel):
    """A ``NetworkModel`` of 2layer that predicts by NumPy; its file is that of any other."""

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return self.scale * outputs({name: np.asarray(weight, dtype=float) for name, weight in self.weights.items()}, X)


@dataclass(frozen=True)
class SmallNetwork:
    """Each of the first pairs of a rate and a decay is a fit; targets are centred and scaled to mean square 1."""

    name: str

    def judge(self, view: View, on_progress: ProgressCallback) -> SettingErrors:
        pairs = [(rate, decay) for rate in RATES for decay in DECAYS][: view.search_budget.fits]
        records = Records(len(pairs), on_progress)
        looks = sorted({round(e) for e in np.geomspace(1, view.search_budget.epochs, LOOKS)})
        for rate, decay in pairs:
            trained = _train(view, rate, decay, looks[-1])
            errors = [
                view.error(view.offset + view.scale * outputs(weights, view.X_val))
                for epoch, weights in enumerate(trained, 1)
                if epoch in looks
            ]
            records.add({"rate": rate, "decay": decay, "epochs": looks}, errors)
        return records.judged()

    def fit(self, view: View, setting: Setting) -> PlainNetworkModel:
        sample = view.train_plus_validation
        *_, weights = _train(sample, setting["rate"], setting["decay"], round(setting["epochs"]))
        return PlainNetworkModel(networks.get("2layer"), weights, sample.offset, sample.scale)


def outputs(weights: Weights, X: Rows) -> Outputs:
    return np.maximum(X @ weights["W"].T + weights["b1"], 0.0) @ weights["A"].T


def gradients(weights: Weights, X: Rows, Y: Outputs, decay: float) -> Weights:
    """The gradient of mean |out - y|^2 / 2 + decay |weights|^2 / 2."""
    hidden = np.maximum(X @ weights["W"].T + weights["b1"], 0.0)
    off = (hidden @ weights["A"].T - Y) / len(X)
    back = (off @ weights["A"]) * (hidden > 0)
    gradient_of_loss = {"W": back.T @ X, "b1": back.sum(axis=0), "A": off.T @ hidden}
    return {name: gradient + decay * weights[name] for name, gradient in gradient_of_loss.items()}


def _train(view: View, rate: float, decay: float, epochs: int) -> Iterator[Weights]:
    """The weights after each epoch."""
    rng = stream(view.seed, "small network")
    X, Y = view.X, view.centred / view.scale
    (n, d), k = X.shape, Y.shape[1]
    weights = {
        "W": rng.normal(size=(WIDTH, d)) / np.sqrt(d),
        "b1": np.zeros(WIDTH),
        "A": rng.normal(size=(k, WIDTH)) / np.sqrt(WIDTH),
    }
    means = {name: (np.zeros_like(weight), np.zeros_like(weight)) for name, weight in weights.items()}
    step = 0
    for _ in range(epochs):
        order = rng.permutation(n)
        for start in range(0, n, BATCH):
            some = order[start : start + BATCH]
            step += 1
            for name, gradient in gradients(weights, X[some], Y[some], decay).items():
                first = MEANS[0] * means[name][0] + (1 - MEANS[0]) * gradient
                second = MEANS[1] * means[name][1] + (1 - MEANS[1]) * gradient**2
                means[name] = first, second
                size = np.sqrt(second / (1 - MEANS[1] ** step)) + 1e-8
                weights[name] = weights[name] - rate * first / (1 - MEANS[0] ** step) / size
        yield dict(weights)
