"""scikit-learn estimators over the networks and kernels."""

from kernelgap.estimators.adaptive import AdaptiveKernelClassifier, AdaptiveKernelRegressor
from kernelgap.estimators.base import load
from kernelgap.estimators.classifiers import NetworkClassifier
from kernelgap.estimators.kernel_estimators import KernelClassifier, KernelRegressor
from kernelgap.estimators.regressors import ResNetRegressor, ThreeLayerRegressor, TwoLayerRegressor

__all__ = [
    "AdaptiveKernelClassifier",
    "AdaptiveKernelRegressor",
    "KernelClassifier",
    "KernelRegressor",
    "NetworkClassifier",
    "ResNetRegressor",
    "ThreeLayerRegressor",
    "TwoLayerRegressor",
    "load",
]
