"""Fitted kernel estimators as files: arrays and text, no code that loading could run."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from kernelgap import kernels
from kernelgap.errors import InputError, validated
from kernelgap.estimators.adaptive import Adaptive, AdaptiveKernelClassifier, AdaptiveKernelRegressor
from kernelgap.estimators.kernel_base import KernelEstimator
from kernelgap.estimators.kernel_estimators import KernelClassifier, KernelRegressor
from kernelgap.kernels import Kernel
from kernelgap.kernels.distance_kernel import DistanceKernel
from kernelgap.kernels.mahalanobis import Mahalanobis
from kernelgap.regression import Spectrum

KINDS: dict[str, type[KernelEstimator]] = {
    c.__name__: c for c in (KernelRegressor, KernelClassifier, AdaptiveKernelRegressor, AdaptiveKernelClassifier)
}
ROUNDS = ("factor", "round", "ridge", "validation_error")
Arrays = Mapping[str, np.ndarray]
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
        "kernel": _text(model.kernel_.base if isinstance(model.kernel_, Mahalanobis) else model.kernel_),
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
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    try:
        text = json.dumps(header)
        save_file(arrays, partial, {"kernelgap": text, "sha256": _digest(text, arrays)})
        partial.replace(target)
    except TypeError:
        raise InputError("Labels can be saved if they are numbers or texts.") from None
    except (OSError, SafetensorError) as error:
        raise InputError(f"'{target}' could not be written: {error}.") from None
    finally:
        with suppress(OSError):
            partial.unlink()
    return target


def _text(kernel: Kernel) -> str:
    """The kernel as text, if the text is all of it."""
    try:
        again = kernels.get(kernel.spec)
    except InputError:
        again = None
    if again != kernel:
        raise InputError(f"The kernel {kernel.spec} is code of yours, which a file of numbers cannot hold.")
    return kernel.spec


def load(path: str | Path) -> Any:
    """Read a model that ``save`` wrote, and check that it is whole. Nothing in the file is executed."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
        text = metadata.get("kernelgap", "")
        _check(bool(text), "it says nothing of kernelgap")
        _check(metadata.get("sha256") == _digest(text, arrays), "its contents are not those that were written")
        fields = json.loads(text)
        _check(isinstance(fields, dict), "its header is no object")
        return _model(validated(Header, fields), arrays)
    except FileNotFoundError:
        raise InputError(f"There is no file '{path}'.") from None
    except (SafetensorError, OSError, TypeError, ValueError, AttributeError, RecursionError, MemoryError) as error:
        raise InputError(f"'{path}' is not a model that kernelgap saved: {str(error).rstrip('.')}.") from None


def _model(header: Header, arrays: Arrays) -> KernelEstimator:
    """The estimator, if the header and the arrays belong together."""
    _check({"dual_coef", "path.ridge", "path.validation_error"} <= set(arrays), "arrays are missing")
    _check(all(a.dtype == np.float64 for a in arrays.values()), "its arrays are not of float64")
    coefficients, X, ridges = arrays["dual_coef"], arrays.get("X_fit"), arrays["path.ridge"]
    kernel = kernels.get(header.kernel)
    n, features = header.samples, header.features
    _check(kernel.settled, f"its kernel {header.kernel} is not settled")
    _check((X is None) == (not kernel.combines), f"its inputs do not belong to the kernel {header.kernel}")
    _check(X is None or X.shape == (n, features), "its inputs have another shape than its header says")
    _check(X is not None or features == n, "a precomputed Gram matrix has as many columns as samples")
    _check(coefficients.ndim == 2 and len(coefficients) == n, "its coefficients have another shape than its inputs")
    _check(coefficients.shape[1] == 1 or not header.single_output, "it has several outputs and says that it has one")
    _check(np.all(np.isfinite(coefficients)) and (X is None or np.all(np.isfinite(X))), "it holds NaN or infinity")
    _check(ridges.ndim == 1 and header.ridge in ridges, "its ridge is not one of those tried")
    _check(ridges.shape == arrays["path.validation_error"].shape, "its ridges and their errors are not as many")
    _check(len(header.feature_names) in (0, features), "its features have other names than there are columns")
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
    _check({"metric", *(f"rounds.{name}" for name in ROUNDS)} <= set(arrays), "arrays are missing")
    _check(isinstance(kernel, DistanceKernel), f"the kernel {header.kernel} has no metric")
    assert isinstance(kernel, DistanceKernel)
    _check(arrays["metric"].shape == (header.features,) * 2, "its metric has another shape than its inputs")
    rounds = {name: arrays[f"rounds.{name}"] for name in ROUNDS}
    _check(len({values.shape for values in rounds.values()}) == 1, "its rounds and their errors are not as many")
    model.round_, model.factor_, model.rounds_ = header.round, header.factor, rounds
    adapted = Mahalanobis(kernel, arrays["metric"])
    model.metric_ = adapted.metric
    return adapted


def _classes(labels: Labels | None, *, outputs: int) -> np.ndarray:
    _check(labels is not None, "a classifier needs labels")
    assert labels is not None
    dtype = np.dtype(labels.dtype)
    _check(dtype.kind in "biufUO", "its labels are neither numbers nor texts")
    classes = np.array(labels.values, dtype=dtype)
    _check(classes.tolist() == labels.values, "its labels are of another type than it says")
    _check(len(set(labels.values)) == outputs >= 2, "it has not as many labels as outputs")
    return classes


def _check(holds: bool | np.bool_, otherwise: str) -> None:
    if not holds:
        raise InputError(otherwise)


def _digest(text: str, arrays: Arrays) -> str:
    """The SHA-256 of the header's text and of every array."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        digest.update(f"\n{name} {arrays[name].dtype.str} {arrays[name].shape}\n".encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()
