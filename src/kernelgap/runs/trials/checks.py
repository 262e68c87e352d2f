"""What the store holds of trials, checked column by column: a file may be damaged, or come from anyone."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired

import numpy as np
from pydantic import Field, Json, TypeAdapter
from typing_extensions import TypedDict

from kernelgap.errors import InputError

ERRORS = ("train_error", "validation_error", "test_error", "test_standard_error")

Number = Annotated[float, Field(allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=0, lt=2**63)]


class Described(TypedDict):
    """Of a trial's description, what its row in the table shows."""

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


_DESCRIPTIONS = TypeAdapter(list[Json[Described]])
_CURVES = TypeAdapter(list[Json[dict[str, list[float]]]])
_MEASURES = TypeAdapter(list[Json[dict[str, float]]])
_STATUS = TypeAdapter(list[Literal["done", "diverged", "unsolved"]])
_TEXTS = TypeAdapter(list[str])
_WHOLES = TypeAdapter(list[Whole | None])
_NUMBERS = TypeAdapter(list[float | None])


def read_descriptions(texts: Sequence[Any]) -> list[dict[str, Any]]:
    return _DESCRIPTIONS.validate_python(list(texts))  # type: ignore[return-value]


def read_curves(texts: Sequence[Any]) -> list[dict[str, list[float]]]:
    return _CURVES.validate_python(list(texts))


def read_measures(texts: Sequence[Any]) -> list[dict[str, float]]:
    return _MEASURES.validate_python(list(texts))


def check_results(results: dict[str, Sequence[Any]], ids: Sequence[Any]) -> None:
    """Refuse statuses, errors and ids that no trial ends with: errors of a trial that is done are finite."""
    _TEXTS.validate_python(list(ids), strict=True)
    _STATUS.validate_python(list(results["status"]), strict=True)
    _WHOLES.validate_python(list(results["diverged_at"]), strict=True)
    done = np.array([status == "done" for status in results["status"]], dtype=bool)
    for name in ERRORS:
        values = np.array(_NUMBERS.validate_python(list(results[name]), strict=True), dtype=float)
        wrong = np.flatnonzero(~(values >= 0) | (done & ~np.isfinite(values)))
        if len(wrong):
            row = int(wrong[0])
            raise InputError(
                f"the {name} of trial {ids[row]} is {values[row]}, and its status {results['status'][row]}"
            )
