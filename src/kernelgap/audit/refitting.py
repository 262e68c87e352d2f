"""After the verdict, the model to keep learns from all rows, or from as many as the time that is left allows."""

import hashlib
import json
from pathlib import Path

from kernelgap.audit.cell import Refitting
from kernelgap.audit.cost import fitting_seconds
from kernelgap.audit.dataset import FILE, LABELS, Dataset
from kernelgap.audit.plan import exact_rows
from kernelgap.audit.result import Audit
from kernelgap.audit.store import AuditStore
from kernelgap.machine import available_memory

SAFE = 1.5  # times the seconds that it takes by the estimate must be there
FEWER = 0.8  # of the rows at a time, where all take too long
WORTH = 1.05  # times the rows that it learned from already: for less it stays as it is
SHORT = 0.3  # seconds: less is done without a worker


def refitting(audit: Audit, store: AuditStore, dataset: Dataset, left: float) -> Refitting | None:
    """The cell with the most rows that fit into the ``left`` seconds and the memory; None if there is none."""
    if audit.winner is None or audit.winner_setting is None:
        return None
    samples, rows = audit.answer.comparison.samples, audit.data.rows
    seconds = max(
        (
            chosen.outcome.seconds
            for named, chosen in store.outcomes().items()
            if (named.contender, named.samples) == (audit.winner, samples)
        ),
        default=0.0,
    )
    before = _seconds(audit, dataset, samples)
    while rows >= WORTH * samples:
        takes = max(seconds / before, audit.plan.pace) * _seconds(audit, dataset, rows)
        if SAFE * takes <= left and _has_room(audit, rows):
            return _cell(audit, store.folder, dataset, rows, cost=takes)
        rows = int(FEWER * rows)
    return None


def _seconds(audit: Audit, dataset: Dataset, rows: int) -> float:
    assert audit.winner is not None
    return fitting_seconds(audit.winner, rows, dataset.X.shape[1], dataset.Y.shape[1], audit.plan.search_budget(rows))


def _has_room(audit: Audit, rows: int) -> bool:
    """Whether Gram matrices that were whole can be so again."""
    return audit.plan.search_budget(rows).landmarks is not None or rows <= max(
        audit.answer.comparison.samples, exact_rows(available_memory())
    )


def _cell(audit: Audit, folder: Path, dataset: Dataset, rows: int, *, cost: float) -> Refitting:
    assert audit.winner is not None
    assert audit.winner_setting is not None
    samples = audit.answer.comparison.samples
    curve = next(curve for curve in audit.answer.curves if curve.contender == audit.winner)
    place = curve.samples.index(samples)
    tested = {
        "validation_error": curve.validation[place],
        "tested_with_samples": samples,
        "test_error": curve.errors[place].value,
    }
    labels = (folder / LABELS).absolute()
    return Refitting(
        dataset=(folder / FILE).absolute(),
        digest=dataset.digest,
        contender=audit.winner,
        samples=rows,
        seed=0,
        search_budget=audit.plan.search_budget(rows),
        cost=cost,
        setting=audit.winner_setting,
        labels=labels,
        labels_digest=hashlib.sha256(labels.read_bytes()).hexdigest(),
        of=audit.data.rows,
        about=json.dumps(tested),
    )
