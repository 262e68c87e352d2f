"""From results to the answer."""

import math
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from kernelgap.audit.statistics.answer import Answer
from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.comparison import Contest, best_pair, contest, on_shared_seeds
from kernelgap.audit.statistics.curves import curves
from kernelgap.audit.statistics.features import features
from kernelgap.audit.statistics.gap import gap
from kernelgap.audit.statistics.remarks import remarks
from kernelgap.audit.statistics.results import Entry, Family, Results
from kernelgap.audit.statistics.verdict import judge

DIVERGED = 1e100  # an error that no prediction has that is of any use


def answer(results: Results, *, seed: int, rivals: Mapping[str, Family] | None = None) -> Answer:
    """The whole answer; ``seed`` is that of the resamples.

    ``rivals`` are kernels and networks that have to be tried before one of the others is ahead of them.
    """
    sane = tuple(entry for entry in results.entries if _sane(entry))
    lost = [
        f"{entry.contender} with {entry.samples:,} samples is left out: its predictions are out of all bounds."
        for entry in results.entries
        if not _sane(entry)
    ]
    whole = Results(sane, results.constant)
    pair, kept = best_pair(whole), on_shared_seeds(whole)
    bootstrap = Bootstrap(kept, seed=seed)
    both = contest(kept, bootstrap, pair)
    verdict = judge(both, _untried(results, both, rivals or {}))
    return Answer(
        constant=bootstrap.constant.interval(within=(0, np.inf)),
        curves=curves(kept, bootstrap, chosen_by=whole),
        comparison=both.comparison,
        verdict=verdict,
        gap=gap(kept, bootstrap, both),
        features=features(kept, bootstrap, both, leads=verdict.outcome == "network ahead"),
        remarks=(*remarks(kept, bootstrap, both, verdict), *lost),
    )


def as_record(answer: Answer) -> dict[str, object]:
    """Plain values, for JSON; what is infinite becomes None."""
    plain = _plain(asdict(answer))
    assert isinstance(plain, dict)
    return plain


def _untried(results: Results, contest: Contest, rivals: Mapping[str, Family]) -> dict[str, Family]:
    """Who was not tried with as many samples as are compared."""
    tried = {entry.contender for entry in results.entries if entry.samples == contest.samples}
    return {name: family for name, family in rivals.items() if name not in tried}


def _sane(entry: Entry) -> bool:
    return all(bool(np.all(np.abs(values) < DIVERGED)) for values in (entry.errors, entry.validation))


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
