"""Fitted models: functions from inputs (n, d) to outputs (n, k), made of arrays, and the file that holds them."""

from kernelgap.models.adaptive import AdaptiveModel
from kernelgap.models.expansion import Expansion
from kernelgap.models.file import load
from kernelgap.models.kernel import KernelModel
from kernelgap.models.linear import LinearModel
from kernelgap.models.model import Model
from kernelgap.models.network import NetworkModel
from kernelgap.models.tangent import TangentModel

__all__ = [
    "AdaptiveModel",
    "Expansion",
    "KernelModel",
    "LinearModel",
    "Model",
    "NetworkModel",
    "TangentModel",
    "load",
]
