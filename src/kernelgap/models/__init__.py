"""Fitted models: functions from inputs (n, d) to outputs (n, k), made of arrays, and the file that holds them."""

from kernelgap.models.file import load
from kernelgap.models.kernel_models import AdaptiveModel, Expansion, KernelModel, TangentModel
from kernelgap.models.linear import LinearModel
from kernelgap.models.model import Model
from kernelgap.models.network import NetworkModel
from kernelgap.models.trees import TreesModel

__all__ = [
    "AdaptiveModel",
    "Expansion",
    "KernelModel",
    "LinearModel",
    "Model",
    "NetworkModel",
    "TangentModel",
    "TreesModel",
    "load",
]
