"""What an audit says, as an object: numbers, tables, sentences, and the model that won."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from kernelgap.audit.models import FILE as MODEL
from kernelgap.audit.models import TableModel, load_model
from kernelgap.audit.plan import Plan
from kernelgap.audit.statistics.answer import Answer, Curve
from kernelgap.audit.statistics.answering import as_record
from kernelgap.audit.tables.notices import Notice, brief
from kernelgap.audit.tables.table import Task
from kernelgap.durations import format_duration
from kernelgap.runs.result import Run


@dataclass(frozen=True)
class Audited:
    """The table that was asked about. ``inputs`` are the columns of numbers that were made of its features."""

    source: str
    targets: tuple[str, ...]
    task: Task
    classes: tuple[str, ...]
    rows: int
    features: int
    inputs: int
    test_rows: int
    scales: tuple[float, ...]  # standard deviations of the targets, in whose units errors are; none for classes

    @classmethod
    def rebuild(cls, fields: dict[str, Any]) -> "Audited":
        """From a JSON file, where tuples are lists."""
        plain: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in fields.items()}
        return cls(**plain)


@dataclass(frozen=True, kw_only=True)
class Audit(Run):
    """The answer on a table.

    ``table`` has a row for each contender, number of samples and seed: its setting, validation error and seconds;
    ``data`` says what was audited, and ``asked`` with which options. ``unfinished`` are those of the ``planned`` parts
    that failed, or that the budget left no time for. ``budget`` is that of the last call, in seconds. ``winner`` is
    whose model is kept; it learned from ``model_rows`` rows of the table, of all if there was time, while its errors
    here are those of a model that had not seen the test rows.
    """

    kind = "audit"
    part = "part"

    data: Audited
    asked: dict[str, Any]
    notices: tuple[Notice, ...]
    plan: Plan
    answer: Answer
    unfinished: tuple[str, ...]
    winner: str | None
    winner_setting: str | None
    model_rows: int | None
    budget: float

    @property
    def sentence(self) -> str:
        return self.answer.verdict.sentence

    @property
    def messages(self) -> list[str]:
        found = brief(self.notices)
        left = set(self.unfinished) - {failure.label for failure in self.failures}
        if left:
            found.append(
                f"There was no time in {format_duration(self.budget)} for {len(left)} of {self.planned} parts, planned "
                f"for {format_duration(self.plan.budget)}: the same command goes on with them."
            )
        if self.model_path is not None:
            found.append(f"The model of {self.winner} is in {self.model_path}. {self.model_sentence}")
            found.append(f"To predict: kernelgap predict {self.folder} NEW.csv")
        return found

    @property
    def verdict(self) -> str:
        """ "network ahead", "kernel ahead" or "undecided"."""
        return self.answer.verdict.outcome

    @property
    def model_path(self) -> Path | None:
        """The file of the model that won, for ``kernelgap predict``; None if there is none."""
        path = self.folder / MODEL
        return path if self.winner is not None and path.exists() else None

    def load_model(self) -> TableModel:
        """The model that won: its ``predict`` takes a data frame with the table's columns."""
        return load_model(self.folder)

    @property
    def model_sentence(self) -> str | None:
        """What the model that is kept learned from, and what its errors are; None if there is none."""
        if self.model_path is None or self.model_rows is None:
            return None
        rows, samples = self.model_rows, self.answer.comparison.samples
        if rows <= samples:
            return f"It is the model that was tested: it learned from {rows:,} of {self.data.rows:,} rows."
        some = f"all {rows:,} rows" if rows == self.data.rows else f"{rows:,} of {self.data.rows:,} rows"
        return (
            f"After the verdict it learned again, with the setting that was chosen, from {some}, test rows included. "
            f"The test error is that of the model before, which had learned from {samples:,} rows and seen no test row."
        )

    @property
    def contenders(self) -> pd.DataFrame:
        """Each contender's errors with the most samples that it got to, the best on validation first."""
        return self._rows((curve, len(curve.samples) - 1) for curve in self.answer.curves)

    def with_samples(self, samples: int) -> pd.DataFrame:
        """The contenders that have finished with so many samples, the best on validation first."""
        known = (curve for curve in self.answer.curves if samples in curve.samples)
        return self._rows((curve, curve.samples.index(samples)) for curve in known)

    def _rows(self, places: Iterable[tuple[Curve, int]]) -> pd.DataFrame:
        rows = [self._row(curve, place) for curve, place in places]
        return pd.DataFrame(rows).sort_values(
            ["samples", "validation_error"], ascending=[False, True], ignore_index=True
        )

    def _row(self, curve: Curve, place: int) -> dict[str, Any]:
        error, samples = curve.errors[place], curve.samples[place]
        fits = self.table[(self.table.contender == curve.contender) & (self.table.samples == samples)]
        row = {
            "contender": curve.contender,
            "family": curve.family,
            "samples": samples,
            "validation_error": curve.validation[place],
            "error": error.value,
            "low": error.low,
            "high": error.high,
            "r2": 1 - error.value / self.answer.constant.value if self.answer.constant.value else float("nan"),
        }
        if curve.accuracy is not None:
            row["accuracy"] = curve.accuracy[place].value
        elif len(self.data.scales) == 1:
            row["rmse"] = error.value**0.5 * self.data.scales[0]
        count, seconds = int(fits.fits.sum()), float(fits.seconds.sum())
        return {**row, "setting": fits.setting.iloc[0], "fits": count, "seconds": seconds}

    def as_record(self) -> dict[str, Any]:
        """Plain, as --json prints it."""
        return {
            "source": self.data.source,
            "targets": list(self.data.targets),
            "task": self.data.task,
            "classes": list(self.data.classes),
            "rows": self.data.rows,
            "feature_columns": self.data.features,
            "inputs": self.data.inputs,
            "test_rows": self.data.test_rows,
            "seed": self.seed,
            "folder": str(self.folder),
            "plan": self.plan.model_dump(mode="json"),
            **as_record(self.answer),
            "contenders": [
                {str(name): None if value != value else value for name, value in row.items()}
                for row in self.contenders.to_dict(orient="records")
            ],
            "fits": [{str(name): value for name, value in row.items()} for row in self.table.to_dict(orient="records")],
            "winner": self.winner,
            "model_rows": None if self.model_path is None else self.model_rows,
            "budget": self.budget,
            "model": None if self.model_path is None else str(self.model_path),
            "planned": self.planned,
            "unfinished": list(self.unfinished),
            "failures": [{"label": f.label, "error": f.error} for f in self.failures],
            "notices": [notice.as_dict() for notice in self.notices],
        }
