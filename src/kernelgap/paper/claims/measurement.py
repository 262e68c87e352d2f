"""A claim at a scale with a seed: the unit of work, and what a worker makes of it."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernelgap import console
from kernelgap.paper.claims.registry import get


@dataclass(frozen=True)
class Measurement:
    """What is to be measured."""

    claim: str
    scale: str
    seed: int

    @property
    def id(self) -> str:
        return f"{self.claim} {self.scale} {self.seed}"

    @property
    def label(self) -> str:
        return self.claim

    @property
    def cost(self) -> float:
        return get(self.claim).seconds


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
