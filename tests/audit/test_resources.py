"""Budgets as people write them, and how busy and how large the machine is."""

import numpy as np
import pytest

from kernelgap.audit import resources
from kernelgap.audit.resources import affordable_workers, measured_slowdown, seconds_of
from kernelgap.errors import InputError


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("5m", 300), ("90", 90), ("90s", 90), ("1h30m", 5400), ("1h 30m", 5400), ("0.5h", 1800), (45, 45), (12.5, 12.5)],
)
def test_lengths(given, seconds):
    assert seconds_of(given) == seconds


@pytest.mark.parametrize("given", ["", "m", "5 minutes", "-5m", "0", 0, 9.9, "5x", True, float("nan"), np.inf, None])
def test_others_get_a_sentence(given):
    with pytest.raises(InputError, match="at least 10 seconds"):
        seconds_of(given)


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
