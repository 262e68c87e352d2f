"""What is stored of the trials, as one table."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from kernelgap import problems
from kernelgap.runs.trials.checks import check_results, read_curves, read_descriptions, read_measures
from kernelgap.runs.trials.gc_paused import gc_paused
from kernelgap.runs.trials.trial import method_of

if TYPE_CHECKING:
    import pandas as pd  # late, since workers do without it

RESULTS = ("status", "train_error", "validation_error", "test_error", "test_standard_error", "diverged_at")
WORDS = ("network", "mode", "kernel", "recipe")  # what a method is called by
NUMBERS = ("width", "samples", "seed", "rate", "decay", "ridge")
TYPES: dict[str, Any] = {"width": "Int64", "diverged_at": "Int64", "rate": float, "decay": float, "ridge": float}
ORDER = ["method", "problem", "width", "kernel", "seed", "rate", "decay", "ridge", "trial"]


def trials_table(rows: Iterable[tuple[Any, ...]]) -> "pd.DataFrame":
    """One row a trial from (description, *results, id, curves, measures), sorted by what was described."""
    with gc_paused():
        table = _unsorted(list(rows))
    text = table.assign(kernel=table.kernel.fillna(""))
    return table.loc[text.sort_values(ORDER).index].reset_index(drop=True)


def check_rows(rows: Sequence[tuple[Any, ...]]) -> None:
    """Refuse rows of (description, *results, id, curves) of which no table can be made."""
    if rows:
        descriptions, *results, ids, curves = zip(*rows, strict=True)
        _methods(read_descriptions(descriptions))
        check_results(dict(zip(RESULTS, results, strict=True)), ids)
        read_curves(curves)


def _methods(trials: Sequence[dict[str, Any]]) -> list[str]:
    return [method_of(trial["kind"], *(trial.get(word) for word in WORDS)) for trial in trials]


def _unsorted(rows: Sequence[tuple[Any, ...]]) -> "pd.DataFrame":
    import pandas as pd

    if not rows:
        return pd.DataFrame(columns=ORDER)
    descriptions, *results, ids, curves, measures = zip(*rows, strict=True)
    trials = read_descriptions(descriptions)
    check_results(dict(zip(RESULTS, results, strict=True)), ids)
    words = [[trial.get(word) for trial in trials] for word in WORDS]
    kinds, stated = ([trial[name] for trial in trials] for name in ("kind", "problem"))
    columns = {
        "method": _methods(trials),
        "kind": kinds,
        **dict(zip(WORDS[:3], words, strict=False)),
        "problem": stated,
        "beta": list(map(cache(lambda problem: problems.get(problem).beta), stated)),
        **{name: [trial.get(name) for trial in trials] for name in NUMBERS},
        **dict(zip(RESULTS, results, strict=True)),
        "trial": ids,
        "curves": read_curves(curves),
    }
    measured = pd.DataFrame(read_measures(measures))
    return pd.DataFrame(columns).astype(TYPES).join(measured)
