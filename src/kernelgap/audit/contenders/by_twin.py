"""A network's own kernels: its tangent kernel and its last layer, both frozen at the start that it was trained from.

Ridge regression with them is where training the linearised network, or its last layer, would end, for every ridge at
once. What the network does better than these it owes to features that it learned.
"""

import numpy as np

from kernelgap.audit.contenders.by_network import start
from kernelgap.audit.contenders.ridges import solve_path
from kernelgap.audit.contenders.view import Search, Tell, Tuned, View
from kernelgap.audit.models import EmpiricalModel
from kernelgap.kernels.empirical import Empirical

PARTS = {"ntk": "all", "last": "last"}


def tune_twin(name: str, view: View, tell: Tell) -> Tuned:
    """``name`` is as in 3resnet(ntk). One fit: its kernel has no bandwidth, and the path of ridges is whole."""
    network_name, _, part = name.removesuffix(")").partition("(")
    network, params, width = start(network_name, view)
    weights = {name: np.asarray(weight) for name, weight in params.items()}
    kernel = Empirical(network, weights, PARTS[part])
    path = solve_path(kernel, view.X, view.centred, view)
    errors = path.errors(view.X_val, view.centred_val)
    best = path.best(errors)
    search = Search(1, tell)
    setting = {"width": width, "ridge": float(path.ridges[best]), **path.note}
    search.add(
        setting,
        float(errors[best]) / view.divisor,
        lambda: EmpiricalModel(network, weights, PARTS[part], path.points, path.solution(best), view.offset),
    )
    return search.result()
