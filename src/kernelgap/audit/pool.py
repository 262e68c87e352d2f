"""A whole table as a pool of rows: inputs and targets as numbers, nothing put aside."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from kernelgap.audit.tables.notices import Notice
from kernelgap.audit.tables.preparing import Preparation
from kernelgap.audit.tables.question import pose
from kernelgap.audit.tables.reading.read import read_table
from kernelgap.audit.tables.targets import Targets


class TablePool(NamedTuple):
    """Inputs, targets less their means, and what was decided on the way."""

    X: Float[np.ndarray, "rows d"]
    Y: Float[np.ndarray, "rows outputs"]
    notices: tuple[Notice, ...]


def pool_of_table(
    source: str | Path | pd.DataFrame,
    target: str | Sequence[str] = (),
    *,
    rows: int,
    seed: int,
    task: str | None = None,
) -> TablePool:
    """Read a table as an audit does, and prepare all of its rows, at most so many.

    Numbers that are predicted have variance 1; classes are columns of 0 and 1 less their means.
    """
    table = read_table(source, seed=seed, rows=rows)
    question = pose(table, target, task=task)
    preparation = Preparation.fit(question.features)
    Y = Targets.fit(question, np.arange(question.rows)).encode(question.values)
    return TablePool(
        preparation.transform(question.features), Y - Y.mean(axis=0), (*question.notices, *preparation.notices)
    )
