"""The units of work: a contender judged on a sample, and one fitted to a sample with the setting that was chosen."""

import hashlib
import io
import json
import time
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np
from jaxtyping import Float

from kernelgap import console
from kernelgap.audit.contenders.registry import contender
from kernelgap.audit.contenders.view import Fitted, Judged, Setting, Tell, View
from kernelgap.audit.effort import Effort
from kernelgap.audit.material import Material, load_material
from kernelgap.audit.models import Model, Trained, to_bytes


@dataclass(frozen=True)
class Cell:
    """What comes of it depends on the material (by its digest), and on all the rest that is named here."""

    material: Path
    digest: str
    contender: str
    samples: int
    seed: int
    effort: Effort
    cost: float

    @property
    def label(self) -> str:
        doing = "fitting" if isinstance(self, Fitting) else "judging"
        return f"{doing} {self.contender}, {self.samples} samples, seed {self.seed}"

    @cached_property
    def id(self) -> str:
        told = {**asdict(self), "effort": self.effort.model_dump(), "version": version("kernelgap")}
        told = {name: value for name, value in told.items() if name not in ("material", "cost")}
        return hashlib.sha256(json.dumps([type(self).__name__, told]).encode()).hexdigest()

    def view(self) -> tuple[Material, View]:
        material = load_material(self.material)
        return material, material.view(self.samples, self.seed, self.effort)


@dataclass(frozen=True)
class Judging(Cell):
    """Every setting is to be judged."""


@dataclass(frozen=True)
class Fitting(Cell):
    """One setting, which had this validation error with this seed, is to learn from the whole sample."""

    setting: str
    validation_error: float
    keep_model: bool


@dataclass(frozen=True)
class Judgement:
    """The errors of all settings, as JSON."""

    seconds: float
    content: str

    def read(self) -> Judged:
        return Judged(**json.loads(self.content))


@dataclass(frozen=True)
class Outcome:
    """The outputs for the test rows, and the model's file where it is wanted and can be."""

    seconds: float
    predictions: bytes
    model: bytes | None

    def outputs(self) -> Float[np.ndarray, "test k"]:
        found: np.ndarray = np.load(io.BytesIO(self.predictions), allow_pickle=False)
        return found


def work(cell: Cell, tell: Tell) -> Judgement | Outcome:
    """Do it, wherever it is sent. The targets of the test rows are nowhere to be seen here."""
    began = time.perf_counter()
    material, view = cell.view()
    with console.silence():
        if not isinstance(cell, Fitting):
            judged = contender(cell.contender).judge(view, tell)
            return Judgement(time.perf_counter() - began, json.dumps(asdict(judged)))
        setting: Setting = json.loads(cell.setting)
        model = contender(cell.contender).fit(view, setting)
    predictions = io.BytesIO()
    np.save(predictions, model.outputs(material.X_test))
    kept = _file(cell, material, model) if cell.keep_model else None
    return Outcome(time.perf_counter() - began, predictions.getvalue(), kept)


def _file(cell: Fitting, material: Material, model: Fitted) -> bytes | None:
    """None if no file can hold it, as with trees."""
    if not isinstance(model, Model):
        return None
    about = {
        "contender": cell.contender,
        "samples": cell.samples,
        "seed": cell.seed,
        "setting": json.loads(cell.setting),
        "validation_error": cell.validation_error,
    }
    return to_bytes(Trained(model, material.preparation, material.targets, about))
