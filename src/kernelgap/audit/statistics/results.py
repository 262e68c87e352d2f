"""The contenders' errors on every test row, for each number of samples and each seed."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from kernelgap.errors import InputError

Family = Literal["kernel", "network", "twin", "adaptive", "baseline"]


@dataclass(frozen=True)
class Entry:
    """One contender at one number of training samples, once for each seed.

    A row's error is |prediction - y|^2: the mean over the targets (each scaled to variance 1) for numbers, the sum over
    the one-hot columns for classes. ``wrong`` says which rows were taken for another class; None for numbers.
    """

    contender: str
    family: Family
    samples: int
    seeds: tuple[int, ...]
    validation: Float[np.ndarray, " seeds"]
    errors: Float[np.ndarray, "seeds rows"]
    wrong: Bool[np.ndarray, "seeds rows"] | None = None


@dataclass(frozen=True)
class Results:
    """All entries that have a finished seed.

    ``constant`` are the errors of the best constant, learned from the training rows alone.
    """

    entries: tuple[Entry, ...]
    constant: Float[np.ndarray, "seeds rows"]

    @cached_property
    def samples(self) -> tuple[int, ...]:
        """The numbers of training samples, in rising order."""
        return tuple(sorted({entry.samples for entry in self.entries}))

    @cached_property
    def contenders(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.contender for entry in self.entries))

    def entry(self, contender: str, samples: int) -> Entry:
        for entry in self.entries:
            if (entry.contender, entry.samples) == (contender, samples):
                return entry
        raise InputError(f"Nothing is known of {contender} with {samples} samples.")

    def best(self, families: Iterable[Family], samples: int) -> Entry | None:
        """The entry of these families with the least mean validation error."""
        wanted = set(families)
        entries = [e for e in self.entries if e.family in wanted and e.samples == samples]
        return min(entries, key=lambda e: float(np.mean(e.validation)), default=None)
