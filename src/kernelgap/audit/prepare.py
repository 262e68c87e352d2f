"""From a source to what contenders learn from, and the test rows' targets, which are put aside."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from kernelgap.audit.dataset import Dataset
from kernelgap.audit.result import Audited
from kernelgap.audit.split import put_aside
from kernelgap.audit.tables.notices import Notice
from kernelgap.audit.tables.preparing.prepare import Preparation
from kernelgap.audit.tables.question import pose
from kernelgap.audit.tables.reading.read import read_table
from kernelgap.audit.tables.targets import Targets


@dataclass(frozen=True)
class PreparedTable:
    """``Y_test`` is not looked at before everything is chosen."""

    table: Audited
    dataset: Dataset
    Y_test: Float[np.ndarray, "test k"]
    notices: tuple[Notice, ...]


def prepare_table(
    source: str | Path | pd.DataFrame,
    target: str | Sequence[str],
    *,
    task: str | None,
    leave_out: Sequence[str],
    keep: Sequence[str],
    rows: int | None,
    delimiter: str | None,
    header: bool | None,
    seed: int,
) -> PreparedTable:
    """Read, pose the question, put the test rows aside, and prepare by the others alone."""
    table = read_table(source, seed=seed, rows=rows, delimiter=delimiter, header=header)
    question = pose(table, target, task=task, leave_out=leave_out, keep=keep)
    asked = question.asked
    labels = asked.values if question.task == "classification" else None
    pool, test = put_aside(question.rows, labels, seed=seed)
    preparation = Preparation.fit(question.features.iloc[pool])
    targets = Targets.fit(asked, pool)
    inputs = preparation.transform(question.features)
    Y = targets.encode(asked.values)
    about = Audited(
        source=table.source,
        targets=asked.names,
        task=question.task,
        classes=asked.classes,
        rows=question.rows,
        features=question.features.shape[1],
        inputs=inputs.shape[1],
        test_rows=len(test),
        scales=targets.scales,
    )
    dataset = Dataset(inputs[pool], Y[pool], inputs[test], preparation, targets)
    return PreparedTable(about, dataset, Y[test], (*question.notices, *preparation.notices))
