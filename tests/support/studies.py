"""Studies with rows that were made up: nothing is measured."""

from pathlib import Path
from typing import Any

import pandas as pd

from kernelgap.paper.studies import get
from kernelgap.paper.studies.kind import StudyRun

Row = dict[str, Any]


def rows_of_map() -> list[Row]:
    about = {"d": 10, "most": 1000, "floor": 500, "kernel": 800, "gradient": 45, "rate": 0.25, "seed": 0}
    return [
        {**about, "degree": degree, "leap": leap, "needed": None if leap == 3 else 100.0 * leap}
        for degree in (1, 2, 3)
        for leap in range(1, degree + 1)
    ]


def rows_of_outside() -> list[Row]:
    about = {"seed": 0, "share": 0.5, "floor": 1.34, "threshold": 1.35}
    learners = ("lasso, degree 8", "recursive feature machine, gaussian")
    return [{**about, "learner": name, "n": n, "risk": 100 / n} for name in learners for n in (50, 500)]


ROWS = {"map": rows_of_map(), "outside": rows_of_outside()}


def made_study(name: str, folder: Path) -> StudyRun:
    """A run of a study of which one part of two is done."""
    study, rows = get(name), ROWS[name]
    times = pd.DataFrame({"chunk": ["a"], "label": ["a"], "seconds": [1.0], "finished": [pd.Timestamp(0)]})
    table, summary = pd.DataFrame(rows), tuple(study.summarise(rows))
    return StudyRun(
        folder=folder,
        name=name,
        scale="quick",
        seed=0,
        planned=2,
        times=times,
        table=table,
        study=study,
        rows=summary,
        answer=study.sentence(summary),
    )
