"""Files of earlier versions: their headers and arrays as the present format has them.

Estimators by kernels had a header without a format. Models of audits had the format 1.
"""

from typing import Any

import numpy as np

from kernelgap.errors import InputError
from kernelgap.tensor_file import Arrays

NEEDED = {"kernelgap", "kind", "kernel", "ridge", "samples", "spectrum", "feature_names", "single_output"}


def upgrade(fields: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Move old headers and arrays to their present places. The reader of the result checks all of it."""
    if "format" not in fields and "dual_coef" in arrays:
        return _estimator(fields, arrays)
    if fields.get("format") == 1 and not isinstance(fields["format"], bool):
        return _audit(fields), arrays
    return fields, arrays


def _audit(fields: dict[str, Any]) -> dict[str, Any]:
    if {"owner", "metadata"} & set(fields):
        raise InputError("the format 1 has neither owner nor metadata.")
    own = {name: fields[name] for name in ("preparation", "targets", "about") if name in fields}
    rest = {name: value for name, value in fields.items() if name not in own}
    model = rest.get("model")
    if isinstance(model, dict) and model.get("kind") == "empirical":
        rest["model"] = {**model, "kind": "tangent"}
    return {**rest, "format": 2, "owner": "table", "metadata": own}


def _estimator(fields: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    if missing := NEEDED - set(fields):
        raise InputError(f"{min(missing)} is missing.")
    if "X_fit" not in arrays and fields["kernel"] != "precomputed":
        raise InputError("its inputs are missing.")
    adaptive = str(fields["kind"]).startswith("Adaptive")
    renamed = {"dual_coef": "coefficients", "X_fit": "points"} if "X_fit" in arrays else {"dual_coef": "weights"}
    moved = {renamed.get(n, n if n == "metric" else f"owner.{n}"): values for n, values in arrays.items()}
    model: dict[str, Any] = {"kind": "linear"}
    if "X_fit" in arrays:
        model = {"kind": "adaptive" if adaptive else "kernel", "kernel": fields["kernel"]}
        if not adaptive:
            model["scale"] = 1.0
    if len(fields["spectrum"]) != 3:
        raise InputError("its spectrum has not three numbers.")
    spectrum = dict(zip(("smallest", "largest", "jitter"), fields["spectrum"], strict=True))
    fitted = {"ridge": fields["ridge"], "spectrum": {"samples": fields["samples"], **spectrum}}
    if adaptive:
        fitted |= {"round": fields.get("round", 0), "factor": fields.get("factor", 1.0)}
    metadata = {
        "kind": fields["kind"],
        "settings": {},
        "fitted": fitted,
        "feature_names": fields["feature_names"],
        "single_output": fields["single_output"],
        "labels": fields.get("labels"),
    }
    coefficients = arrays["dual_coef"]
    offset = np.zeros(coefficients.shape[-1] if coefficients.size else 0)  # an empty array may claim any shape
    header = {"format": 2, "kernelgap": fields["kernelgap"], "model": model, "owner": "estimator", "metadata": metadata}
    return header, {**moved, "offset": offset}
