"""The talk's other way out of the kernel regime: a full matrix U, a large rate, noise like that of SGD, weight decay.

  u_i <- (1 - eta lambda_v) u_i - eta (d/du_i Loss + xi),   xi ~ N(0, E[s(Wx) s(Wx)'])
  w_i <- (1 - eta lambda_w) w_i - eta (d/dw_i Loss + xi'),  xi' ~ N(0, E[x x'])

for the rows u_i of U (the talk's v_i) and w_i of W. Decay makes U forget its start, and noise fills it anew along the
directions in which s(Wx) moves, which come to be those of A: so U grows into the shape VA that section 6 gives it.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import jax
from jaxtyping import Array

from kernelgap.errors import InputError
from kernelgap.networks import Params, resnet_full
from kernelgap.paper.algorithms.online import Descent, Online, train_online
from kernelgap.problems import Problem


@dataclass(frozen=True)
class Noisy:
    """eta, lambda_w, lambda_v, and by what the stated noise is multiplied (the talk leaves constants out)."""

    rate: float
    decay_w: float
    decay_v: float
    noise: float = 1.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value < float("inf"):
                raise InputError(f"{name} must be a finite number that is not negative, not {value}.")


@dataclass(frozen=True)
class NoisyDescent(Descent):
    """One noisy step on a batch of fresh samples.

    Given the batch, a row of noise is sum_b g_b h_b / sqrt(batch) with independent standard normal g_b and h = (x, 1)
    or (s(Wx + b1), 1): normal, and of covariance E[h h'] over the draw of the batch. Rows are independent.
    """

    def moved(self, trained: Params, gradient: Params, setting: Params, x: Array, key: jax.Array) -> Params:
        hidden = jax.nn.relu(x @ trained["W"].T + trained["b1"])
        for_w, for_v = jax.random.split(key)
        size = x.shape[0] ** -0.5
        g = size * jax.random.normal(for_w, (len(trained["W"]), x.shape[0]))
        h = size * jax.random.normal(for_v, (len(trained["U"]), x.shape[0]))
        # a bias is the weight of an input that is always 1
        noise = {"W": g @ x, "b1": g.sum(axis=1), "U": h @ hidden, "b2": h.sum(axis=1)}
        decay = {"first": setting["decay_w"], "second": setting["decay_v"]}
        layers, rate = resnet_full.layers, setting["rate"]
        return {
            name: (1 - rate * decay[layers[name]]) * w - rate * (gradient[name] + setting["noise"] * noise[name])
            for name, w in trained.items()
        }


def noisy(
    problem: Problem,
    *,
    width: int,
    steps: int,
    settings: Sequence[Noisy],
    seeds: Sequence[int],
    batch: int = 16,
    **options: Any,
) -> Online:
    """Train W and U of the full ResNet (eq. 2.1) by noisy steps; A stays at its start. Options of ``train_online``."""
    numbers = [asdict(setting) for setting in settings]
    how = {"width": width, "steps": steps, "seeds": seeds, **options}
    return train_online(NoisyDescent(batch), resnet_full, numbers, problem, **how)
