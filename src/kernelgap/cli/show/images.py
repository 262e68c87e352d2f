"""The answer of a run on images, in the terminal."""

from kernelgap import console
from kernelgap.images.experiment import ImageRun
from kernelgap.images.experiment.record import summary_rows


def show_images(run: ImageRun) -> None:
    """Accuracies over the number of images, and the sentence."""
    columns, rows = summary_rows(run)
    console.table(columns, rows, title=f"{run.about['title']} ({run.about['set']})", left=1)
    console.answer("")
    console.answer(run.sentence)
