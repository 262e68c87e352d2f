"""Stored audits: the conclusion from the finished chunks, and the audit as an object.

Only here are predictions compared with the targets of the test rows.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import TypeAdapter
from pydantic_core import to_json

from kernelgap.audit.chunks import Judgement
from kernelgap.audit.contenders import registry
from kernelgap.audit.contenders.registry import family
from kernelgap.audit.dataset import FILE, LABELS, Dataset, TableInfo, load_dataset, read_arrays
from kernelgap.audit.plan import AuditPlan
from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.answering import answer
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
            model = None if winner is None else store.stored_model(winner, answered.comparison.samples, setting)
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
        winner, setting = _winner(answered, results, outcomes, models)
    return {"answer": to_json(answered, inf_nan_mode="constants").decode(), "winner": winner, "setting": setting}


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


def _winner(
    answered: Answer, results: Results, outcomes: Mapping[FitKey, ChosenFit], models: set[tuple[str, int]]
) -> tuple[str | None, str | None]:
    """Whose model is kept, and its setting: the leader's, or without one that of the least validation error.

    Linear and adaptive models count, too; trees do not, as no file holds them.
    """
    comparison = answered.comparison
    samples = comparison.samples
    winner = {"network ahead": comparison.network, "kernel ahead": comparison.kernel}.get(answered.verdict.outcome)
    if winner is None:
        entries = [e for e in results.entries if e.samples == samples and (e.contender, samples) in models]
        best = min(entries, key=lambda e: float(np.mean(e.validation)), default=None)
        winner = None if best is None else best.contender
    if winner is None or (winner, samples) not in models:
        return None, None
    return winner, next(fit.setting for k, fit in outcomes.items() if (k.contender, k.samples) == (winner, samples))


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
        errors = _errors(outputs, Y_test, dataset.divisor)
        validation = np.array([by_seed[seed].validation_error for seed in seeds])
        wrong = outputs.argmax(axis=2) != Y_test.argmax(axis=1) if dataset.classes else None
        entries.append(Entry(name, family(name), samples, tuple(seeds), validation, errors, wrong))
    constants = np.stack([dataset.constant(plan.sizes[-1], seed) for seed in range(plan.seeds)])
    return Results(tuple(entries), _errors(constants[:, None, :], Y_test, dataset.divisor))


def _errors(
    outputs: Float[np.ndarray, "seeds _ k"], Y_test: Float[np.ndarray, "test k"], divisor: int
) -> Float[np.ndarray, "seeds test"]:
    return np.sum((outputs - Y_test) ** 2, axis=2) / divisor


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
