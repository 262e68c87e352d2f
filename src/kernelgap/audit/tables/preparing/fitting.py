"""scikit-learn's ColumnTransformer, fitted to training rows, and what it learned in plain numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernelgap.audit.tables.preparing.columns import LabelColumn, NumberColumn

LEVELS = 30  # columns that one column of labels may become
RARE = 10  # rows; in a short table a fiftieth of them, and at least 2


def fit_transformer(numbers: Mapping[str, np.ndarray], labels: Mapping[str, np.ndarray]) -> ColumnTransformer:
    """Medians and scales for numbers; the most frequent label and a column for each level that is not rare."""
    rows = as_frame(numbers, labels)
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    coded = make_pipeline(
        SimpleImputer(strategy="most_frequent", missing_values=None),
        OneHotEncoder(
            min_frequency=least_rows(len(rows)),
            max_categories=LEVELS,
            handle_unknown="infrequent_if_exist",
            drop="if_binary",
            sparse_output=False,
        ),
    )
    parts = [("number", scaled, list(numbers)), ("label", coded, list(labels))]
    return ColumnTransformer([part for part in parts if part[2]]).fit(rows)


def as_frame(numbers: Mapping[str, np.ndarray], labels: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """The two kinds of columns side by side, labels as objects."""
    texts = {name: pd.Series(values, dtype=object) for name, values in labels.items()}
    return pd.DataFrame({**numbers, **texts})


def least_rows(rows: int) -> int:
    """A level with fewer rows is rare."""
    return min(RARE, max(2, -(-rows // 50)))


def number_columns(fitted: ColumnTransformer) -> list[NumberColumn]:
    """What was learned about the columns of numbers."""
    if "number" not in fitted.named_transformers_:
        return []
    imputer, scaler = _steps(fitted.named_transformers_["number"])
    learned = zip(imputer.feature_names_in_, imputer.statistics_, scaler.mean_, scaler.scale_, strict=True)
    return [
        NumberColumn(name=str(name), median=float(median), mean=float(mean), scale=float(scale))
        for name, median, mean, scale in learned
    ]


def label_columns(fitted: ColumnTransformer) -> list[LabelColumn]:
    """What was learned about the columns of labels."""
    if "label" not in fitted.named_transformers_:
        return []
    imputer, encoder = _steps(fitted.named_transformers_["label"])
    learned = zip(
        imputer.feature_names_in_, imputer.statistics_, encoder.categories_, encoder.infrequent_categories_, strict=True
    )
    columns = []
    for name, frequent, levels, rare in learned:
        grouped = () if rare is None else tuple(map(str, rare))
        kept = tuple(str(level) for level in levels if level not in set(grouped))
        if kept:
            columns.append(LabelColumn(name=str(name), levels=kept, rare=grouped, frequent=str(frequent)))
    return columns


def _steps(pipeline: Pipeline) -> list[Any]:
    return [step for _, step in pipeline.steps]
