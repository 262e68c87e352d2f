"""The units of work: judging a contender on a sample, fitting it with the chosen setting, refitting it on all rows."""

import io
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from kernelgap.audit.contenders.registry import contender
from kernelgap.audit.contenders.view import ProgressCallback, SearchBudget, SettingErrors, View
from kernelgap.audit.dataset import Dataset, load_dataset, read_arrays
from kernelgap.audit.models import TableModel, to_bytes
from kernelgap.audit.shares import as_predicted, as_shares, best_sharpness
from kernelgap.audit.statistics.metrics import get_metric
from kernelgap.fingerprint import fingerprint
from kernelgap.models import Model
from kernelgap.seeds import stream


@dataclass(frozen=True)
class Judgement:
    """The errors of all settings, as JSON."""

    seconds: float
    content: str

    def read(self) -> SettingErrors:
        return SettingErrors(**json.loads(self.content))


@dataclass(frozen=True)
class Outcome:
    """The outputs for the test rows, and the model's file where it is wanted and can be."""

    seconds: float
    predictions: bytes
    model: bytes | None
    validation_error: float | None = None  # by a metric of the user's choice

    def outputs(self) -> Float[np.ndarray, "test k"]:
        array: np.ndarray = np.load(io.BytesIO(self.predictions), allow_pickle=False)
        return array


@dataclass(frozen=True)
class Refitted:
    """The file of a model that learned from test rows, too."""

    seconds: float
    model: bytes


Done = Judgement | Outcome | Refitted


@dataclass(frozen=True)
class AuditChunk(ABC):
    """One contender on one sample. Its identity is made of all fields except paths and the cost."""

    verb: ClassVar[str]

    dataset: Path
    digest: str
    contender: str
    samples: int
    seed: int
    search_budget: SearchBudget
    cost: float
    own: str  # the description of a contender of the user's

    @property
    def label(self) -> str:
        return f"{self.verb} {self.contender}, {self.samples} samples, seed {self.seed}"

    @cached_property
    def id(self) -> str:
        fields = {**asdict(self), "search_budget": self.search_budget.model_dump(), "version": version("kernelgap")}
        fields = {name: value for name, value in fields.items() if name not in ("dataset", "labels", "cost")}
        return fingerprint(json.dumps([type(self).__name__, fields]))

    def view(self) -> tuple[Dataset, View]:
        dataset = load_dataset(self.dataset)
        return dataset, dataset.view(self.samples, self.seed, self.search_budget)

    @abstractmethod
    def run(self, on_progress: ProgressCallback) -> Done: ...


@dataclass(frozen=True)
class Judging(AuditChunk):
    """Judge every setting on the validation rows."""

    verb = "judging"

    def run(self, on_progress: ProgressCallback) -> Judgement:
        judged = contender(self.contender, self.own).judge(self.view()[1], on_progress)
        return Judgement(0.0, json.dumps(asdict(judged)))


@dataclass(frozen=True)
class Fitting(AuditChunk):
    """Fit one setting, which had this validation error with this seed, to the whole sample."""

    verb = "fitting"

    setting: str
    validation_error: float
    metric: str | None
    keep_model: bool

    def run(self, on_progress: ProgressCallback) -> Outcome:
        dataset, view = self.view()
        model = contender(self.contender, self.own).fit(view, json.loads(self.setting))
        predictions, file, error = io.BytesIO(), None, None
        outputs = model.predict(dataset.X_test)
        if self.metric is not None:
            error, sharpness = self._by_metric(dataset, view, self.metric)
            outputs = outputs if sharpness is None else as_shares(outputs, sharpness)
        np.save(predictions, outputs)
        if self.keep_model and isinstance(model, Model):  # no file holds what users bring
            rows = len(dataset.X) + len(dataset.X_test)
            file = _model_file(self, dataset, model, rows, {"validation_error": self.validation_error})
        return Outcome(0.0, predictions.getvalue(), file, error)

    def _by_metric(self, dataset: Dataset, view: View, name: str) -> tuple[float, float | None]:
        """(the loss on the validation rows of a model that has not seen them, how sharp shares of classes are made)."""
        metric = get_metric(name, dataset.targets.task)
        model = contender(self.contender, self.own).fit(view.training_alone, json.loads(self.setting))
        outputs, sharpness = model.predict(view.X_val), None
        if metric.needs == "scores":
            sharpness = best_sharpness(outputs, view.Y_val)
            outputs = as_shares(outputs, sharpness)
        truth, predicted = as_predicted(view.Y_val, outputs, dataset.targets)
        return float(np.mean(metric.loss(truth, predicted))), sharpness


@dataclass(frozen=True)
class Refitting(AuditChunk):
    """After the verdict, fit the model to keep to ``samples`` of all ``of`` rows, the test rows among them.

    ``labels`` is the file of the test rows' targets, ``about`` more metadata for the model's file, as JSON.
    """

    verb = "refitting"

    setting: str
    labels: Path
    labels_digest: str
    of: int
    about: str

    @property
    def label(self) -> str:
        return f"refitting {self.contender}, {self.samples} rows"

    def run(self, on_progress: ProgressCallback) -> Refitted:
        """A fifth of the rows takes the place of validation rows: some contenders learn a metric with them."""
        dataset = load_dataset(self.dataset)
        X = np.concatenate([dataset.X, dataset.X_test])
        Y = np.concatenate([dataset.Y, read_arrays(self.labels, ("Y",))["Y"]])
        rows = stream(self.seed, "refitting").permutation(len(X))[: self.samples]
        train, val = np.sort(rows[len(rows) // 5 :]), np.sort(rows[: len(rows) // 5])
        budget, divisor = self.search_budget, dataset.divisor
        view = View(X[train], Y[train], X[val], Y[val], self.seed, budget, divisor, dataset.classes)
        model = contender(self.contender).fit(view, json.loads(self.setting))
        assert isinstance(model, Model)
        return Refitted(0.0, _model_file(self, dataset, model, self.of, json.loads(self.about)))


def work(chunk: AuditChunk, on_progress: ProgressCallback) -> Done:
    """Run a chunk, in whichever process. Only a refitting reads the targets of the test rows."""
    began = time.perf_counter()
    return replace(chunk.run(on_progress), seconds=time.perf_counter() - began)


def _model_file(chunk: Fitting | Refitting, dataset: Dataset, model: Model, of: int, more: Mapping[str, Any]) -> bytes:
    setting = json.loads(chunk.setting)
    about = {"contender": chunk.contender, "setting": setting, "seed": chunk.seed, "rows": chunk.samples, "of": of}
    return to_bytes(TableModel(model, dataset.preparation, dataset.targets, {**about, **more}))
