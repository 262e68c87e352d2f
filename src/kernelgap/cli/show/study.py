"""The answer of a study, in the terminal."""

from kernelgap import console
from kernelgap.paper.studies.kind import StudyRun
from kernelgap.reports.study.page import table_of


def show_study(run: StudyRun) -> None:
    """The table, and the sentence."""
    titles = [title for _, title, _ in run.study.columns]
    console.table(titles, table_of(run), title=run.study.title, left=1)
    console.answer("")
    console.answer(run.sentence)
