"""The talk's other way out of the kernel regime: a full matrix U, a large rate, noise like that of SGD, weight decay.

  u_i <- (1 - eta lambda_v) u_i - eta (d/du_i Loss + xi),   xi ~ N(0, E[s(Wx) s(Wx)'])
  w_i <- (1 - eta lambda_w) w_i - eta (d/dw_i Loss + xi'),  xi' ~ N(0, E[x x'])

for the rows u_i of U (the talk's v_i) and w_i of W. Decay makes U forget its start, and noise fills it anew along the
directions in which s(Wx) moves, which come to be those of A: so U grows into the shape VA that section 6 gives it.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import jax
from jaxtyping import Array, Float

from kernelgap.errors import InputError
from kernelgap.networks import Initialisation, Params, resnet_full
from kernelgap.paper.algorithms.algorithm1 import starts
from kernelgap.paper.algorithms.online import HELD_OUT, Online, Weights, gradient_and_output, train_online
from kernelgap.problems import Problem
from kernelgap.training.modes import Layers, Model


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
class NoisyDescent:
    """One noisy step on a batch of fresh samples.

    Given the batch, a row of noise is sum_b g_b h_b / sqrt(batch) with independent standard normal g_b and h = (x, 1)
    or (s(Wx + b1), 1): normal, and of covariance E[h h'] over the draw of the batch. Rows are independent.
    """

    batch: int

    def update(
        self,
        model: Model,
        trained: Params,
        frozen: Params,
        setting: Params,
        x: Float[Array, "batch d"],
        y: Float[Array, "batch k"],
        key: jax.Array,
    ) -> tuple[Params, Float[Array, "batch k"]]:
        gradient, out = gradient_and_output(model, trained, frozen, x, y)
        hidden = jax.nn.relu(x @ trained["W"].T + trained["b1"])
        noise = _noise(key, trained, x, hidden)
        decay = {"first": setting["decay_w"], "second": setting["decay_v"]}
        layers = model.network.layers

        rate = setting["rate"]
        return {
            name: (1 - rate * decay[layers[name]]) * w - rate * (gradient[name] + setting["noise"] * noise[name])
            for name, w in trained.items()
        }, out


def noisy(
    problem: Problem,
    *,
    width: int,
    steps: int,
    settings: Sequence[Noisy],
    seeds: Sequence[int],
    batch: int = 16,
    times: Sequence[int] = (),
    initialisation: Initialisation | None = None,
    held_out: int = HELD_OUT,
    watch: Callable[[int, Weights], None] | None = None,
) -> Online:
    """Train W and U of the full ResNet (eq. 2.1) by noisy steps; A stays at its start."""
    params = starts(resnet_full, problem, width=width, seeds=seeds, initialisation=initialisation)
    return train_online(
        NoisyDescent(batch),
        Layers(resnet_full, with_output=False),
        params,
        [asdict(setting) for setting in settings],
        problem,
        seeds=seeds,
        steps=steps,
        times=times,
        held_out=held_out,
        watch=watch,
    )


def _noise(
    key: jax.Array, trained: Params, x: Float[Array, "batch d"], hidden: Float[Array, "batch m"]
) -> dict[str, Float[Array, "..."]]:
    """Noise for each weight; a bias is the weight of an input that is always 1."""
    for_w, for_v = jax.random.split(key)
    size = x.shape[0] ** -0.5
    g = size * jax.random.normal(for_w, (len(trained["W"]), x.shape[0]))
    h = size * jax.random.normal(for_v, (len(trained["U"]), x.shape[0]))
    return {"W": g @ x, "b1": g.sum(axis=1), "U": h @ hidden, "b2": h.sum(axis=1)}
