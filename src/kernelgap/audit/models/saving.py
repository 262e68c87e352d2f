"""Trained models as files, or as the bytes of such files: arrays and text, no code that loading could run."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from kernelgap.audit.models.adaptive import AdaptiveModel, AdaptiveWords
from kernelgap.audit.models.empirical import EmpiricalModel, EmpiricalWords
from kernelgap.audit.models.kernel import KernelModel, KernelWords
from kernelgap.audit.models.linear import LinearModel, LinearWords
from kernelgap.audit.models.model import Model
from kernelgap.audit.models.network import NetworkModel, NetworkWords
from kernelgap.audit.models.trained import Trained
from kernelgap.audit.tables.preparing.prepare import Preparation
from kernelgap.audit.tables.targets import Targets
from kernelgap.errors import InputError, validated
from kernelgap.tensor_file import MODEL, Arrays, check, pack, read, unpack
from kernelgap.whole_file import whole

FORMAT = 1
FILE = "model.safetensors"  # in the folder of an audit
KINDS: dict[type[BaseModel], type[Model]] = {
    kind.words: kind for kind in (KernelModel, AdaptiveModel, LinearModel, NetworkModel, EmpiricalModel)
}


class Header(BaseModel):
    """What a file says in words, beside its arrays."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    format: int
    kernelgap: str
    model: Annotated[
        KernelWords | AdaptiveWords | LinearWords | NetworkWords | EmpiricalWords, Field(discriminator="kind")
    ]
    preparation: dict[str, Any]
    targets: dict[str, Any]
    about: dict[str, JsonValue]


def to_bytes(trained: Trained) -> bytes:
    """The content of a model's file; the same for the same model."""
    header = {
        "format": FORMAT,
        "kernelgap": version("kernelgap"),
        "model": trained.model.describe(),
        "preparation": trained.preparation.describe(),
        "targets": trained.targets.describe(),
        "about": dict(trained.about),
    }
    try:
        json.dumps(trained.about, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InputError("What is said about a model must be plain: finite numbers, texts, lists, dicts.") from None
    return pack(MODEL, header, trained.model.arrays())


def from_bytes(content: bytes) -> Trained:
    """The model whose file has this content, if it is whole. Nothing in it is executed."""
    return unpack(MODEL, content, _trained)


def save_model(trained: Trained, path: str | Path) -> Path:
    """Write a model to a .safetensors file, whole or not at all."""
    content = to_bytes(trained)
    with whole(path) as partial:
        partial.write_bytes(content)
    return Path(path)


def load_model(path: str | Path) -> Trained:
    """Read a model that ``save_model`` wrote, or the one in the folder of an audit. Nothing in it is executed."""
    file = Path(path)
    if file.is_dir():
        file /= FILE
        if not file.exists():
            raise InputError(f"The folder '{path}' has no {FILE}: the audit in it is not finished, or it is none.")
    return read(MODEL, file, _trained)


def _trained(fields: dict[str, Any], arrays: Arrays) -> Trained:
    """The model, if the header and the arrays belong together."""
    written = fields.get("format")
    newer = isinstance(written, int) and written > FORMAT
    check(not newer, f"it has the format {written} of a newer kernelgap, and this one reads {FORMAT}: update it")
    header = validated(Header, fields)
    check(header.format == FORMAT, f"there is no format {header.format}")
    preparation = Preparation.rebuild(header.preparation)
    model = KINDS[type(header.model)].rebuild(header.model, arrays)
    return Trained(model, preparation, Targets.rebuild(header.targets), header.about)
