"""A claim at a scale with a seed: the unit of work, and what a worker makes of it."""

import hashlib
import inspect
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any

from kernelgap import console
from kernelgap.claims.registry import get


@dataclass(frozen=True)
class Measurement:
    """What is to be measured. Its identity holds the source of the claim: a claim that was changed is measured anew."""

    claim: str
    scale: str
    seed: int

    @cached_property
    def id(self) -> str:
        measure = get(self.claim).measure
        home = inspect.getmodule(measure.func if isinstance(measure, partial) else measure)
        assert home is not None
        parts = [self.claim, self.scale, str(self.seed), version("kernelgap"), inspect.getsource(home)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def label(self) -> str:
        return self.claim

    @property
    def cost(self) -> float:
        """In seconds on one core, roughly, where it is known to be long; for the order of work and progress."""
        return LONG.get(self.claim, 3.0)


# Those that take more than some seconds at quick scale.
LONG: dict[str, float] = {}


@dataclass(frozen=True)
class Measured:
    """The numbers, as JSON, and the seconds that they took."""

    claim: str
    seconds: float
    numbers: str

    def read(self) -> dict[str, Any]:
        return dict(json.loads(self.numbers))


def measure(measurement: Measurement, on_progress: Callable[[float], None] | None = None) -> Measured:
    """Measure, wherever it is sent. Depends on the measurement alone."""
    began = time.perf_counter()
    with console.silence():
        numbers = get(measurement.claim).measure(measurement.scale, measurement.seed)
    text = json.dumps(numbers, allow_nan=False)
    return Measured(measurement.claim, time.perf_counter() - began, text)
