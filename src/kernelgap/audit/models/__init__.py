"""Models that came of an audit: fitted, with what turns a table into their inputs, and as files."""

from kernelgap.audit.models.adaptive import AdaptiveModel
from kernelgap.audit.models.empirical import EmpiricalModel
from kernelgap.audit.models.kernel import KernelModel
from kernelgap.audit.models.linear import LinearModel
from kernelgap.audit.models.model import Model
from kernelgap.audit.models.network import NetworkModel
from kernelgap.audit.models.predicting import Predicted, predict_table
from kernelgap.audit.models.saving import from_bytes, load_model, save_model, to_bytes
from kernelgap.audit.models.trained import Trained

__all__ = [
    "AdaptiveModel",
    "EmpiricalModel",
    "KernelModel",
    "LinearModel",
    "Model",
    "NetworkModel",
    "Predicted",
    "Trained",
    "from_bytes",
    "load_model",
    "predict_table",
    "save_model",
    "to_bytes",
]
