"""A chunk: trials that are fitted together, such as the rates x decays grid of one network, width and seed.

The unit of work and of storage.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic_core import from_json, to_json

from kernelgap.runs.trials.identity import digest
from kernelgap.runs.trials.trial import AnyTrial

Row = tuple[Any, ...]  # id, chunk, description, and the other fields of a TrialResult; what is no number is text


@dataclass(frozen=True)
class Chunk:
    """Trials that are fitted together.

    Parameters
    ----------
    trials
        Trials that differ in what is searched alone, in its order.
    keep_weights
        Whether the run is to keep weights of the networks among them. No part of the identity.
    """

    trials: tuple[AnyTrial, ...]
    keep_weights: bool = True

    @cached_property
    def trial_ids(self) -> tuple[str, ...]:
        return tuple(trial.id for trial in self.trials)

    @cached_property
    def id(self) -> str:
        return digest(list(self.trial_ids))

    @property
    def label(self) -> str:
        return self.trials[0].label

    @cached_property
    def cost(self) -> float:
        """Multiplications, roughly. For the order of work and progress."""
        return self.trials[0].cost * len(self.trials)


@dataclass(frozen=True)
class TrialResult:
    """What came of one trial.

    Attributes
    ----------
    trial_id
        The id of the trial.
    status
        "done", "diverged" (SGD) or "unsolved" (conjugate gradients).
    train_error, validation_error, test_error
        Mean squared errors; infinite if the trial is not done.
    test_standard_error
        The standard error of the test error.
    diverged_at
        The epoch at which SGD was seen to diverge; None if it did not.
    curves
        The ``epochs`` at which SGD was evaluated, and the errors there by name, as far as they are finite. Empty for
        other trials.
    measures
        Further numbers by name, such as the Frobenius norm of W (``norm``); each becomes a column of the results.
    weights
        The weights of the network, as a safetensors file. None for the modes "last" and "ntk", where they are too large
        to keep, and where only those of the chunk's best network are kept.
    """

    trial_id: str
    status: str
    train_error: float
    validation_error: float
    test_error: float
    test_standard_error: float
    diverged_at: int | None = None
    curves: dict[str, list[float]] = field(default_factory=dict, repr=False)
    measures: dict[str, float] = field(default_factory=dict)
    weights: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ChunkResult:
    """What came of a chunk, as rows: its worker writes them, the store keeps them, the coordinator hands them on.

    Attributes
    ----------
    chunk_id
        The id of the chunk.
    seconds
        How long the work took.
    rows
        A row for each trial, as the store keeps it; ``results`` makes each a ``TrialResult``.
    weights
        The weights that are kept, as safetensors files by the id of their trial.
    """

    chunk_id: str
    seconds: float
    rows: tuple[Row, ...]
    weights: dict[str, bytes] = field(default_factory=dict, repr=False)  # by the trial's id

    @classmethod
    def of(cls, chunk: Chunk, seconds: float, results: Iterable[TrialResult]) -> "ChunkResult":
        by_id, results = dict(zip(chunk.trial_ids, chunk.trials, strict=True)), tuple(results)
        rows = tuple(_row(chunk, by_id[result.trial_id], result) for result in results)
        return cls(chunk.id, seconds, rows, {r.trial_id: r.weights for r in results if r.weights is not None})

    @cached_property
    def results(self) -> tuple[TrialResult, ...]:
        return tuple(_result(self.weights.get(row[0]), *row) for row in self.rows)


def _row(chunk: Chunk, trial: AnyTrial, result: TrialResult) -> Row:
    errors = (result.train_error, result.validation_error, result.test_error, result.test_standard_error)
    finite = all(math.isfinite(error) for error in errors)
    return (
        result.trial_id,
        chunk.id,
        trial.as_json,
        result.status if finite or result.status != "done" else "diverged",  # it overflows on other samples
        *(math.inf if math.isnan(error) else error for error in errors),
        result.diverged_at,
        to_json(result.curves).decode(),
        to_json(result.measures).decode(),
    )


def _result(weights: bytes | None, trial_id: str, chunk: str, description: str, status: str, *rest: Any) -> TrialResult:
    *numbers, curves, measures = rest
    return TrialResult(trial_id, status, *[*numbers, from_json(curves), from_json(measures), weights])


def plan_chunks(trials: Iterable[AnyTrial]) -> list[Chunk]:
    """Trials into chunks, by their descriptions alone; costly chunks first, so that the last ones are short.

    Parameters
    ----------
    trials
        Trials of any kinds, in any order; a trial that occurs twice is fitted once.

    Returns
    -------
    The chunks: trials that differ in what is searched alone are in the same one.
    """
    together: dict[str, dict[str, AnyTrial]] = {}
    for trial in trials:
        identity, common = trial.identities
        together.setdefault(common, {})[identity] = trial
    chunks = [_chunk(group) for group in together.values()]
    return sorted(chunks, key=lambda chunk: (-chunk.cost, chunk.id))


def _chunk(group: dict[str, AnyTrial]) -> Chunk:
    ordered = sorted(group.items(), key=lambda entry: _searched(entry[1]))
    chunk = Chunk(tuple(trial for _, trial in ordered))
    chunk.__dict__["trial_ids"] = tuple(identity for identity, _ in ordered)  # they are known: not to be hashed again
    return chunk


def _searched(trial: AnyTrial) -> tuple[float, ...]:
    return tuple(getattr(trial, name) for name in trial.searched)
