"""An audit as an object: numbers, tables, sentences, and the model that won."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from kernelgap.audit.dataset import TableInfo
from kernelgap.audit.deploying import format_deploy, format_not_shown
from kernelgap.audit.models import FILE as MODEL
from kernelgap.audit.models import TableModel, load_model
from kernelgap.audit.plan import AuditPlan
from kernelgap.audit.statistics.answering import as_record
from kernelgap.audit.statistics.metrics import Metric, get_metric
from kernelgap.audit.statistics.results import Answer, Curve
from kernelgap.audit.tables.notices import Notice, brief
from kernelgap.durations import format_duration
from kernelgap.runs.result import Run


@dataclass(frozen=True, kw_only=True, repr=False)
class Audit(Run):
    """The answer on a table.

    Attributes
    ----------
    table
        A row for each contender, number of samples and seed: its setting, validation error and seconds.
    data, asked
        The table that was audited, and the options.
    notices
        Decisions made about the table, a sentence each.
    plan
        Numbers of samples, seeds and fits.
    answer
        Verdict with reasons, curves, the kernel gap, the worth of learned features.
    unfinished
        Those of the ``planned`` parts that failed, or that the budget left no time for.
    winner, winner_setting, winner_samples
        The contender whose model is kept, its setting as JSON, and the samples that it was tested with; None if there
        is none.
    model_rows : the rows that the kept model learned from, the test rows among them if there was time. Its errors here
        are those of a model that had not seen the test rows.
    budget
        Of the last call, in seconds.
    """

    kind = "audit"
    part = "part"

    data: TableInfo
    asked: dict[str, Any]
    notices: tuple[Notice, ...]
    plan: AuditPlan
    answer: Answer
    unfinished: tuple[str, ...]
    winner: str | None
    winner_setting: str | None
    winner_samples: int
    model_rows: int | None
    budget: float

    @property
    def sentence(self) -> str:
        return self.answer.verdict.sentence

    @property
    def deploy(self) -> str:
        """Which model to deploy, and how well it does on rows that it has not seen."""
        return format_deploy(self.answer, self.data, self.metric)

    @property
    def not_shown(self) -> list[str]:
        """What the audit leaves open about the model to deploy, a sentence each."""
        return format_not_shown(self.answer, None if self.model_path is None else self.winner)

    @property
    def messages(self) -> list[str]:
        messages = brief(self.notices)
        if left := self.without_time:
            messages.append(
                f"There was no time in {format_duration(self.budget)} for {len(left)} of {self.planned} parts, planned "
                f"for {format_duration(self.plan.budget)}: the same command goes on with them."
            )
        if self.model_path is not None:
            messages.append(f"The model of {self.winner} is in {self.model_path}. {self.model_sentence}")
            messages.append(f"To predict: kernelgap predict {self.folder} NEW.csv")
        return messages

    @property
    def without_time(self) -> list[str]:
        """The parts that the budget left no time for."""
        failed = {failure.label for failure in self.failures}
        return [label for label in self.unfinished if label not in failed]

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
        """The rows that the kept model learned from, and whose errors are stated; None without a model."""
        if self.model_path is None or self.model_rows is None:
            return None
        rows, samples = self.model_rows, self.winner_samples
        if rows <= samples:
            return f"It is the model that was tested: it learned from {rows:,} of {self.data.rows:,} rows."
        some = f"all {rows:,} rows" if rows == self.data.rows else f"{rows:,} of {self.data.rows:,} rows"
        return (
            f"After the verdict it learned again, with the setting that was chosen, from {some}, test rows included. "
            f"The test error is that of the model before, which had learned from {samples:,} rows and seen no test row."
        )

    @cached_property
    def metric(self) -> Metric | None:
        """What contenders were chosen by and compared in; None for squared errors."""
        return None if self.plan.metric is None else get_metric(self.plan.metric, self.data.task)

    @property
    def measures(self) -> list[str]:
        """The measures of a contender beside its error, columns of ``contenders``."""
        if self.metric is not None:
            return [self.metric.name]
        if self.data.task == "classification":
            return ["accuracy"]
        return ["r2", "rmse"] if len(self.data.scales) == 1 else ["r2"]

    @property
    def contenders(self) -> pd.DataFrame:
        """Each contender's errors with the most samples that it got to, the best on validation first."""
        return self._rows((curve, len(curve.samples) - 1) for curve in self.answer.curves)

    def with_samples(self, samples: int) -> pd.DataFrame:
        """The contenders that have finished with this number of samples, the best on validation first."""
        known = (curve for curve in self.answer.curves if samples in curve.samples)
        return self._rows((curve, curve.samples.index(samples)) for curve in known)

    def _rows(self, places: Iterable[tuple[Curve, int]]) -> pd.DataFrame:
        rows = pd.DataFrame(self._row(curve, place) for curve, place in places)
        return rows.sort_values(["samples", "validation_error"], ascending=[False, True], ignore_index=True)

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
        }
        if self.metric is not None:
            row[self.metric.name] = self.metric.shown(error.value)
        else:
            row["r2"] = 1 - error.value / self.answer.constant.value if self.answer.constant.value else float("nan")
        if curve.accuracy is not None:
            row["accuracy"] = curve.accuracy[place].value
        elif len(self.data.scales) == 1 and self.metric is None:
            row["rmse"] = error.value**0.5 * self.data.scales[0]
        count, seconds = int(fits.fits.sum()), float(fits.seconds.sum())
        return {**row, "setting": fits.setting.iloc[0], "fits": count, "seconds": seconds}

    def as_record(self) -> dict[str, Any]:
        """Plain values, as --json prints them."""
        data, contenders = asdict(self.data), self.contenders.to_dict(orient="records")
        return {
            **{name: data[name] for name in ("source", "task", "rows", "inputs", "test_rows")},
            "targets": list(self.data.targets),
            "classes": list(self.data.classes),
            "feature_columns": self.data.features,
            "seed": self.seed,
            "folder": str(self.folder),
            "plan": self.plan.model_dump(mode="json"),
            "deploy": self.deploy,
            "not_shown": self.not_shown,
            **as_record(self.answer),
            "contenders": [{name: None if v != v else v for name, v in row.items()} for row in contenders],
            "fits": self.table.to_dict(orient="records"),
            "winner": self.winner,
            "model_rows": None if self.model_path is None else self.model_rows,
            "budget": self.budget,
            "model": None if self.model_path is None else str(self.model_path),
            "planned": self.planned,
            "unfinished": list(self.unfinished),
            "failures": [{"label": f.label, "error": f.error} for f in self.failures],
            "notices": [asdict(notice) for notice in self.notices],
        }
