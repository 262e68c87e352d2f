"""The budget bounds the time, whatever workers do, and there is an answer."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd

from kernelgap.audit import deadline, plan
from kernelgap.audit import run as audit_run
from kernelgap.audit.contenders import registry
from kernelgap.audit.deadline import run_here
from support import strange

FEW = {"gaussian": "kernel", "ck2": "kernel", "laplace": "kernel", "2layer": "network", "ridge": "baseline"}


def table(rows=432):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(rows, 4)), columns=list("abcd"))
    return frame.assign(y=frame.a * frame.b + 0.3 * rng.normal(size=rows))


class Kept:
    """A store that remembers."""

    def __init__(self) -> None:
        self.saved, self.failed = [], []

    def finished(self):
        return {"c"}

    def save(self, cell, done):
        self.saved.append((cell.id, done))

    def fail(self, cell, attempts, error):
        self.failed.append((cell.id, error))


CELLS = [SimpleNamespace(id=name) for name in "abcd"]


def test_workers_that_hang_or_die_do_not_hold_an_audit_up(tmp_path, monkeypatch):
    """One worker sleeps and does not listen, the other is killed each time: the rest is judged when time is over."""
    for module in (registry, audit_run, plan):
        monkeypatch.setattr(module, "FAMILIES", FEW)
    monkeypatch.setattr(audit_run, "work", strange.strange_work)
    began = time.monotonic()
    audit = audit_run.run_audit(table(), "y", tmp_path / "a", budget=12.0, workers=2)
    assert time.monotonic() - began < 12.0 + deadline.PATIENCE + 5.0
    assert audit.verdict == "undecided"
    assert {"gaussian", "2layer-small"} <= set(audit.contenders.contender) or "2layer" in set(
        audit.contenders.contender
    )
    assert any(label.startswith("judging gaussian") for label in audit.unfinished)
    assert audit.load_model().predict(table()).shape == (432, 1)


def test_work_that_hangs_in_this_process_is_given_up():
    hung, store = threading.Event(), Kept()

    def do(cell, tell):
        if cell.id == "b":
            hung.wait(60)
        return f"did {cell.id}"

    began = time.monotonic()
    run_here(CELLS, store, do, began + 0.5)
    assert time.monotonic() - began < 10
    assert store.saved == [("a", "did a")], "what was finished is kept"
    hung.set()


def test_work_that_fails_in_this_process_is_noted_and_the_rest_goes_on():
    def do(cell, tell):
        if cell.id == "a":
            raise MemoryError("too wide")
        return cell.id

    store = Kept()
    run_here(CELLS, store, do)
    assert store.failed == [("a", "MemoryError: too wide")]
    assert store.saved == [("b", "b"), ("d", "d")], "c was finished before"


def test_nobody_waits_for_workers_that_do_not_end(monkeypatch):
    monkeypatch.setattr(deadline, "PATIENCE", 0.3)
    ending = threading.Event()
    began = time.monotonic()
    deadline._end([SimpleNamespace(end=lambda: ending.wait(60))] * 2)
    assert time.monotonic() - began < 10
    ending.set()
