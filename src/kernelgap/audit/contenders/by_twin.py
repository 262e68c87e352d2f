"""A network's own kernels: its tangent kernel and its last layer, both frozen at the start that it was trained from.

Ridge regression with them is where training the linearised network, or its last layer, would end, for every ridge at
once. What the network does better than these it owes to features that it learned.
"""

import numpy as np

from kernelgap.audit.contenders.by_network import start
from kernelgap.audit.contenders.ridges import about_landmarks, judge_ridges, solve_whole
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
    ridge, error = judge_ridges(kernel, view)
    search = Search(1, tell)
    search.add(
        {"width": width, "ridge": ridge, **about_landmarks(view)},
        error,
        lambda: EmpiricalModel(network, weights, PARTS[part], *solve_whole(kernel, view, ridge), view.whole_offset),
    )
    return search.result()
