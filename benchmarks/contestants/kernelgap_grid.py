"""kernelgap: the whole grid at once."""

import json
import sys

import jax
from stage import perform

from kernelgap import networks, problems
from kernelgap.training import Schedule, get_model, train_grid

task = json.loads(sys.argv[1])
problem = problems.get("sec8")
sample = problem.sample(task["samples"], seed=0)
network = networks.resnet
params = network.init(jax.random.key(0), inputs=problem.d, outputs=problem.outputs, width=task["width"])
rates, decays = zip(*task["grid"], strict=True)


def work() -> None:
    schedule = Schedule(epochs=task["epochs"], batch=task["batch"])
    train_grid(get_model(network, "all"), params, rates, decays, sample, schedule=schedule, seed=[0], epochs=[])


perform(work, warm_up=work)  # the same program again, so that it is compiled
