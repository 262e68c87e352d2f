"""Prepared columns: what scikit-learn learned about each from the training rows, in plain numbers and texts.

A fitted encoder can only be saved as a pickle, so its public attributes are kept instead, and applied here.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field, model_validator
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

LEVELS = 30  # columns that one column of labels may become
RARE = 10  # rows; in a short table a fiftieth of them, and at least 2

Block = Float[np.ndarray, "n k"]


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str


class NumberColumn(_Described):
    """(x - mean) / scale, with the median where x is missing."""

    kind: Literal["number"] = "number"
    median: float
    mean: float
    scale: Annotated[float, Field(gt=0)]

    @property
    def outputs(self) -> list[str]:
        return [self.name]

    def transform(self, values: np.ndarray) -> Block:
        """From numbers with NaN."""
        return ((np.where(np.isnan(values), self.median, values) - self.mean) / self.scale)[:, None]


class LabelColumn(_Described):
    """1 in the column of the label, 0 in the others; two columns would say the same, so one of two is left away.

    Rare labels share a last column. Labels that are new go there too, and where there is none they count as missing;
    the most frequent label stands for what is missing.
    """

    kind: Literal["label"] = "label"
    levels: Annotated[tuple[str, ...], Field(min_length=1, max_length=LEVELS)]
    rare: tuple[str, ...] = ()
    frequent: str

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.frequent not in (*self.levels, *self.rare):
            raise ValueError(f"the most frequent label of {self.name} is none of its labels")
        return self

    @property
    def outputs(self) -> list[str]:
        names = [f"{self.name}={level}" for level in self.levels] + [f"{self.name} is rare"] * bool(self.rare)
        return names[1:] if len(names) == 2 else names

    def transform(self, labels: np.ndarray) -> Block:
        """From texts with None."""
        place = {level: i for i, level in enumerate(self.levels)}
        usual = place.get(self.frequent, len(self.levels))
        other = len(self.levels) if self.rare else usual
        codes = [usual if label is None else place.get(label, other) for label in labels]
        hot = np.eye(len(self.levels) + bool(self.rare))[np.array(codes, dtype=int)]
        return hot[:, 1:] if hot.shape[1] == 2 else hot

    def unseen(self, labels: np.ndarray) -> list[str]:
        """Labels that no training row had."""
        return sorted({label for label in labels if label is not None} - set(self.levels) - set(self.rare))


class GapColumn(_Described):
    """1 where a value is missing."""

    kind: Literal["gap"] = "gap"
    of: Literal["number", "label"]

    @property
    def outputs(self) -> list[str]:
        return [f"{self.name} is missing"]

    def transform(self, gaps: np.ndarray) -> Block:
        """From True where a value is missing."""
        return gaps.astype(float)[:, None]


Column = Annotated[NumberColumn | LabelColumn | GapColumn, Field(discriminator="kind")]


def fit_numbers(numbers: Mapping[str, np.ndarray]) -> list[NumberColumn]:
    """Medians, means and scales."""
    if not numbers:
        return []
    rows = pd.DataFrame(numbers)
    imputer = SimpleImputer(strategy="median").fit(rows)
    scaler = StandardScaler().fit(imputer.transform(rows))
    return [
        NumberColumn(name=name, median=float(median), mean=float(mean), scale=float(scale))
        for name, median, mean, scale in zip(numbers, imputer.statistics_, scaler.mean_, scaler.scale_, strict=True)
    ]


def fit_labels(labels: Mapping[str, np.ndarray]) -> list[LabelColumn]:
    """The most frequent label, and the levels that are not rare; a column that has none is left out."""
    if not labels:
        return []
    rows = pd.DataFrame(labels, dtype=object)
    imputer = SimpleImputer(strategy="most_frequent", missing_values=None).fit(rows)
    encoder = OneHotEncoder(
        min_frequency=least_rows(len(rows)), max_categories=LEVELS, handle_unknown="infrequent_if_exist"
    ).fit(imputer.transform(rows))
    columns = []
    for name, frequent, levels, infrequent in zip(
        labels, imputer.statistics_, encoder.categories_, encoder.infrequent_categories_, strict=True
    ):
        rare = () if infrequent is None else tuple(map(str, infrequent))
        frequent_levels = tuple(str(level) for level in levels if level not in set(rare))
        if frequent_levels:
            columns.append(LabelColumn(name=name, levels=frequent_levels, rare=rare, frequent=str(frequent)))
    return columns


def least_rows(rows: int) -> int:
    """A level with fewer rows is rare."""
    return min(RARE, max(2, -(-rows // 50)))
