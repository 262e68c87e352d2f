"""What a contender is given to learn from, and what it gives back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from kernelgap.audit.effort import Effort

Rows = Float[np.ndarray, "n d"]
Outputs = Float[np.ndarray, "n k"]
Tell = Callable[[float], None]  # the share that is done


@dataclass(frozen=True)
class View:
    """Rows to learn from and rows to choose by. ``divisor`` is what a row's summed squared error is divided by."""

    X: Rows
    Y: Outputs
    X_val: Rows
    Y_val: Outputs
    seed: int
    effort: Effort
    divisor: int = 1
    classes: bool = False

    @cached_property
    def offset(self) -> Float[np.ndarray, " k"]:
        """The mean target of the training rows: everybody learns what is left."""
        return self.Y.mean(axis=0)

    @cached_property
    def centred(self) -> Outputs:
        return self.Y - self.offset

    @cached_property
    def centred_val(self) -> Outputs:
        return self.Y_val - self.offset

    def error(self, outputs: Outputs) -> float:
        """The mean error of outputs for the validation rows."""
        return float(np.mean(np.sum((outputs - self.Y_val) ** 2, axis=1))) / self.divisor


class Fitted(Protocol):
    """A fitted model: outputs for prepared inputs."""

    def outputs(self, X: Rows) -> Outputs: ...


@dataclass(frozen=True)
class Tuned:
    """The model with the least validation error, the setting that it has, and the errors of all that were tried.

    ``tried`` has one record a fit: its setting, the best of what came with it, and that one's validation error.
    """

    model: Fitted
    error: float
    setting: dict[str, Any]
    tried: tuple[dict[str, Any], ...]


class Search:
    """Fits as they come, the best one kept."""

    def __init__(self, fits: int, tell: Tell) -> None:
        self._fits, self._tell = fits, tell
        self._tried: list[dict[str, Any]] = []
        self._best: tuple[float, dict[str, Any], Fitted] | None = None

    def add(self, setting: dict[str, Any], error: float, model: Callable[[], Fitted]) -> None:
        """One fit; ``model`` is called only if it is the best so far."""
        self._tried.append({**setting, "validation_error": error if np.isfinite(error) else None})
        if np.isfinite(error) and (self._best is None or error < self._best[0]):
            self._best = error, setting, model()
        self._tell(min(1.0, len(self._tried) / self._fits))

    def result(self) -> Tuned:
        if self._best is None:
            raise ArithmeticError("no setting gave a finite validation error")
        error, setting, model = self._best
        return Tuned(model, error, setting, tuple(self._tried))


def spread(low: float, high: float, count: int) -> Sequence[float]:
    """So many factors between two, evenly on a log scale."""
    return [float(f) for f in np.geomspace(low, high, count)]
