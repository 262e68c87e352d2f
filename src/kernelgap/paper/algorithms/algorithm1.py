"""Algorithm 1: SGD with one fresh sample a step and rates of their own for W and V; A stays at its start."""

from collections.abc import Callable, Sequence

from kernelgap.errors import InputError
from kernelgap.networks import Initialisation, Network, resnet
from kernelgap.paper.algorithms.online import HELD_OUT, Descent, Online, Weights, train_online
from kernelgap.problems import Problem


def algorithm1(
    problem: Problem,
    *,
    width: int,
    steps: int,
    rates: Sequence[tuple[float, ...]],
    seeds: Sequence[int],
    times: Sequence[int] = (),
    network: Network = resnet,
    initialisation: Initialisation | None = None,
    held_out: int = HELD_OUT,
    watch: Callable[[int, Weights], None] | None = None,
    until: float | None = None,
    samples: int | None = None,
) -> Online:
    """W <- W - eta_w dObj/dW and V <- V - eta_v dObj/dV at the same (x_t, y_t), for t < steps.

    Biases belong to their matrices, as in the paper. W and V here are the paper's W(0) + W and V(0) + V; its
    displacements are ``trained - start``.

    Parameters
    ----------
    problem
        Labels have its ``noise``, while errors are taken against H itself.
    width, steps
        Of the network, and of training: one fresh sample a step.
    rates
        Pairs (eta_w, eta_v), each tried from every start; or triples (eta_w, eta_v, eta_a), by which A is trained too
        (footnote 12).
    seeds
        Each decides a start, its samples and its held-out inputs.
    times
        Steps at which held-out errors are taken, beside the last.
    network, initialisation
        What is trained, and its random start (default the network's own).
    held_out
        The number of held-out inputs.
    watch
        Takes each of the times with the trained weights (seeds, rates, ...).
    until
        A risk: training ends at the first of the times at which every run is below it.
    samples
        If given, every start has a sample of this size, and the steps are passes over it (footnote 13).

    Returns
    -------
    Online
        The risks on the way, and the weights at the end.
    """
    lengths = {len(each) for each in rates}
    if lengths not in ({2}, {3}):
        raise InputError("Rates are pairs (eta_w, eta_v), or all of them triples (eta_w, eta_v, eta_a).")
    return train_online(
        Descent(),
        network,
        [by_layer(network, *each) for each in rates],
        problem,
        width=width,
        steps=steps,
        seeds=seeds,
        times=times,
        initialisation=initialisation,
        held_out=held_out,
        watch=watch,
        until=until,
        samples=samples,
        with_output=lengths == {3},
    )


def by_layer(network: Network, eta_w: float, eta_v: float, eta_a: float | None = None) -> dict[str, float]:
    """eta_w for the first hidden layer, eta_v for the second, biases included, and eta_a for A if it is trained."""
    rate_of = {"first": eta_w, "second": eta_v, **({} if eta_a is None else {"output": eta_a})}
    for name, rate in zip(("eta_w", "eta_v", "eta_a"), rate_of.values(), strict=False):
        if not 0 <= rate < float("inf"):
            raise InputError(f"{name} must be a finite number that is not negative, not {rate}.")
    return {name: rate_of[layer] for name, layer in network.layers.items() if layer in rate_of}
