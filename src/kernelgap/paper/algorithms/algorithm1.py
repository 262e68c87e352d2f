"""Algorithm 1: SGD with one fresh sample a step and rates of their own for W and V; A stays at its start."""

from collections.abc import Callable, Sequence

import jax

from kernelgap.errors import InputError
from kernelgap.networks import Initialisation, Network, Params, resnet
from kernelgap.paper.algorithms.online import HELD_OUT, Descent, Online, Weights, train_online
from kernelgap.problems import Problem
from kernelgap.training.modes import Layers


def algorithm1(
    problem: Problem,
    *,
    width: int,
    steps: int,
    rates: Sequence[tuple[float, float]],
    seeds: Sequence[int],
    times: Sequence[int] = (),
    network: Network = resnet,
    initialisation: Initialisation | None = None,
    held_out: int = HELD_OUT,
    watch: Callable[[int, Weights], None] | None = None,
) -> Online:
    """W <- W - eta_w dObj/dW and V <- V - eta_v dObj/dV at the same (x_t, y_t), for t < steps.

    ``rates`` are pairs (eta_w, eta_v), each tried from every one of the ``seeds``, which decide the start, the samples
    and the held-out inputs. Biases belong to their matrices, as in the paper. W and V here are the paper's
    W(0) + W and V(0) + V; its displacements are ``trained - start``. Labels have the problem's ``noise``, while
    errors are taken against H itself.
    """
    params = starts(network, problem, width=width, seeds=seeds, initialisation=initialisation)
    return train_online(
        Descent(),
        Layers(network, with_output=False),
        params,
        [by_layer(network, *pair) for pair in rates],
        problem,
        seeds=seeds,
        steps=steps,
        times=times,
        held_out=held_out,
        watch=watch,
    )


def starts(
    network: Network, problem: Problem, *, width: int, seeds: Sequence[int], initialisation: Initialisation | None
) -> Params:
    """A random start for each seed, along a first axis."""
    each = [
        network.init(
            jax.random.key(seed),
            inputs=problem.d,
            outputs=problem.outputs,
            width=width,
            initialisation=initialisation,
        )
        for seed in seeds
    ]
    return {name: jax.numpy.stack([params[name] for params in each]) for name in each[0]}


def by_layer(network: Network, eta_w: float, eta_v: float) -> dict[str, float]:
    """eta_w for the first hidden layer, eta_v for the second, biases included."""
    for name, rate in {"eta_w": eta_w, "eta_v": eta_v}.items():
        if not 0 <= rate < float("inf"):
            raise InputError(f"{name} must be a finite number that is not negative, not {rate}.")
    rate_of = {"first": eta_w, "second": eta_v}
    return {name: rate_of[layer] for name, layer in network.layers.items() if layer in rate_of}
