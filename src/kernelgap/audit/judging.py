"""The finished cells against the test rows' targets: the one place where these are looked at."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from kernelgap.audit.cell import Judgement
from kernelgap.audit.contenders import registry
from kernelgap.audit.contenders.registry import family
from kernelgap.audit.dataset import FILE, LABELS, Material, load_material, read_arrays
from kernelgap.audit.plan import Plan
from kernelgap.audit.result import Audit, Audited
from kernelgap.audit.statistics.answer import Answer
from kernelgap.audit.statistics.answering import answer
from kernelgap.audit.statistics.results import Entry, Family, Results
from kernelgap.audit.store import Chosen, Ledger, Named
from kernelgap.audit.tables.notices import Notice
from kernelgap.durations import format_duration
from kernelgap.errors import InputError
from kernelgap.runs.run_file import Failure, as_stored


def read_audit(folder: str | Path) -> Audit:
    """What the audit in a folder says, as far as it is finished."""
    folder = Path(folder)
    with Ledger.reading(folder) as ledger:
        description, about = ledger.description(), ledger.about()
        outcomes, judgements, models = ledger.outcomes(), ledger.judgements(), ledger.models()
        failures, finished = tuple(ledger.failures()), ledger.finished()
    if description.get("experiment") != "audit":
        raise InputError(f"'{folder}' holds no audit.")
    with as_stored(folder):
        return _audit(folder, description, about, outcomes, judgements, models, failures, finished)


def _audit(
    folder: Path,
    description: dict[str, Any],
    about: dict[str, Any],
    outcomes: dict[Named, Chosen],
    judgements: dict[Named, Judgement],
    models: set[tuple[str, int]],
    failures: tuple[Failure, ...],
    finished: set[str],
) -> Audit:
    plan = Plan(**description["plan"])
    outcomes = _telling(outcomes, plan)
    results = _results(outcomes, load_material(folder / FILE), read_arrays(folder / LABELS, ("Y",))["Y"], plan)
    found = {entry.family for entry in results.entries}
    budget = float(about.get("budget", plan.budget))
    if not {"kernel", "network"} <= found and failures:
        raise InputError(f"No kernel and network could be compared: {failures[0].label} failed ({failures[0].error}).")
    if not {"kernel", "network"} <= found:
        raise InputError(
            f"A budget of {format_duration(budget)} was too short for one kernel and one network: the same command "
            "goes on from where it was, or give a longer --budget."
        )
    answered = answer(results, seed=int(description["seed"]), rivals=_rivals(failures))
    missing = tuple(label for chunk, label in about["cells"].items() if chunk not in finished)
    winner, setting = _winner(answered, results, outcomes, models)
    rows = None
    if winner is not None and setting is not None:
        with Ledger.reading(folder) as ledger:
            kept = ledger.kept(winner, answered.comparison.samples, setting)
        rows = None if kept is None else kept[0]
    return Audit(
        folder=folder,
        table=Audited.rebuild(about["table"]),
        notices=tuple(Notice(**notice) for notice in about["notices"]),
        plan=plan,
        seed=int(description["seed"]),
        answer=answered,
        fits=_fits(outcomes, judgements),
        planned=len(about["cells"]),
        unfinished=missing,
        failures=failures,
        winner=winner,
        winner_setting=setting,
        model_rows=rows,
        budget=budget,
    )


def _telling(outcomes: dict[Named, Chosen], plan: Plan) -> dict[Named, Chosen]:
    """Without those who came first, on few samples, as soon as a kernel and a network of the plan have finished."""
    planned = {named: chosen for named, chosen in outcomes.items() if named.samples in plan.sizes}
    by_size: dict[int, set[str]] = {}
    for named in planned:
        by_size.setdefault(named.samples, set()).add(family(named.contender))
    return planned if any({"kernel", "network"} <= found for found in by_size.values()) else outcomes


def _rivals(failures: Sequence[Failure]) -> dict[str, Family]:
    """The kernels and networks that have to be tried before one of the others is ahead: all but those that failed."""
    failed = {failure.label.partition(" ")[2].partition(",")[0] for failure in failures}
    return {n: kind for n, kind in registry.FAMILIES.items() if kind in ("kernel", "network") and n not in failed}


def _winner(
    answered: Answer, results: Results, outcomes: Mapping[Named, Chosen], models: set[tuple[str, int]]
) -> tuple[str | None, str | None]:
    """Whose model is worth keeping, and its setting: the verdict's, or without one who has the least validation error.

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
    return winner, next(c.setting for n, c in outcomes.items() if (n.contender, n.samples) == (winner, samples))


def _results(
    outcomes: dict[Named, Chosen], material: Material, Y_test: Float[np.ndarray, "test k"], plan: Plan
) -> Results:
    groups: dict[tuple[str, int], dict[int, Chosen]] = {}
    for named, chosen in outcomes.items():
        groups.setdefault((named.contender, named.samples), {})[named.seed] = chosen
    entries = []
    for (name, samples), by_seed in groups.items():
        seeds = sorted(by_seed)
        outputs = np.stack([by_seed[seed].outcome.outputs() for seed in seeds])
        entries.append(
            Entry(
                contender=name,
                family=family(name),
                samples=samples,
                seeds=tuple(seeds),
                validation=np.array([by_seed[seed].validation_error for seed in seeds]),
                errors=_errors(outputs, Y_test, material.divisor),
                wrong=outputs.argmax(axis=2) != Y_test.argmax(axis=1) if material.classes else None,
            )
        )
    constants = np.stack([material.constant(plan.sizes[-1], seed) for seed in range(plan.seeds)])
    return Results(tuple(entries), _errors(constants[:, None, :], Y_test, material.divisor))


def _errors(
    outputs: Float[np.ndarray, "seeds _ k"], Y_test: Float[np.ndarray, "test k"], divisor: int
) -> Float[np.ndarray, "seeds test"]:
    return np.sum((outputs - Y_test) ** 2, axis=2) / divisor


def _fits(outcomes: Mapping[Named, Chosen], judgements: Mapping[Named, Judgement]) -> pd.DataFrame:
    rows = []
    for named, chosen in sorted(outcomes.items(), key=lambda each: (each[0].samples, each[0].contender, each[0].seed)):
        judged = judgements[named]
        rows.append(
            {
                "contender": named.contender,
                "family": family(named.contender),
                "samples": named.samples,
                "seed": named.seed,
                "validation_error": chosen.validation_error,
                "fits": judged.read().fits,
                "seconds": judged.seconds + chosen.outcome.seconds,
                "setting": chosen.setting,
            }
        )
    return pd.DataFrame(rows)
