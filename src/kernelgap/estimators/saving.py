"""Fitted kernel estimators as files: arrays and text, no code that loading could run."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.estimators.kernel_base import KernelEstimator
from kernelgap.estimators.kernel_estimators import KernelClassifier, KernelRegressor
from kernelgap.regression import Spectrum

KINDS: dict[str, type[KernelEstimator]] = {c.__name__: c for c in (KernelRegressor, KernelClassifier)}


def save(model: KernelEstimator, path: str | Path) -> Path:
    """Write a fitted kernel estimator to a .safetensors file."""
    if not hasattr(model, "dual_coef_"):
        raise InputError("There is nothing to save before fit.")
    try:
        again = kernels.get(model.kernel_.spec)
    except InputError:
        again = None
    if again != model.kernel_:
        raise InputError(f"The kernel {model.kernel_.spec} is code of yours, which a file of numbers cannot hold.")
    header = {
        "kernelgap": version("kernelgap"),
        "kind": type(model).__name__,
        "kernel": model.kernel_.spec,
        "ridge": model.ridge_,
        "samples": model.spectrum_.samples,
        "spectrum": [model.spectrum_.smallest, model.spectrum_.largest, model.spectrum_.jitter],
        "features": model.n_features_in_,
        "feature_names": [str(n) for n in getattr(model, "feature_names_in_", [])],
        "single_output": getattr(model, "_single_output", False),
    }
    arrays = {"dual_coef": model.dual_coef_, **{f"path.{name}": values for name, values in model.path_.items()}}
    if model.X_fit_ is not None:
        arrays["X_fit"] = model.X_fit_
    if isinstance(model, KernelClassifier):
        labels = model.classes_
        header["labels"] = {
            "dtype": labels.dtype.str if labels.dtype != object else "object",
            "values": labels.tolist(),
        }
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    try:
        text = json.dumps(header)
        save_file({n: np.ascontiguousarray(a, dtype=float) for n, a in arrays.items()}, partial, {"kernelgap": text})
        partial.replace(target)
    except TypeError:
        raise InputError("Labels can be saved if they are numbers or texts.") from None
    except (OSError, SafetensorError) as error:
        raise InputError(f"'{target}' could not be written: {error}.") from None
    return target


def load(path: str | Path) -> Any:
    """Read a model that ``save`` wrote. Nothing in the file is executed."""
    try:
        with safe_open(path, framework="numpy") as file:
            header = json.loads(file.metadata()["kernelgap"])
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
        model = KINDS[header["kind"]](kernel=header["kernel"], ridge=header["ridge"])
        model.kernel_ = kernels.get(header["kernel"])
        model.ridge_ = header["ridge"]
        smallest, largest, jitter = header["spectrum"]
        model.spectrum_ = Spectrum(header["samples"], smallest, largest, jitter)
        model.n_features_in_ = header["features"]
        if header["feature_names"]:
            model.feature_names_in_ = np.array(header["feature_names"], dtype=object)
        model.dual_coef_ = arrays["dual_coef"]
        model.X_fit_ = arrays.get("X_fit")
        model.path_ = {name: arrays[f"path.{name}"] for name in ("ridge", "validation_error")}
        if isinstance(model, KernelClassifier):
            model.classes_ = np.array(header["labels"]["values"], dtype=header["labels"]["dtype"])
        else:
            model._single_output = header["single_output"]
    except FileNotFoundError:
        raise InputError(f"There is no file '{path}'.") from None
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"'{path}' is not a model that kernelgap saved: {error}.") from None
    return model
