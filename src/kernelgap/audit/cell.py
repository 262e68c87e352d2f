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
from kernelgap.audit.dataset import Dataset, load_dataset, read_arrays
from kernelgap.audit.models import TableModel, to_bytes
from kernelgap.audit.search_budget import SearchBudget
from kernelgap.models import Model
from kernelgap.seeds import stream


@dataclass(frozen=True)
class Cell:
    """What comes of it depends on the dataset (by its digest), and on all the rest that is named here."""

    dataset: Path
    digest: str
    contender: str
    samples: int
    seed: int
    search_budget: SearchBudget
    cost: float

    @property
    def label(self) -> str:
        if isinstance(self, Refitting):
            return f"refitting {self.contender}, {self.samples} rows"
        doing = "fitting" if isinstance(self, Fitting) else "judging"
        return f"{doing} {self.contender}, {self.samples} samples, seed {self.seed}"

    @cached_property
    def id(self) -> str:
        told = {**asdict(self), "search_budget": self.search_budget.model_dump(), "version": version("kernelgap")}
        told = {name: value for name, value in told.items() if name not in ("dataset", "labels", "cost")}
        return hashlib.sha256(json.dumps([type(self).__name__, told]).encode()).hexdigest()

    def view(self) -> tuple[Dataset, View]:
        dataset = load_dataset(self.dataset)
        return dataset, dataset.view(self.samples, self.seed, self.search_budget)


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
class Refitting(Cell):
    """After the verdict, the model to keep is to learn from ``samples`` of all ``of`` rows, the test rows among them.

    ``labels`` is the file of the test rows' targets, ``about`` what else the model's file is to say, as JSON.
    """

    setting: str
    labels: Path
    labels_digest: str
    of: int
    about: str


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


@dataclass(frozen=True)
class Refitted:
    """The file of a model that learned from test rows, too."""

    seconds: float
    model: bytes


Done = Judgement | Outcome | Refitted


def work(cell: Cell, tell: Tell) -> Done:
    """Do it, wherever it is sent. The targets of the test rows are nowhere to be seen here, until all is judged."""
    began = time.perf_counter()
    if isinstance(cell, Refitting):
        content = _refit(cell)
        return Refitted(time.perf_counter() - began, content)
    dataset, view = cell.view()
    with console.silence():
        if not isinstance(cell, Fitting):
            judged = contender(cell.contender).judge(view, tell)
            return Judgement(time.perf_counter() - began, json.dumps(asdict(judged)))
        setting: Setting = json.loads(cell.setting)
        model = contender(cell.contender).fit(view, setting)
    predictions = io.BytesIO()
    np.save(predictions, model.predict(dataset.X_test))
    kept = _file(cell, dataset, model) if cell.keep_model else None
    return Outcome(time.perf_counter() - began, predictions.getvalue(), kept)


def _refit(cell: Refitting) -> bytes:
    """The chosen setting on rows of all parts. A fifth stands where validation rows did: some learn a metric first."""
    dataset = load_dataset(cell.dataset)
    X = np.concatenate([dataset.X, dataset.X_test])
    Y = np.concatenate([dataset.Y, read_arrays(cell.labels, ("Y",))["Y"]])
    rows = stream(cell.seed, "refitting").permutation(len(X))[: cell.samples]
    some, others = np.sort(rows[len(rows) // 5 :]), np.sort(rows[: len(rows) // 5])
    view = View(X[some], Y[some], X[others], Y[others], cell.seed, cell.search_budget, dataset.divisor, dataset.classes)
    with console.silence():
        model = contender(cell.contender).fit(view, json.loads(cell.setting))
    assert isinstance(model, Model)
    about = {
        "contender": cell.contender,
        "setting": json.loads(cell.setting),
        "seed": cell.seed,
        "rows": cell.samples,
        "of": cell.of,
        **json.loads(cell.about),
    }
    return to_bytes(TableModel(model, dataset.preparation, dataset.targets, about))


def _file(cell: Fitting, dataset: Dataset, model: Fitted) -> bytes | None:
    """None if no file can hold it, as with trees."""
    if not isinstance(model, Model):
        return None
    about = {
        "contender": cell.contender,
        "setting": json.loads(cell.setting),
        "seed": cell.seed,
        "rows": cell.samples,
        "of": len(dataset.X) + len(dataset.X_test),
        "validation_error": cell.validation_error,
    }
    return to_bytes(TableModel(model, dataset.preparation, dataset.targets, about))
