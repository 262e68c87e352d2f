"""What a contender sees and does: a sample, a search budget, judging and fitting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field

Rows = Float[np.ndarray, "n d"]
Outputs = Float[np.ndarray, "n k"]
Setting = Mapping[str, float]
ProgressCallback = Callable[[float], None]  # takes the share that is done


class SearchBudget(BaseModel):
    """How much a contender tries, the same for all.

    ``fits`` is the number of bandwidths, of (rate, decay) pairs, of kinds of trees ... ``landmarks`` is given where
    Gram matrices have no room. ``most_rows`` bounds methods that need one all the same.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fits: int = Field(ge=1)
    epochs: int = Field(ge=1)
    landmarks: int | None = Field(default=None, ge=1)
    most_rows: int = Field(ge=1)


@dataclass(frozen=True)
class View:
    """A sample as a contender sees it.

    Parameters
    ----------
    X, Y
        Training rows: inputs and outputs.
    X_val, Y_val
        Validation rows. With the chosen setting a contender learns from them, too.
    seed
        Of all that the contender draws.
    search_budget
        How much it may try.
    divisor
        A row's squared error, summed over outputs, is divided by this.
    classes
        Whether the outputs are one-hot columns of classes.
    """

    X: Rows
    Y: Outputs
    X_val: Float[np.ndarray, "v d"]
    Y_val: Float[np.ndarray, "v k"]
    seed: int
    search_budget: SearchBudget
    divisor: int = 1
    classes: bool = False

    @cached_property
    def offset(self) -> Float[np.ndarray, " k"]:
        """The mean target of the training rows, which is subtracted before learning."""
        return self.Y.mean(axis=0)

    @cached_property
    def scale(self) -> float:
        """The root mean square of the centred targets; 1 if they are constant."""
        return float(np.sqrt(np.mean(self.centred**2))) or 1.0

    @cached_property
    def centred(self) -> Outputs:
        return self.Y - self.offset

    @cached_property
    def centred_val(self) -> Outputs:
        return self.Y_val - self.offset

    @cached_property
    def train_plus_validation(self) -> "View":
        """The whole sample as training rows."""
        X, Y = np.concatenate([self.X, self.X_val]), np.concatenate([self.Y, self.Y_val])
        return View(X, Y, X[:0], Y[:0], self.seed, self.search_budget, self.divisor, self.classes)

    @property
    def training_alone(self) -> "View":
        """The training rows as a whole sample: what is fitted to it has not seen the validation rows."""
        fifth = len(self.X) // 5  # for contenders that choose something by validation rows
        parts = self.X[fifth:], self.Y[fifth:], self.X[:fifth], self.Y[:fifth]
        return View(*parts, self.seed, self.search_budget, self.divisor, self.classes)

    def error(self, outputs: Outputs) -> float:
        """The mean error of outputs for the validation rows."""
        return float(np.mean(np.sum((outputs - self.Y_val) ** 2, axis=1))) / self.divisor


class Fitted(Protocol):
    """A fitted model: outputs for prepared inputs."""

    def predict(self, X: Rows) -> Outputs: ...


class Contender(Protocol):
    """A method that competes in audits.

    Its settings are relative to a sample (shares of a median distance, of a default rate): the same for all seeds.
    """

    def judge(self, view: View, on_progress: ProgressCallback) -> "SettingErrors":
        """Fit every setting to the training rows, and measure its error on the validation rows.

        Parameters
        ----------
        view
            The rows.
        on_progress
            Takes the share that is done.
        """
        ...

    def fit(self, view: View, setting: Setting) -> Fitted:
        """Fit one setting to the whole sample.

        Parameters
        ----------
        view
            The rows.
        setting
            One that ``judge`` has tried.
        """
        ...


@dataclass(frozen=True)
class SettingErrors:
    """What judging gives.

    Parameters
    ----------
    columns
        The settings, a column for each of their names.
    errors
        The validation error of each setting; inf where it diverged.
    fits
        The number of fits that were made.
    """

    columns: dict[str, list[float]]
    errors: list[float]
    fits: int


Judged = SettingErrors  # its name up to 0.2


class Records:
    """Settings and errors as they come."""

    def __init__(self, fits: int, on_progress: ProgressCallback) -> None:
        self._fits, self._on_progress, self._done = fits, on_progress, 0
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
        self._on_progress(min(1.0, self._done / self._fits))

    def judged(self) -> SettingErrors:
        return SettingErrors(self._columns, self._errors, self._done)


def spread(low: float, high: float, count: int) -> list[float]:
    """So many factors between two, evenly on a log scale; a single one is in the middle."""
    if count == 1:
        return [float((low * high) ** 0.5)]
    return [float(f) for f in np.geomspace(low, high, count)]
