"""scikit-learn estimators over the networks."""

from kernelgap.estimators.regressors import ResNetRegressor, ThreeLayerRegressor, TwoLayerRegressor

__all__ = ["ResNetRegressor", "ThreeLayerRegressor", "TwoLayerRegressor"]
