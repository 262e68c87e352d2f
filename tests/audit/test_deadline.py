"""The budget bounds the time, whatever workers do, and there is an answer."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kernelgap.audit import deadline, plan, resources
from kernelgap.audit import run as conduct
from kernelgap.audit.contenders import registry
from kernelgap.audit.deadline import run_here
from kernelgap.audit.resources import affordable_workers, measured_slowdown
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
    for module in (registry, conduct, plan):
        monkeypatch.setattr(module, "FAMILIES", FEW)
    monkeypatch.setattr(conduct, "work", strange.strange_work)
    began = time.monotonic()
    audit = conduct.run_audit(table(), "y", tmp_path / "a", budget=12.0, workers=2)
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


def test_a_busy_machine_is_given_a_smaller_plan(monkeypatch):
    sizes = {"budget": 60.0, "workers": 2, "memory": 2**34}
    idle, busy = plan.make_plan(2000, 30, 1, **sizes), plan.make_plan(2000, 30, 1, **sizes, slowdown=4.0)
    assert plan.estimate(busy, 30, 1) < plan.estimate(idle, 30, 1)
    assert any("busy (work takes 4.0 times as long)" in notice.sentence for notice in busy.notices())
    assert not any("busy" in notice.sentence for notice in idle.notices())


def test_the_slowdown_is_how_long_a_process_waits(monkeypatch):
    assert 1.0 <= measured_slowdown() <= resources.MOST_SLOWDOWN
    clock = iter(range(0, 100, 7))  # 7 seconds pass for each second of work
    monkeypatch.setattr(resources.time, "perf_counter", lambda: next(clock))
    spent = iter([0.0, 1.0])
    monkeypatch.setattr(resources.time, "process_time", lambda: next(spent))
    assert measured_slowdown() == 7.0


def test_workers_are_as_many_as_the_memory_holds(monkeypatch):
    monkeypatch.setattr(resources, "cores", lambda: 8)
    for free, count in ((2**40, 8), (3 * resources.WORKER, 3), (0, 1)):
        monkeypatch.setattr(resources, "available_memory", lambda free=free: free)
        assert affordable_workers() == count


@pytest.mark.parametrize("sizes", [(24,), (120,), (43, 86, 172, 345), (1000, 2000, 4000)])
def test_who_comes_first_has_few_samples_of_an_own_number(sizes):
    found = plan.Plan(sizes=sizes, seeds=3, fits=16, landmarks=None, most_rows=3000, of=sizes[-1], budget=60.0)
    assert found.first not in sizes
    assert sizes[-1] / 2 <= found.first < sizes[-1] or found.first == plan.FIRST_SAMPLES
