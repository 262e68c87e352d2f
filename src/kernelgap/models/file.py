"""The one file of fitted models: safetensors with a checked header. It holds no code that loading could run.

The header has the model's metadata and names its ``owner``: an estimator, a table, or the model alone. An owner has
metadata and arrays of its own, and rebuilds itself from these and the model.
"""

import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, JsonValue

from kernelgap.errors import InputError, unknown, validated
from kernelgap.models.kernel_models import AdaptiveModel, KernelModel, TangentModel
from kernelgap.models.linear import LinearModel
from kernelgap.models.model import Model
from kernelgap.models.network import NetworkModel
from kernelgap.models.old_files import upgrade
from kernelgap.models.trees import TreesModel
from kernelgap.tensor_file import MODEL, Arrays, OtherFileError, check, pack, read, write_whole

FORMAT = 2
KINDS: dict[str, type[Model]] = {
    "kernel": KernelModel,
    "adaptive": AdaptiveModel,
    "linear": LinearModel,
    "network": NetworkModel,
    "tangent": TangentModel,
    "trees": TreesModel,
}
ALONE, ESTIMATOR, TABLE = "model", "estimator", "table"
OWNERS = {
    ALONE: ("a model by itself", "kernelgap.models.load"),
    ESTIMATOR: ("a fitted estimator", "kernelgap.load"),
    TABLE: ("a model of an audit", "'kernelgap predict' or kernelgap.audit.load_model"),
}
OWN = "owner."  # before the names of an owner's arrays

T = TypeVar("T")
Build = Callable[[Model, dict[str, Any], Arrays], T]  # from the model and the owner's metadata and arrays


class Header(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    format: int
    kernelgap: str
    model: dict[str, JsonValue]
    owner: str
    metadata: dict[str, JsonValue]


def content(
    model: Model, owner: str = ALONE, metadata: Mapping[str, Any] | None = None, arrays: Arrays | None = None
) -> bytes:
    """The content of a model's file; the same for the same model."""
    header = {
        "format": FORMAT,
        "kernelgap": version("kernelgap"),
        "model": model.metadata().model_dump(),
        "owner": owner,
        "metadata": dict(metadata or {}),
    }
    try:
        json.dumps(header, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InputError("What is said about a model must be plain: finite numbers, texts, lists, dicts.") from None
    own = {f"{OWN}{name}": np.asarray(values) for name, values in (arrays or {}).items()}
    return pack(MODEL, header, {**model.arrays(), **own})


def write(path: str | Path, model: Model, *owned: Any) -> Path:
    """Write what ``content`` gives, whole or not at all."""
    return write_whole(path, content(model, *owned))


def read_owned(path: str | Path, owner: str, build: Build[T]) -> T:
    """What the owner's ``build`` makes of a file of this owner. Nothing in it is executed."""

    def rebuild(fields: dict[str, Any], arrays: Arrays) -> T:
        model, header, own = _parts(fields, arrays)
        if header.owner != owner:
            (holds, by), (asked, _) = OWNERS[header.owner], OWNERS[owner]
            raise OtherFileError(f"'{path}' is {holds}, and not {asked}: it is read by {by}.")
        return build(model, header.metadata, own)

    return read(MODEL, path, rebuild)


def load(path: str | Path) -> Model:
    """Read the model of a file of any owner. Nothing in the file is executed.

    Parameters
    ----------
    path
        A file that ``Model.save``, an estimator's ``save`` or an audit wrote. A model of an audit takes prepared
        inputs, not the columns of the table.

    Returns
    -------
    The model.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged, changed or of a newer version.
    """
    return read(MODEL, path, lambda fields, arrays: _parts(fields, arrays)[0])


def _parts(fields: dict[str, Any], arrays: Arrays) -> tuple[Model, Header, Arrays]:
    """The model, if header and arrays belong together, the header, and the arrays of its owner."""
    fields, arrays = upgrade(fields, arrays)
    written = fields.get("format")
    newer = isinstance(written, int) and written > FORMAT
    check(not newer, f"it has the format {written} of a newer kernelgap, and this one reads {FORMAT}: update it")
    header = validated(Header, fields)
    check(header.format == FORMAT, f"there is no format {header.format}")
    check(header.owner in OWNERS, f"it is saved by an unknown owner '{header.owner[:40]}'")
    kind = header.model.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise unknown("kind of model", kind, KINDS)
    parts: tuple[dict[str, np.ndarray], dict[str, np.ndarray]] = {}, {}
    for name, values in arrays.items():
        parts[name.startswith(OWN)][name.removeprefix(OWN)] = values
    model = KINDS[kind].rebuild(validated(KINDS[kind].metadata_type, header.model), parts[0])
    return model, header, parts[1]
