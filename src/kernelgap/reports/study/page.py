"""The page of a study: the sentence, its charts, the table, how it was done."""

from functools import partial
from pathlib import Path
from typing import Any

from kernelgap.paper.claims.claim import Picture
from kernelgap.paper.studies.kind import StudyRun
from kernelgap.paper.studies.study import HeatMap
from kernelgap.reports.common.page import write_page, write_record
from kernelgap.reports.common.picture_chart import picture_chart
from kernelgap.reports.study.map_chart import map_chart

ROWS, SUMMARY = "rows.csv", "summary.json"
MISSING = "\N{EN DASH}"


def write_study_page(run: StudyRun) -> Path:
    """Write ``report.html``, ``charts/`` and the tables into the folder of a run."""
    drawings = run.study.charts(run.rows)
    return write_page(
        run,
        "study/page.html",
        _context(run, list(drawings)),
        charts={name: _draw(drawing, on_page=True) for name, drawing in drawings.items()},
        pictures={
            name: partial(_draw, drawing, on_page=False, title=run.study.title) for name, drawing in drawings.items()
        },
        tables={
            ROWS: partial(run.table.to_csv, index=False),
            SUMMARY: partial(write_record, run, without=["folder"]),
        },
    )


def _draw(drawing: Picture | HeatMap, *, on_page: bool, title: str = "") -> Any:
    if isinstance(drawing, HeatMap):
        return map_chart(drawing, on_page=on_page, title=title)
    return picture_chart(drawing, on_page=on_page, title=title)


def _context(run: StudyRun, charts: list[str]) -> dict[str, Any]:
    return {
        "run": run,
        "study": run.study,
        "drawn": charts,
        "columns": [{"title": title, "number": bool(form)} for _, title, form in run.study.columns],
        "rows": [[_cell(row.get(key), form) for key, _, form in run.study.columns] for row in run.rows],
        "unfinished": run.planned - len(run.times) - len(run.failures),
    }


def _cell(value: Any, form: str) -> dict[str, Any]:
    """A cell as it is shown and as it is sorted; None comes last."""
    return {"text": format_cell(value, form), "value": "inf" if value is None else value}


def table_of(run: StudyRun) -> list[list[str]]:
    """The page's table in words, a list for each row."""
    return [[format_cell(row.get(key), form) for key, _, form in run.study.columns] for row in run.rows]


def format_cell(value: Any, form: str) -> str:
    """A value as the table shows it; a dash for None.

    Examples
    --------
    >>> format_cell(1234.5, ",.0f"), format_cell("lasso", "")
    ('1,234', 'lasso')
    """
    if value is None:
        return MISSING
    return format(value, form) if form else str(value)
