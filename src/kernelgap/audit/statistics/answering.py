"""From results to the answer."""

import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from pydantic_core import to_json

from kernelgap.audit.statistics.best import best_model
from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.comparison import best_pair, on_shared_seeds, paired_errors
from kernelgap.audit.statistics.features import features
from kernelgap.audit.statistics.gap import gap
from kernelgap.audit.statistics.remarks import remarks
from kernelgap.audit.statistics.results import Answer, Curve, Entry, Family, Results
from kernelgap.audit.statistics.verdict import judge

DIVERGED = 1e100  # an error that no prediction has that is of any use


def answer(results: Results, *, seed: int, rivals: Mapping[str, Family] | None = None) -> Answer:
    """The whole answer; ``seed`` is that of the resamples.

    ``rivals`` are kernels and networks that have to be tried before the other side is ahead of them.
    """
    sane = replace(results, entries=tuple(entry for entry in results.entries if _is_sane(entry)))
    left_out = [
        f"{entry.contender} with {entry.samples:,} samples is left out: its predictions are out of all bounds."
        for entry in results.entries
        if not _is_sane(entry)
    ]
    pair, shared = best_pair(sane), on_shared_seeds(sane)
    bootstrap = Bootstrap(shared, seed=seed)
    compared = paired_errors(shared, bootstrap, pair)
    tried = {entry.contender for entry in results.entries if entry.samples == compared.samples}
    untried = {name: family for name, family in (rivals or {}).items() if name not in tried}
    verdict, constant_accuracy = judge(compared, untried), bootstrap.constant_accuracy
    return Answer(
        constant=bootstrap.constant.interval(within=(0, np.inf)),
        curves=tuple(_curve(name, shared, bootstrap, sane) for name in sorted(shared.contenders)),
        comparison=compared.comparison,
        verdict=verdict,
        gap=gap(shared, bootstrap, compared),
        features=features(shared, bootstrap, compared, leads=verdict.outcome == "network ahead"),
        remarks=(*remarks(shared, bootstrap, compared, verdict), *left_out),
        constant_accuracy=None if constant_accuracy is None else constant_accuracy.interval(within=(0, 1)),
        best=best_model(shared, bootstrap, compared.samples),
    )


def as_record(answer: Answer) -> dict[str, object]:
    """Plain values, for JSON; what is infinite becomes None."""
    record: dict[str, object] = json.loads(to_json(answer, inf_nan_mode="null"))
    return record


def _curve(name: str, results: Results, bootstrap: Bootstrap, chosen_by: Results) -> Curve:
    """One contender's error over the numbers of samples; validation errors over all finished seeds."""
    entries = sorted((e for e in results.entries if e.contender == name), key=lambda e: e.samples)
    errors = [bootstrap.error(entry) for entry in entries]
    accuracies = [accuracy for entry in entries if (accuracy := bootstrap.accuracy(entry)) is not None]
    return Curve(
        contender=name,
        family=entries[0].family,
        samples=tuple(entry.samples for entry in entries),
        errors=tuple(error.interval(within=(0, np.inf)) for error in errors),
        by_seed=tuple(error.by_seed for error in errors),
        validation=tuple(float(np.mean(chosen_by.entry(name, entry.samples).validation)) for entry in entries),
        accuracy=tuple(a.interval(within=(0, 1)) for a in accuracies) if len(accuracies) == len(entries) else None,
    )


def _is_sane(entry: Entry) -> bool:
    return all(bool(np.all(np.abs(values) < DIVERGED)) for values in (entry.errors, entry.validation))
