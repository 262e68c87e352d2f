"""Fitted kernel estimators as files: arrays and text, no code that loading could run."""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from kernelgap.errors import InputError, validated
from kernelgap.estimators.adaptive import Adaptive, AdaptiveKernelClassifier, AdaptiveKernelRegressor
from kernelgap.estimators.kernel_base import KernelEstimator
from kernelgap.estimators.kernel_estimators import KernelClassifier, KernelRegressor
from kernelgap.kernels import Kernel
from kernelgap.kernels.as_text import from_text, text_of
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.kernels.formulas.mahalanobis import Mahalanobis
from kernelgap.regression import Spectrum
from kernelgap.tensor_file import ESTIMATOR, Arrays, check, read, write

KINDS: dict[str, type[KernelEstimator]] = {
    c.__name__: c for c in (KernelRegressor, KernelClassifier, AdaptiveKernelRegressor, AdaptiveKernelClassifier)
}
ROUNDS = ("factor", "round", "ridge", "validation_error")
Count = Annotated[int, Field(ge=1)]


class Labels(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)
    dtype: str
    values: list[bool | int | float | str]


class Header(BaseModel):
    """What a file says in words, beside its arrays."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    kernelgap: str
    kind: Literal["KernelRegressor", "KernelClassifier", "AdaptiveKernelRegressor", "AdaptiveKernelClassifier"]
    kernel: str
    ridge: Annotated[float, Field(ge=0)]
    samples: Count
    spectrum: Annotated[list[float], Field(min_length=3, max_length=3)]
    features: Count
    feature_names: list[str]
    single_output: bool
    labels: Labels | None = None
    round: Annotated[int, Field(ge=0)] = 0
    factor: Annotated[float, Field(gt=0)] = 1.0


def save(model: KernelEstimator, path: str | Path) -> Path:
    """Write a fitted kernel estimator to a .safetensors file."""
    if not hasattr(model, "dual_coef_"):
        raise InputError("There is nothing to save before fit.")
    header: dict[str, Any] = {
        "kernelgap": version("kernelgap"),
        "kind": type(model).__name__,
        "kernel": text_of(model.kernel_.base if isinstance(model.kernel_, Mahalanobis) else model.kernel_),
        "ridge": model.ridge_,
        "samples": model.spectrum_.samples,
        "spectrum": [model.spectrum_.smallest, model.spectrum_.largest, model.spectrum_.jitter],
        "features": model.n_features_in_,
        "feature_names": [str(n) for n in getattr(model, "feature_names_in_", [])],
        "single_output": getattr(model, "_single_output", False),
    }
    given = {"dual_coef": model.dual_coef_, **{f"path.{name}": values for name, values in model.path_.items()}}
    if model.X_fit_ is not None:
        given["X_fit"] = model.X_fit_
    if isinstance(model, Adaptive):
        header |= {"round": model.round_, "factor": model.factor_}
        given |= {"metric": model.metric_, **{f"rounds.{name}": model.rounds_[name] for name in ROUNDS}}
    if isinstance(model, KernelClassifier):
        labels = model.classes_
        header["labels"] = {
            "dtype": labels.dtype.str if labels.dtype != object else "object",
            "values": labels.tolist(),
        }
    arrays = {name: np.ascontiguousarray(values, dtype=float) for name, values in given.items()}
    try:
        return write(ESTIMATOR, header, arrays, path)
    except TypeError:
        raise InputError("Labels can be saved if they are numbers or texts.") from None


def load(path: str | Path) -> Any:
    """Read a model that ``save`` wrote, and check that it is whole. Nothing in the file is executed."""
    return read(ESTIMATOR, path, lambda fields, arrays: _model(validated(Header, fields), arrays))


def _model(header: Header, arrays: Arrays) -> KernelEstimator:
    """The estimator, if the header and the arrays belong together."""
    check({"dual_coef", "path.ridge", "path.validation_error"} <= set(arrays), "arrays are missing")
    check(all(a.dtype == np.float64 for a in arrays.values()), "its arrays are not of float64")
    coefficients, X, ridges = arrays["dual_coef"], arrays.get("X_fit"), arrays["path.ridge"]
    kernel = from_text(header.kernel)
    n, features = header.samples, header.features
    check(kernel.settled, f"its kernel {header.kernel} is not settled")
    check((X is None) == (not kernel.combines), f"its inputs do not belong to the kernel {header.kernel}")
    check(X is None or X.shape == (n, features), "its inputs have another shape than its header says")
    check(X is not None or features == n, "a precomputed Gram matrix has as many columns as samples")
    check(coefficients.ndim == 2 and len(coefficients) == n, "its coefficients have another shape than its inputs")
    check(coefficients.shape[1] == 1 or not header.single_output, "it has several outputs and says that it has one")
    check(np.all(np.isfinite(coefficients)) and (X is None or np.all(np.isfinite(X))), "it holds NaN or infinity")
    check(ridges.ndim == 1 and header.ridge in ridges, "its ridge is not one of those tried")
    check(ridges.shape == arrays["path.validation_error"].shape, "its ridges and their errors are not as many")
    check(len(header.feature_names) in (0, features), "its features have other names than there are columns")
    model = KINDS[header.kind](kernel=header.kernel, ridge=header.ridge)
    model.kernel_ = _with_rounds(model, header, arrays, kernel) if isinstance(model, Adaptive) else kernel
    model.ridge_ = header.ridge
    model.spectrum_ = Spectrum(n, *header.spectrum)
    model.n_features_in_ = features
    if header.feature_names:
        model.feature_names_in_ = np.array(header.feature_names, dtype=object)
    model.dual_coef_ = coefficients
    model.X_fit_ = X
    model.path_ = {name: arrays[f"path.{name}"] for name in ("ridge", "validation_error")}
    if isinstance(model, KernelClassifier):
        model.classes_ = _classes(header.labels, outputs=coefficients.shape[1])
    else:
        model._single_output = header.single_output
    return model


def _with_rounds(model: Adaptive, header: Header, arrays: Arrays, kernel: Kernel) -> Kernel:
    """The kernel in its metric; what is known of the rounds goes into the model."""
    check({"metric", *(f"rounds.{name}" for name in ROUNDS)} <= set(arrays), "arrays are missing")
    check(isinstance(kernel, DistanceKernel), f"the kernel {header.kernel} has no metric")
    assert isinstance(kernel, DistanceKernel)
    check(arrays["metric"].shape == (header.features,) * 2, "its metric has another shape than its inputs")
    rounds = {name: arrays[f"rounds.{name}"] for name in ROUNDS}
    check(len({values.shape for values in rounds.values()}) == 1, "its rounds and their errors are not as many")
    model.round_, model.factor_, model.rounds_ = header.round, header.factor, rounds
    adapted = Mahalanobis(kernel, arrays["metric"])
    model.metric_ = adapted.metric
    return adapted


def _classes(labels: Labels | None, *, outputs: int) -> np.ndarray:
    check(labels is not None, "a classifier needs labels")
    assert labels is not None
    dtype = np.dtype(labels.dtype)
    check(dtype.kind in "biufUO", "its labels are neither numbers nor texts")
    classes = np.array(labels.values, dtype=dtype)
    check(classes.tolist() == labels.values, "its labels are of another type than it says")
    check(len(set(labels.values)) == outputs >= 2, "it has not as many labels as outputs")
    return classes
