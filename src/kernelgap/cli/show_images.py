"""What came of a run on images, in the terminal."""

import json
from pathlib import Path

from kernelgap import console


def show_images(folder: str | Path, as_json: bool) -> None:
    """Accuracies over the number of images, and the sentence; or all of it as JSON."""
    from kernelgap.images.experiment import read_image_run
    from kernelgap.reports.images.record import images_record, summary_rows
    from kernelgap.reports.images.text import sentence_of

    run = read_image_run(folder)
    if as_json:
        console.answer(json.dumps(images_record(run), allow_nan=False))
        return
    columns, rows = summary_rows(run)
    console.table(columns, rows, title=f"{run.about['title']} ({run.about['set']})", left=1)
    console.answer("")
    console.answer(sentence_of(run))
    console.message(f"Results are in {run.folder}.")
