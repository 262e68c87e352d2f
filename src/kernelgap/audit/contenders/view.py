"""A sample as a contender sees it, and what contenders do with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from kernelgap.audit.search_budget import SearchBudget

Rows = Float[np.ndarray, "n d"]
Outputs = Float[np.ndarray, "n k"]
Setting = Mapping[str, float]
Tell = Callable[[float], None]  # the share that is done


@dataclass(frozen=True)
class View:
    """A sample: rows to learn from, and rows to be judged by, from which the chosen one learns in the end, too.

    ``divisor`` is what a row's summed squared error is divided by.
    """

    X: Rows
    Y: Outputs
    X_val: Rows
    Y_val: Outputs
    seed: int
    search_budget: SearchBudget
    divisor: int = 1
    classes: bool = False

    @cached_property
    def offset(self) -> Float[np.ndarray, " k"]:
        """The mean target of the rows to learn from: everybody learns what is left."""
        return self.Y.mean(axis=0)

    @cached_property
    def centred(self) -> Outputs:
        return self.Y - self.offset

    @cached_property
    def centred_val(self) -> Outputs:
        return self.Y_val - self.offset

    @cached_property
    def train_plus_validation(self) -> "View":
        """All rows of the sample to learn from; none to be judged by."""
        X, Y = np.concatenate([self.X, self.X_val]), np.concatenate([self.Y, self.Y_val])
        return View(X, Y, X[:0], Y[:0], self.seed, self.search_budget, self.divisor, self.classes)

    def error(self, outputs: Outputs) -> float:
        """The mean error of outputs for the validation rows."""
        return float(np.mean(np.sum((outputs - self.Y_val) ** 2, axis=1))) / self.divisor


class Fitted(Protocol):
    """A fitted model: outputs for prepared inputs."""

    def predict(self, X: Rows) -> Outputs: ...


class Contender(Protocol):
    """Settings are relative to a sample (shares of a median distance, of a default rate): the same for all seeds."""

    def judge(self, view: View, tell: Tell) -> "Judged":
        """Learn with every setting from the rows to learn from, and take the errors on the others."""
        ...

    def fit(self, view: View, setting: Setting) -> Fitted:
        """Learn with one setting from the whole sample."""
        ...


@dataclass(frozen=True)
class Judged:
    """The validation error of each setting, settings as columns; inf where it diverged. ``fits`` is what it took."""

    columns: dict[str, list[float]]
    errors: list[float]
    fits: int


class Records:
    """Settings and errors as they come."""

    def __init__(self, fits: int, tell: Tell) -> None:
        self._fits, self._tell, self._done = fits, tell, 0
        self._columns: dict[str, list[float]] = {}
        self._errors: list[float] = []

    def add(self, settings: Mapping[str, Any], errors: Sequence[float] | np.ndarray) -> None:
        """One fit with all that came with it: a setting may be one number for all of its errors."""
        values = [float(error) for error in errors]
        for name, given in settings.items():
            each = [float(given)] * len(values) if isinstance(given, int | float) else [float(v) for v in given]
            self._columns.setdefault(name, []).extend(each)
        self._errors += [value if np.isfinite(value) else np.inf for value in values]
        self._done += 1
        self._tell(min(1.0, self._done / self._fits))

    def judged(self) -> Judged:
        return Judged(self._columns, self._errors, self._done)


def spread(low: float, high: float, count: int) -> list[float]:
    """So many factors between two, evenly on a log scale."""
    return [float(f) for f in np.geomspace(low, high, count)]
