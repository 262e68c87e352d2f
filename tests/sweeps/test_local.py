"""Workers that grow: a large network is no leak."""

import os
import signal
import time
from contextlib import suppress

import pytest

from kernelgap.sweeps import local, run_chunk

GROW = "import os; os.kept = bytearray(b'-') * 340_000_000"  # loky takes 300 MB more than at the start for a leak
SECOND = 1.1  # loky looks once a second


def processes(monkeypatch) -> set[int]:
    """Which processes answer before and after the worker has grown."""
    monkeypatch.setattr(local, "_begin", print)  # without JAX: quick to start
    worker = local.Worker(run_chunk)
    submit = worker._executor.submit
    try:
        jobs = [submit(os.getpid), submit(exec, GROW), submit(time.sleep, SECOND), submit(os.getpid)]
        before, *_, after = (job.result(timeout=60) for job in jobs)
        return {before, after, submit(os.getpid).result(timeout=60)}
    finally:
        worker.end()


def test_a_worker_that_grows_is_not_ended(monkeypatch):
    pytest.importorskip("psutil")
    assert len(processes(monkeypatch)) == 1


@pytest.mark.filterwarnings("ignore:A worker was restarted")
def test_loky_would_end_it(monkeypatch):
    pytest.importorskip("psutil")
    monkeypatch.setattr(local, "NEVER_RENEWED", {})
    assert len(processes(monkeypatch)) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_that_was_swallowed_is_raised_again(number):
    with local.interruptible():
        with suppress(KeyboardInterrupt):  # as a library's callback might
            os.kill(os.getpid(), number)
            time.sleep(1)
        with pytest.raises(KeyboardInterrupt):
            local.check_interrupted()
    local.check_interrupted()
