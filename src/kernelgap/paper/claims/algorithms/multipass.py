"""sec. 8.1

The experiments' SGD: momentum 0.9, batches of 50, 800 epochs, the rate divided by 10 at epoch 400, and rates and
decays searched over {1, 2, 5} x 10^-k."""

import jax
import numpy as np

from kernelgap import networks, problems
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict
from kernelgap.paper.figures.experiment import one_two_five
from kernelgap.training import Schedule, get_model, train_grid
from kernelgap.training.schedule import data_orders

STATED = {"momentum": 0.9, "batch": 50, "epochs": 800, "drop": 10.0, "drop_epoch": 400}
RATE, DECAY = 0.05, 0.01
EPOCHS = {"quick": 4, "full": 40}
SAMPLES = 110  # two full batches and a smaller one
CLOSE = 1e-3
Weights = dict[str, np.ndarray]


def measure(scale: str, seed: int) -> Numbers:
    paper = Schedule()
    factors = [float(paper.factor(jax.numpy.asarray(epoch))) for epoch in range(paper.epochs)]
    problem = problems.sec8()
    schedule = Schedule(epochs=EPOCHS[scale])
    sample = problem.sample(SAMPLES, [seed, 0])
    params = networks.two_layer.init(jax.random.key(seed), inputs=30, outputs=15, width=20)
    model = get_model(networks.two_layer, "all")
    grid = train_grid(model, params, [RATE], [DECAY], sample, schedule=schedule, seed=[seed, 3], epochs=[])
    expected = plain({n: np.asarray(w, float) for n, w in params.items()}, *sample, schedule.epochs, seed)
    return {
        "schedule": {
            **{name: getattr(paper, name) for name in ("momentum", "batch", "epochs")},
            "drop": factors[0] / factors[-1],
            "drop_epoch": int(np.flatnonzero(np.diff(factors))[0]) + 1,
        },
        "grid": list(one_two_five(1e-3, 0.5)),
        "off": {
            name: float(np.linalg.norm(grid.trained[name][0] - w) / np.linalg.norm(w - np.asarray(params[name])))
            for name, w in expected.items()
        },
    }


def plain(weights: Weights, X: np.ndarray, Y: np.ndarray, epochs: int, seed: int) -> Weights:
    """PyTorch's SGD on a two-layer network, gradients written out in float64."""
    velocity = {name: np.zeros_like(w) for name, w in weights.items()}
    for epoch in range(epochs):
        order = data_orders([seed, 3], range(epoch, epoch + 1), len(X), rows=1)[0]
        rate = RATE / (10 if epoch >= epochs / 2 else 1)
        for first in range(0, len(X), 50):
            rows = order[first : first + 50]
            x, y = X[rows], Y[rows]
            before = x @ weights["W"].T + weights["b1"]
            hidden = np.maximum(before, 0)
            error = (hidden @ weights["A"].T - y) / len(rows)
            back = (error @ weights["A"]) * (before > 0)
            gradient = {"A": error.T @ hidden, "W": back.T @ x, "b1": back.sum(axis=0)}
            velocity = {n: 0.9 * velocity[n] + gradient[n] + DECAY * weights[n] for n in weights}
            weights = {n: weights[n] - rate * velocity[n] for n in weights}
    return weights


def judge(numbers: Numbers) -> Verdict:
    off = max(numbers["off"].values())
    measured = f"weights {off:.1e} apart from a plain loop; grid {', '.join(f'{r:g}' for r in numbers['grid'])}"
    wrong = [name for name, value in STATED.items() if abs(numbers["schedule"][name] - value) > 1e-6 * value]
    if wrong:
        return Verdict("fails", measured, f"The schedule differs from the stated one in: {', '.join(wrong)}.")
    leading = {f"{rate:.0e}"[0] for rate in numbers["grid"]}
    if leading != {"1", "2", "5"}:
        return Verdict("fails", measured, "The grid is not {1, 2, 5} x 10^-k.")
    if off > CLOSE:
        return Verdict("fails", measured, "Training is not SGD with momentum on the stated batches.")
    return Verdict("holds", measured, "Momentum 0.9, batches of 50, 800 epochs, the rate divided by 10 at epoch 400.")


claim = Claim.of(__doc__, "algo.multipass", "0.9, 50, 800, /10 at 400", measure, judge, identity=True)
