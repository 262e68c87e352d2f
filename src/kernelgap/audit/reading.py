"""Stored audits: the conclusion from the finished chunks, and the audit as an object.

Only here are predictions compared with the targets of the test rows.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import TypeAdapter
from pydantic_core import to_json

from kernelgap.audit.chunks import Judgement
from kernelgap.audit.class_report import class_report
from kernelgap.audit.contenders import registry
from kernelgap.audit.contenders.registry import family
from kernelgap.audit.dataset import FILE, LABELS, Dataset, TableInfo, load_dataset, read_arrays
from kernelgap.audit.floors import kernel_floors
from kernelgap.audit.plan import AuditPlan
from kernelgap.audit.result import Audit
from kernelgap.audit.shares import as_predicted
from kernelgap.audit.statistics.answering import answer
from kernelgap.audit.statistics.metrics import by_groups, get_metric, unit_losses
from kernelgap.audit.statistics.results import Answer, Entry, Family, Results
from kernelgap.audit.store import AuditStore, ChosenFit, FitKey
from kernelgap.audit.tables.notices import Notice
from kernelgap.durations import format_duration
from kernelgap.errors import InputError
from kernelgap.progress import Progress, silent
from kernelgap.runs.store import Failure, as_stored

_ANSWER, _TABLE = TypeAdapter(Answer), TypeAdapter(TableInfo)


def read_audit(folder: str | Path) -> Audit:
    """Read an audit from its folder, as far as it is finished.

    Parameters
    ----------
    folder
        The ``out`` of the audit.

    Returns
    -------
    The audit.

    Raises
    ------
    InputError
        If the folder holds no audit, or its file is damaged.
    """
    folder = Path(folder)
    with AuditStore.reading(folder) as store:
        if store.kind() != "audit":
            raise InputError(f"'{folder}' holds no audit.")
        store.check()
        conclusion = store.conclusion() or conclude_audit(store)
        about, finished, common = store.about(), store.finished(), store.common()
        plan, outcomes, judgements = _plan(store), store.outcomes(), store.judgements()
        with as_stored(folder):
            answered = _ANSWER.validate_json(conclusion["answer"])
            compared = {(curve.contender, samples) for curve in answered.curves for samples in curve.samples}
            if not compared <= {(key.contender, key.samples) for key in outcomes}:
                raise ValueError("its answer compares fits that are not stored")
            winner, setting = conclusion["winner"], conclusion["setting"]
            samples = conclusion.get("samples") or answered.comparison.samples
            model = None if winner is None else store.stored_model(winner, samples, setting)
            return Audit(
                **{**common, "planned": len(about["cells"])},
                table=_fits(_competing(outcomes, plan), judgements),
                data=_TABLE.validate_python(about["table"]),
                asked=about.get("asked", {}),
                notices=tuple(Notice(**notice) for notice in about["notices"]),
                plan=plan,
                answer=answered,
                unfinished=tuple(label for chunk, label in about["cells"].items() if chunk not in finished),
                winner=winner,
                winner_setting=setting,
                winner_samples=samples,
                model_rows=None if model is None else model[0],
                budget=float(about.get("budget", plan.budget)),
            )


def conclude_audit(store: AuditStore, on_progress: Progress = silent) -> dict[str, Any]:
    """The answer from all finished chunks, and whose model is kept, with which setting."""
    folder, failures, models = store.folder, store.failures(), store.models()
    with as_stored(folder):
        plan = _plan(store)
        outcomes = _competing(store.outcomes(), plan)
        data, Y_test = load_dataset(folder / FILE), read_arrays(folder / LABELS, ("Y",))["Y"]
        results = _results(outcomes, data, Y_test, plan)
        if not {"kernel", "network"} <= {entry.family for entry in results.entries}:
            if failures:
                first = failures[0]
                raise InputError(f"No kernel and network could be compared: {first.label} failed ({first.error}).")
            budget = float(store.about().get("budget", plan.budget))
            raise InputError(
                f"A budget of {format_duration(budget)} was too short for one kernel and one network: the same command "
                "goes on from where it was, or give a longer --budget."
            )
        answered = answer(results, seed=int(store.description()["seed"]), rivals=_rivals(failures))
        floors = kernel_floors(data, Y_test, answered.comparison.kernel, _settings(answered, outcomes))
        classes = None
        if data.classes and answered.best is not None:
            best = answered.best
            chosen = [
                fit for key, fit in outcomes.items() if (key.contender, key.samples) == (best.contender, best.samples)
            ]
            outputs = np.stack([fit.outcome.outputs() for fit in chosen])
            classes = class_report(best.contender, data.targets.classes, outputs, Y_test)
        answered = replace(answered, floors=tuple(floors), classes=classes)
        kept = _winner(answered, results, outcomes, models)
    return {"answer": to_json(answered, inf_nan_mode="constants").decode(), **kept}


def _plan(store: AuditStore) -> AuditPlan:
    with as_stored(store.folder, "its plan"):
        return AuditPlan(**store.description()["plan"])


def _competing(outcomes: dict[FitKey, ChosenFit], plan: AuditPlan) -> dict[FitKey, ChosenFit]:
    """Without the contenders that came first, on few samples, once a kernel and a network of the plan have finished."""
    planned = {key: fit for key, fit in outcomes.items() if key.samples in plan.sizes}
    by_size: dict[int, set[str]] = {}
    for key in planned:
        by_size.setdefault(key.samples, set()).add(family(key.contender))
    return planned if any({"kernel", "network"} <= families for families in by_size.values()) else outcomes


def _rivals(failures: Sequence[Failure]) -> dict[str, Family]:
    """The kernels and networks that must be tried before the other side is ahead: all but those that failed."""
    failed = {failure.label.partition(" ")[2].partition(",")[0] for failure in failures}
    return {n: kind for n, kind in registry.FAMILIES.items() if kind in ("kernel", "network") and n not in failed}


def _settings(answered: Answer, outcomes: Mapping[FitKey, ChosenFit]) -> dict[int, dict[str, float]]:
    """The chosen settings of the best kernel, by the number of samples."""
    kernel = answered.comparison.kernel
    return {key.samples: json.loads(fit.setting) for key, fit in outcomes.items() if key.contender == kernel}


def _winner(
    answered: Answer, results: Results, outcomes: Mapping[FitKey, ChosenFit], models: set[tuple[str, int]]
) -> dict[str, Any]:
    """Whose model is kept, with its samples and setting: the best on validation of those that a file can hold."""
    entries = [
        entry
        for entry in results.entries
        if entry.samples >= answered.comparison.samples and (entry.contender, entry.samples) in models
    ]
    if not entries:
        return {"winner": None, "setting": None, "samples": None}
    best = answered.best
    wanted = None if best is None else (best.contender, best.samples)
    kept = min(entries, key=lambda e: ((e.contender, e.samples) != wanted, float(np.mean(e.validation))))
    named = kept.contender, kept.samples
    setting = next(fit.setting for key, fit in outcomes.items() if (key.contender, key.samples) == named)
    return {"winner": kept.contender, "setting": setting, "samples": kept.samples}


def _results(
    outcomes: dict[FitKey, ChosenFit], dataset: Dataset, Y_test: Float[np.ndarray, "test k"], plan: AuditPlan
) -> Results:
    groups: dict[tuple[str, int], dict[int, ChosenFit]] = {}
    for key, fit in outcomes.items():
        groups.setdefault((key.contender, key.samples), {})[key.seed] = fit
    entries = []
    for (name, samples), by_seed in groups.items():
        seeds = sorted(by_seed)
        outputs = np.stack([by_seed[seed].outcome.outputs() for seed in seeds])
        validation = np.array([by_seed[seed].validation_error for seed in seeds])
        entries.append(
            Entry(name, family(name), samples, tuple(seeds), validation, *_tables(outputs, Y_test, dataset, plan))
        )
    constants = np.stack([dataset.constant(plan.sizes[-1], seed) for seed in range(plan.seeds)])
    constant = _tables(np.repeat(constants[:, None, :], len(Y_test), axis=1), Y_test, dataset, plan)
    return Results(tuple(entries), *constant, "test rows" if dataset.test_groups is None else "test groups")


def _tables(
    outputs: Float[np.ndarray, "seeds test k"], Y_test: Float[np.ndarray, "test k"], dataset: Dataset, plan: AuditPlan
) -> tuple[np.ndarray, np.ndarray | None]:
    """(errors, how many are wrong) for each seed and test row, or group; by a metric its losses alone."""
    groups = dataset.test_groups
    if plan.metric is not None:
        metric = get_metric(plan.metric, dataset.targets.task)
        pairs = [as_predicted(Y_test, each, dataset.targets) for each in outputs]
        return unit_losses(metric, pairs[0][0], [predicted for _, predicted in pairs], groups), None
    errors = np.sum((outputs - Y_test) ** 2, axis=2) / dataset.divisor
    wrong = (outputs.argmax(axis=2) != Y_test.argmax(axis=1)).astype(float) if dataset.classes else None
    if groups is None:
        return errors, wrong
    return by_groups(errors, groups), None if wrong is None else by_groups(wrong, groups)


def _fits(outcomes: Mapping[FitKey, ChosenFit], judgements: Mapping[FitKey, Judgement]) -> pd.DataFrame:
    """One row a fit."""
    return pd.DataFrame(
        {
            "contender": key.contender,
            "family": family(key.contender),
            "samples": key.samples,
            "seed": key.seed,
            "validation_error": fit.validation_error,
            "fits": judgements[key].read().fits,
            "seconds": judgements[key].seconds + fit.outcome.seconds,
            "setting": fit.setting,
        }
        for key, fit in sorted(outcomes.items(), key=lambda each: (each[0].samples, each[0].contender, each[0].seed))
    )
