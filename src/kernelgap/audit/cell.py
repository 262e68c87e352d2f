"""A contender with so many samples and a seed: the unit of work, and what a worker makes of it."""

import hashlib
import io
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np
from jaxtyping import Float

from kernelgap import console
from kernelgap.audit.contenders.registry import tune
from kernelgap.audit.contenders.view import Tuned
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
    keep_model: bool
    cost: float

    @cached_property
    def id(self) -> str:
        parts = (self.digest, self.contender, self.samples, self.seed, self.effort.model_dump(), version("kernelgap"))
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def label(self) -> str:
        return f"{self.contender}, {self.samples} samples, seed {self.seed}"


@dataclass(frozen=True)
class Outcome:
    """The chosen setting, its validation error, all that was tried, and the outputs for the test rows."""

    seconds: float
    validation_error: float
    setting: str
    tried: str
    predictions: bytes
    model: bytes | None

    def outputs(self) -> Float[np.ndarray, "test k"]:
        found: np.ndarray = np.load(io.BytesIO(self.predictions), allow_pickle=False)
        return found


def compete(cell: Cell, tell: Callable[[float], None]) -> Outcome:
    """Learn, choose, and predict the test rows, whose targets are nowhere to be seen here."""
    began = time.perf_counter()
    material = load_material(cell.material)
    with console.silence():
        tuned = tune(cell.contender, material.view(cell.samples, cell.seed, cell.effort), tell)
    predictions = io.BytesIO()
    np.save(predictions, tuned.model.outputs(material.X_test))
    return Outcome(
        seconds=time.perf_counter() - began,
        validation_error=tuned.error,
        setting=json.dumps(tuned.setting),
        tried=json.dumps(tuned.tried),
        predictions=predictions.getvalue(),
        model=_kept(cell, material, tuned) if cell.keep_model else None,
    )


def _kept(cell: Cell, material: Material, tuned: Tuned) -> bytes | None:
    """The model's file; None if no file can hold it, as with trees."""
    if not isinstance(tuned.model, Model):
        return None
    about = {
        "contender": cell.contender,
        "samples": cell.samples,
        "seed": cell.seed,
        "setting": tuned.setting,
        "validation_error": tuned.error,
    }
    return to_bytes(Trained(tuned.model, material.preparation, material.targets, about))
