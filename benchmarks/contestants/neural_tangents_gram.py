"""neural-tangents: the same Gram matrix as its documentation would have it, compiled; scaled to kernelgap's."""

import json
import sys

import jax
import numpy as np
from inputs import points
from neural_tangents import stax
from stage import perform

task = json.loads(sys.argv[1])
jax.config.update("jax_enable_x64", task["x64"])
X = points(task["samples"], task["d"])
hidden = [stax.Dense(512, W_std=2**0.5, b_std=0), stax.Relu()]  # an infinitely wide one: 512 means nothing here
depth = {"ntk2": 1, "ntk3": 2}[task["kernel"]]
_, _, kernel = stax.serial(*hidden * depth, stax.Dense(1, W_std=1, b_std=0))
compiled = jax.jit(kernel, static_argnames="get")


def work() -> jax.Array:
    return compiled(X, None, get="ntk").block_until_ready()


gram = perform(work, warm_up=work, repeats=task["repeats"])
if task["save"]:
    np.save(task["save"], np.asarray(gram, dtype=float) * task["d"])  # weights into the first layer have variance 2/d
