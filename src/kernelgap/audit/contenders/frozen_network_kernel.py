"""A network's own kernels: its tangent kernel and its last layer, both frozen at the start that it was trained from.

Ridge regression with them is where training the linearised network, or its last layer, would end, for every ridge at
once. What the network does better than these it owes to features that it learned.
"""

from dataclasses import dataclass

import numpy as np

from kernelgap.audit.contenders.network import start
from kernelgap.audit.contenders.ridges import judge_ridges, solve
from kernelgap.audit.contenders.view import Judged, Records, Setting, Tell, View
from kernelgap.kernels.empirical.kernel import Empirical
from kernelgap.models import TangentModel

PARTS = {"ntk": "all", "last": "last"}


@dataclass(frozen=True)
class FrozenNetworkKernel:
    """``name`` is as in 3resnet(ntk). One fit: its kernel has no bandwidth, and the path of ridges is whole."""

    name: str

    def judge(self, view: View, tell: Tell) -> Judged:
        records = Records(1, tell)
        ridges, errors = judge_ridges(self._kernel(view), view)
        records.add({"ridge": ridges}, errors)
        return records.judged()

    def fit(self, view: View, setting: Setting) -> TangentModel:
        kernel, whole = self._kernel(view), view.train_plus_validation
        return TangentModel(kernel, *solve(kernel, whole, setting["ridge"]), whole.offset)

    def _kernel(self, view: View) -> Empirical:
        name, _, part = self.name.removesuffix(")").partition("(")
        network, params, _ = start(name, view)
        return Empirical(network, {name: np.asarray(weight) for name, weight in params.items()}, PARTS[part])
