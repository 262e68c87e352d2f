"""Stored trials as one table. Every column is checked: a file may be damaged, or come from anyone."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

import numpy as np
from pydantic import Field, Json, TypeAdapter
from typing_extensions import TypedDict

from kernelgap import problems
from kernelgap.errors import InputError
from kernelgap.runs.trials.trial import method_of

if TYPE_CHECKING:
    import pandas as pd  # late, since workers do without it

ERRORS = ("train_error", "validation_error", "test_error", "test_standard_error")
RESULTS = ("status", *ERRORS, "diverged_at")
NAMES = ("network", "mode", "kernel", "recipe")  # from which a method is named
NUMBERS = ("width", "samples", "seed", "rate", "decay", "ridge")
TYPES: dict[str, Any] = {"width": "Int64", "diverged_at": "Int64", "rate": float, "decay": float, "ridge": float}
ORDER = ["method", "problem", "width", "kernel", "seed", "rate", "decay", "ridge", "trial"]

Number = Annotated[float, Field(allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=0, lt=2**63)]


class TrialColumns(TypedDict):
    """The part of a trial's description that its row in the table shows."""

    kind: Literal["sgd", "ridge", "built"]
    problem: str
    samples: Whole
    seed: Whole
    network: NotRequired[str | None]
    mode: NotRequired[str | None]
    kernel: NotRequired[str | None]
    recipe: NotRequired[str | None]
    width: NotRequired[Whole | None]
    rate: NotRequired[Number | None]
    decay: NotRequired[Number | None]
    ridge: NotRequired[Number | None]


_DESCRIPTIONS: TypeAdapter[list[Any]] = TypeAdapter(list[Json[TrialColumns]])
_CURVES = TypeAdapter(list[Json[dict[str, list[float]]]])
_MEASURES = TypeAdapter(list[Json[dict[str, float]]])
_COLUMNS: dict[str, TypeAdapter[Any]] = {
    "trial": TypeAdapter(list[str]),
    "status": TypeAdapter(list[Literal["done", "diverged", "unsolved"]]),
    "diverged_at": TypeAdapter(list[Whole | None]),
    **dict.fromkeys(ERRORS, TypeAdapter(list[float | None])),
}


def trials_table(rows: Iterable[tuple[Any, ...]]) -> "pd.DataFrame":
    """One row a trial from (description, *results, id, curves, measures), sorted by the description."""
    import pandas as pd

    rows = list(rows)
    if not rows:
        return pd.DataFrame(columns=ORDER)
    *checked, measures = zip(*rows, strict=True)
    columns = _checked_columns(*checked)
    table = pd.DataFrame(columns).astype(TYPES).join(pd.DataFrame(_MEASURES.validate_python(list(measures))))
    text = table.assign(kernel=table.kernel.fillna(""))
    return table.loc[text.sort_values(ORDER).index].reset_index(drop=True)


def check_rows(rows: Sequence[tuple[Any, ...]]) -> None:
    """Refuse rows of (description, *results, id, curves) of which no table can be made."""
    if rows:
        _checked_columns(*zip(*rows, strict=True))


def _checked_columns(descriptions: Sequence[Any], *rest: Sequence[Any]) -> dict[str, Sequence[Any]]:
    *results, ids, curves = rest
    trials = _DESCRIPTIONS.validate_python(list(descriptions))
    measured = dict(zip((*RESULTS, "trial"), (*results, ids), strict=True))
    _check_results(measured)
    stated = [trial["problem"] for trial in trials]
    return {
        "method": [method_of(trial["kind"], *(trial.get(name) for name in NAMES)) for trial in trials],
        **{name: [trial.get(name) for trial in trials] for name in ("kind", *NAMES[:3])},
        "problem": stated,
        "beta": list(map(cache(lambda problem: problems.get(problem).beta), stated)),
        **{name: [trial.get(name) for trial in trials] for name in NUMBERS},
        **measured,
        "curves": _CURVES.validate_python(list(curves)),
    }


def _check_results(results: dict[str, Sequence[Any]]) -> None:
    """Refuse statuses, errors and ids that no trial ends with: errors of a trial that is done are finite."""
    for name, column in _COLUMNS.items():
        column.validate_python(list(results[name]), strict=True)
    done = np.array([status == "done" for status in results["status"]], dtype=bool)
    for name in ERRORS:
        values = np.array(results[name], dtype=float)
        wrong = np.flatnonzero(~(values >= 0) | (done & ~np.isfinite(values)))
        if len(wrong):
            row = int(wrong[0])
            status = results["status"][row]
            raise InputError(f"the {name} of trial {results['trial'][row]} is {values[row]}, and its status {status}")
