"""The contenders' errors on every test row, and the answer that comes of them, in plain numbers and sentences."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from kernelgap.errors import InputError

Family = Literal["kernel", "network", "twin", "adaptive", "baseline"]
FROZEN: Family = "twin"  # a network's own kernel, frozen at its random start
Outcome = Literal["network ahead", "kernel ahead", "undecided"]
GapKind = Literal["interpolated", "extrapolated", "out of reach", "below", "none"]


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
    wrong: Bool[np.ndarray, "seeds rows"] | Float[np.ndarray, "seeds rows"] | None = None


@dataclass(frozen=True)
class Results:
    """All entries that have a finished seed.

    ``constant`` are the errors of the best constant, learned from the training rows alone; ``constant_wrong`` are the
    rows that are not of its class.
    """

    entries: tuple[Entry, ...]
    constant: Float[np.ndarray, "seeds rows"]
    constant_wrong: Bool[np.ndarray, "seeds rows"] | Float[np.ndarray, "seeds rows"] | None = None
    units: str = "test rows"  # or groups of them

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


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95% interval (``Resampled`` says how it is made); an end may be infinite."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """One contender's test error over the numbers of training samples: means over seeds and rows."""

    contender: str
    family: Family
    samples: tuple[int, ...]
    errors: tuple[Interval, ...]
    by_seed: tuple[tuple[float, ...], ...]
    validation: tuple[float, ...]
    accuracy: tuple[Interval, ...] | None


@dataclass(frozen=True)
class BestPair:
    """Best kernel and best network with the same samples.

    ``difference`` is kernel less network: above 0 the network leads. ``ratio`` is the kernel's error over the
    network's; ``accuracy_difference`` is network less kernel.
    """

    kernel: str
    network: str
    samples: int
    kernel_error: Interval
    network_error: Interval
    difference: Interval
    by_seed: tuple[float, ...]
    ratio: Interval
    accuracy_difference: Interval | None


@dataclass(frozen=True)
class AuditVerdict:
    """``sentence`` says the outcome to a person, ``reasons`` why."""

    outcome: Outcome
    sentence: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Gap:
    """How many samples the best kernel needs to do as well as the network does with ``samples``: ``factor`` as many.

    Where that is "extrapolated", only the least number is known: it stands in ``value`` and ``low``, and ``high`` is
    infinite. "out of reach" is one that the curve never gets to: ``value`` is infinite, too.
    """

    kind: GapKind
    samples: int
    kernel_samples: Interval | None
    factor: Interval | None
    sentence: str


@dataclass(frozen=True)
class Features:
    """What the network's learned features are worth: itself against its own kernels, frozen at its start.

    ``learned`` is the error of its tangent kernel less its own, ``architecture`` that of the best kernel less that of
    its tangent kernel; the two add up to the lead over the best kernel. ``share`` is learned / (learned +
    architecture), where the network leads.
    """

    network: str
    error: Interval
    last: Interval | None
    ntk: Interval | None
    learned: Interval | None
    architecture: Interval | None
    share: Interval | None
    sentence: str


@dataclass(frozen=True)
class BestModel:
    """The contender with the least validation error of all, and its test error.

    ``no_better_than`` are the contenders with the same samples that it is not shown to be better than; a constant guess
    is one unless it ``beats_constant``.
    """

    contender: str
    family: Family
    samples: int
    tried: int
    error: Interval
    accuracy: Interval | None
    no_better_than: tuple[str, ...]
    beats_constant: bool = True


@dataclass(frozen=True)
class ClassReport:
    """What the best model does class by class: test rows, the share of them that it finds, and what it takes them for.

    ``confusion`` has a row for each true class and a column for each predicted one, means over seeds.
    """

    contender: str
    classes: tuple[str, ...]
    rows: tuple[int, ...]
    recall: tuple[float, ...]
    confusion: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class KernelFloor:
    """The least error that a kernel with its weights free can have on the ``rows`` that it did not learn from.

    ``share`` is of the best constant's error there; ``random_share`` is what a random space of as many dimensions
    leaves. It is not ``exact`` where the kernel's matrix has directions smaller than rounding.
    """

    kernel: str
    samples: int
    rows: int
    error: float
    share: float
    random_share: float
    exact: bool


@dataclass(frozen=True)
class Answer:
    """All of it. ``constant`` is the error of the best constant, beside its accuracy for classes."""

    constant: Interval
    curves: tuple[Curve, ...]
    comparison: BestPair
    verdict: AuditVerdict
    gap: Gap
    features: Features
    remarks: tuple[str, ...]  # what the adaptive kernel and the baselines add to the verdict
    constant_accuracy: Interval | None = None
    best: BestModel | None = None
    floors: tuple[KernelFloor, ...] = ()
    classes: ClassReport | None = None
