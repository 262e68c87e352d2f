"""kernelgap: one point of a scaling curve, by the name of what is done and its sizes."""

import json
import sys
from collections.abc import Callable

import jax
import numpy as np
from stage import perform

from kernelgap import certificates, kernels, networks, problems
from kernelgap.regression import ridge_path
from kernelgap.training import Schedule, get_model, train_grid


def training(samples: int, width: int, members: int, d: int, epochs: int) -> Callable[[], object]:
    problem = problems.hard(d=d, k=4, alpha=0.5)
    sample = problem.sample(samples, seed=0)
    params = networks.resnet.init(jax.random.key(0), inputs=d, outputs=problem.outputs, width=width)
    rates, decays = np.linspace(0.001, 0.002, members), np.full(members, 1e-4)
    model, schedule = get_model(networks.resnet, "all"), Schedule(epochs=epochs, batch=50)
    return lambda: train_grid(model, params, rates, decays, sample, schedule=schedule, seed=[0], epochs=[])


def gram(samples: int, d: int) -> Callable[[], object]:
    X = np.random.default_rng(0).standard_normal((samples, d))
    kernel = kernels.get("ntk2")
    return lambda: kernel(X)


def ridge(samples: int) -> Callable[[], object]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((samples, 30))
    K = kernels.get("ntk2")(X)
    return lambda: ridge_path(K, rng.standard_normal((samples, 15)), np.geomspace(1e-3, 1e3, 28))


def oracle(samples: int, targets: int) -> Callable[[], object]:
    problem = problems.hard(d=30, k=4, alpha=0.5)
    X, _ = problem.sample(samples, 0)
    return lambda: certificates.oracle_risks(problem, "ck2", X, targets=targets, seed=0)


def smallest_program() -> Callable[[], object]:
    """What JAX takes by itself: its start and one compilation."""
    return lambda: jax.jit(lambda x: x + 1)(1.0).block_until_ready()


WORK = {
    "small": smallest_program,
    "training": training,
    "gram": gram,
    "ridge": ridge,
    "oracle": oracle,
    "nothing": lambda: lambda: None,
}

if __name__ == "__main__":
    task = json.loads(sys.argv[1])
    make = WORK[task["what"]](**task["sizes"])

    def work() -> None:
        make()  # nothing is held while the next repeat works: it would count twice in the peak

    perform(work, warm_up=work, repeats=task["repeats"])
