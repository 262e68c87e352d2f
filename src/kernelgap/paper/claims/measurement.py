"""A claim at a scale with a seed: the unit of work, and what a worker makes of it."""

import hashlib
import inspect
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import kernelgap
from kernelgap import console
from kernelgap.paper.claims.registry import get

APART = ("audit", "estimators", "models", "reports", "cli")  # folders whose changes change no measurement


@dataclass(frozen=True)
class Measurement:
    """What is to be measured. Its identity holds the code that measures: what was changed is measured anew."""

    claim: str
    scale: str
    seed: int

    @cached_property
    def id(self) -> str:
        measure = get(self.claim).measure
        home = inspect.getmodule(measure.func if isinstance(measure, partial) else measure)
        assert home is not None
        parts = [self.claim, self.scale, str(self.seed), inspect.getsource(home), _library()]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def label(self) -> str:
        return self.claim

    @property
    def cost(self) -> float:
        return get(self.claim).seconds


@cache
def _library() -> str:
    """A digest of all that claims may stand on: the package without the claims themselves and what shows results."""
    root = Path(kernelgap.__file__).parent
    claims = root / "paper" / "claims"
    files = [path for path in sorted(root.rglob("*.py")) if path.relative_to(root).parts[0] not in APART]
    files = [path for path in files if path.parent == claims or claims not in path.parents]
    digest = hashlib.sha256(version("jaxlib").encode())
    for path in files:
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()


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
