"""Audits of invented contenders on real tables, kept as real ones are: no worker is started, nothing is trained."""

import io
import json
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from kernelgap.audit import run as audit_run
from kernelgap.audit.chunks import Fitting, Judgement, Outcome, Refitting, work
from kernelgap.audit.contenders import registry
from kernelgap.audit.contenders.registry import FAMILIES
from kernelgap.audit.dataset import LABELS, read_arrays
from kernelgap.audit.deadline import run_here as real_here
from kernelgap.audit.plan import AuditPlan

NETWORK_WINS = {"3resnet": 0.02, "2layer": 0.2, "gaussian": 0.4, "ntk2": 0.5, "adaptive": 0.1, "trees": 0.3}
OTHERS = 0.55  # ridge and a network's own kernels
SETTING = {"bandwidth": 2.0, "ridge": 0.5}


def without_training(monkeypatch):
    """Within the block audits take seconds: contenders are invented, and no pictures drawn."""
    from kernelgap.reports.common import page as common

    monkeypatch.setattr(common, "_save", lambda folder, pictures, until: list(pictures))
    return invented({"3resnet": 0.02, "gaussian": 0.4})


def table(rows=240, seed=0):
    """Numbers, labels and two targets."""
    rng = np.random.default_rng(seed)
    x, colour = rng.normal(size=(rows, 2)), rng.choice(["red", "green"], size=rows)
    frame = pd.DataFrame({"size": x[:, 0], "weight": x[:, 1], "colour": colour})
    frame["price"] = 100 + 7 * x[:, 0] + rng.normal(size=rows)
    frame["kind"] = np.where(x[:, 0] + 0.5 * rng.normal(size=rows) > 0, "large", "small")
    return frame


@contextmanager
def invented(levels=None, *, sizes=(38, 76, 153), seeds=2, failing=(), left=(), slope=-0.5, interrupt=None):
    """Within the block, contenders have about these errors with the most samples; ridge's model is a real one.

    Those in ``failing`` raise, there is no time for those in ``left``; ``interrupt`` is raised instead of all.
    """
    known = NETWORK_WINS if levels is None else levels

    def run_chunks(cells, store, **_):
        if interrupt is not None:
            raise interrupt
        for cell in cells:
            if cell.contender in failing:
                store.fail(cell, 1, "MemoryError: too wide")
            elif cell.contender not in left and cell.id not in store.finished():
                store.save(cell, _outcome(cell, store.folder))
        return store.failures()

    def run_here(cells, store, do, until):
        """Nobody comes first; a model that is kept learns again."""
        real_here([cell for cell in cells if isinstance(cell, Refitting)], store, do, until)

    def _outcome(cell, folder):
        if isinstance(cell, Refitting) or (isinstance(cell, Fitting) and cell.contender == "ridge" and cell.keep_model):
            return work(cell, lambda share: None)
        level = known.get(cell.contender, OTHERS) * (cell.samples / sizes[-1]) ** slope
        if not isinstance(cell, Fitting):
            judged = {"columns": {name: [value] for name, value in SETTING.items()}, "errors": [level], "fits": 4}
            return Judgement(1.0, json.dumps(judged))
        targets = read_arrays(folder / LABELS, ("Y",))["Y"]
        rng = np.random.default_rng([cell.seed, cell.samples, *cell.contender.encode()])
        noise = np.sqrt(level / (targets.shape[1] if targets.shape[1] > 1 else 1)) * rng.normal(size=targets.shape)
        predictions = io.BytesIO()
        np.save(predictions, targets + noise)
        return Outcome(0.5, predictions.getvalue(), None)

    plan = AuditPlan(
        sizes=sizes, seeds=seeds, fits=4, landmarks=None, most_rows=1000, pool_rows=sizes[-1], budget=300.0
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audit_run, "run_chunks", run_chunks)
        patch.setattr(audit_run, "run_here", run_here)
        patch.setattr(audit_run, "measured_slowdown", lambda: 1.0)
        patch.setattr(audit_run, "make_plan", lambda *_, **__: plan)
        for module in (audit_run, registry):
            patch.setattr(module, "FAMILIES", {name: FAMILIES[name] for name in (*known, "ridge")})
        yield
