"""A chunk: trials that are fitted together, such as the rates x decays grid of one network, width and seed.

The unit of work and of storage.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from pydantic_core import from_json, to_json

from kernelgap.sweeps.trial import AnyTrial
from kernelgap.sweeps.uncollected import uncollected
from kernelgap.sweeps.written import digest

Row = tuple[str, str, float, float, float, float, int | None, str, str]  # the fields of a TrialResult, dicts as JSON


@dataclass(frozen=True)
class Chunk:
    """Trials that are fitted together, in the order of what is searched."""

    trials: tuple[AnyTrial, ...]

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
    """What came of one trial. ``status`` is "done", "diverged" (SGD) or "unsolved" (conjugate gradients).

    The errors of a trial that is not done are infinite. ``measures`` are further numbers by name, such as the Frobenius
    norm of W (``norm``); each becomes a column of the results.
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

    @property
    def row(self) -> Row:
        return (
            self.trial_id,
            self.status,
            self.train_error,
            self.validation_error,
            self.test_error,
            self.test_standard_error,
            self.diverged_at,
            to_json(self.curves).decode(),
            to_json(self.measures).decode(),
        )

    @classmethod
    def from_row(cls, row: Row) -> "TrialResult":
        return cls(*row[:7], curves=from_json(row[7]), measures=from_json(row[8]))


@dataclass(frozen=True)
class ChunkResult:
    """What came of a chunk, as rows: its worker writes them, the store keeps them, and the coordinator hands them on."""

    chunk_id: str
    seconds: float
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, chunk_id: str, seconds: float, results: Iterable[TrialResult]) -> "ChunkResult":
        return cls(chunk_id, seconds, tuple(result.row for result in results))

    @cached_property
    def results(self) -> tuple[TrialResult, ...]:
        return tuple(TrialResult.from_row(row) for row in self.rows)


def plan_chunks(trials: Iterable[AnyTrial]) -> list[Chunk]:
    """Trials into chunks, by their descriptions alone; costly chunks first, so that the last ones are short."""
    together: dict[str, dict[str, AnyTrial]] = {}
    with uncollected():
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
