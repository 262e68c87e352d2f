"""After the verdict, the model to keep learns from all rows, or from as many as the remaining time allows."""

import json

from kernelgap.audit.chunks import Refitting
from kernelgap.audit.cost import fitting_seconds
from kernelgap.audit.dataset import FILE, LABELS, Dataset
from kernelgap.audit.plan import exact_rows
from kernelgap.audit.result import Audit
from kernelgap.audit.store import AuditStore
from kernelgap.fingerprint import fingerprint
from kernelgap.machine import available_memory

SAFE = 1.5  # times the estimated seconds must be left
FEWER = 0.8  # of the rows at a time, where all take too long
WORTH = 1.05  # times the rows that it learned from already: for less it stays as it is
SHORT = 0.3  # seconds: less is done without a worker


def refitting(audit: Audit, store: AuditStore, dataset: Dataset, left: float) -> Refitting | None:
    """The chunk with the most rows that fit into the ``left`` seconds and the memory; None if there is none."""
    name, plan, samples = audit.winner, audit.plan, audit.winner_samples
    if name is None or audit.winner_setting is None:
        return None
    winner, shape = name, (dataset.X.shape[1], dataset.Y.shape[1])

    def seconds(rows: int) -> float:
        return fitting_seconds(winner, rows, *shape, plan.search_budget(rows))

    outcomes = store.outcomes().items()
    measured = [fit.outcome.seconds for key, fit in outcomes if (key.contender, key.samples) == (winner, samples)]
    slowdown = max(max(measured, default=0.0) / seconds(samples), plan.slowdown)
    rows = audit.data.rows
    while rows >= WORTH * samples:
        cost = slowdown * seconds(rows)
        reduced = plan.search_budget(rows).landmarks is not None
        if SAFE * cost <= left and (reduced or rows <= max(samples, exact_rows(available_memory()))):
            break
        rows = int(FEWER * rows)
    else:
        return None
    curve = next(curve for curve in audit.answer.curves if curve.contender == winner)
    place = curve.samples.index(samples)
    tested = {"tested_with_samples": samples, "test_error": curve.errors[place].value}
    labels = (store.folder / LABELS).absolute()
    return Refitting(
        dataset=(store.folder / FILE).absolute(),
        digest=dataset.digest,
        contender=winner,
        samples=rows,
        seed=0,
        search_budget=plan.search_budget(rows),
        cost=cost,
        own="",
        setting=audit.winner_setting,
        labels=labels,
        labels_digest=fingerprint(labels.read_bytes()),
        of=audit.data.rows,
        about=json.dumps({"validation_error": curve.validation[place], **tested}),
    )
