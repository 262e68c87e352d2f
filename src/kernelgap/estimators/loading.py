"""Estimators from their files."""

from pathlib import Path
from typing import Any

from kernelgap.errors import unknown, validated
from kernelgap.estimators.adaptive import AdaptiveKernelClassifier, AdaptiveKernelRegressor
from kernelgap.estimators.base import EstimatorMetadata, ModelEstimator
from kernelgap.estimators.kernel_estimators import KernelClassifier, KernelRegressor
from kernelgap.estimators.regressors import ResNetRegressor, ThreeLayerRegressor, TwoLayerRegressor
from kernelgap.models import Model
from kernelgap.models.file import ESTIMATOR, read_owned
from kernelgap.tensor_file import Arrays

KINDS: dict[str, type[ModelEstimator]] = {
    kind.__name__: kind
    for kind in (
        KernelRegressor,
        KernelClassifier,
        AdaptiveKernelRegressor,
        AdaptiveKernelClassifier,
        TwoLayerRegressor,
        ThreeLayerRegressor,
        ResNetRegressor,
    )
}


def load(path: str | Path) -> Any:
    """Read an estimator from its file, and check that the file is whole. Nothing in it is executed.

    Parameters
    ----------
    path : a file that an estimator's ``save`` wrote.

    Returns
    -------
    The fitted estimator. On the same machine it predicts the same, bit for bit.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged, changed, of a newer version or something else.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import kernelgap as kg
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> model = kg.KernelRegressor("gaussian", ridge=0.01).fit(X, X[:, 0] ** 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = kg.load(model.save(f"{folder}/model.safetensors"))
    >>> np.array_equal(again.predict(X), model.predict(X))
    True
    """
    return read_owned(path, ESTIMATOR, _rebuild)


def _rebuild(model: Model, fields: dict[str, Any], arrays: Arrays) -> ModelEstimator:
    metadata = validated(EstimatorMetadata, fields)
    if metadata.kind not in KINDS:
        raise unknown("estimator", metadata.kind, KINDS)
    return KINDS[metadata.kind]._rebuild(model, metadata, arrays)
