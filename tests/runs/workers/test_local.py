"""Local workers: they may grow, are replaced when dropped, and leave signals as they were."""

import os
import signal
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
from loky.process_executor import ShutdownExecutorError

from kernelgap import networks
from kernelgap.machine import cores, default_workers
from kernelgap.runs import run_chunk
from kernelgap.runs.workers import local
from kernelgap.runs.workers.local import worker_environment
from kernelgap.training import Schedule, get_model
from kernelgap.training.native import native_engine

GROW = "import os; os.kept = bytearray(b'-') * 340_000_000"  # loky takes 300 MB more than at the start for a leak
SECOND = 1.1  # loky looks once a second


def processes(monkeypatch) -> set[int]:
    """Which processes answer before and after the worker has grown."""
    monkeypatch.setattr(local, "_begin", print)  # without JAX: quick to start
    worker = local.Worker(run_chunk)
    submit = worker._executor.submit
    try:
        jobs = [submit(os.getpid), submit(exec, GROW), submit(time.sleep, SECOND), submit(os.getpid)]
        before, *_, after = (job.result(timeout=300) for job in jobs)
        return {before, after, submit(os.getpid).result(timeout=300)}
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


def linger(chunk, tell):
    """Stands for work that takes as long as its name says."""
    time.sleep(float(chunk.label))
    return SimpleNamespace(seconds=float(chunk.label), pid=os.getpid())


def test_workers_that_are_dropped_are_replaced_and_idle_ones_stay(monkeypatch):
    monkeypatch.setattr(local, "_begin", print)
    with local.local_workers(2, linger) as pool:
        quick = pool.submit(SimpleNamespace(id="a", label="0")).result(timeout=300)
        busy = pool.submit(SimpleNamespace(id="b", label="60"))  # the first idle one, which ran "a"
        pool.drop()
        with pytest.raises(ShutdownExecutorError):
            busy.result(timeout=300)
        again = [pool.submit(SimpleNamespace(id=str(i), label="0.3")) for i in range(2)]
        pids = {future.result(timeout=300).pid for future in again}
    assert len(pids) == 2
    assert quick.pid not in pids


@pytest.mark.parametrize("blocked", [set(), {signal.SIGINT}, {signal.SIGTERM}])
def test_the_callers_signal_mask_is_restored(monkeypatch, blocked):
    monkeypatch.setattr(local, "_begin", print)
    before = signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        with local.local_workers(1, linger) as pool:
            pool.submit(SimpleNamespace(id="a", label="0")).result(timeout=300)
            assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == blocked
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_another_thread_leaves_the_signals_alone():
    before = signal.getsignal(signal.SIGTERM)
    inside = []

    def body():
        with local.interruptible():
            inside.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join(timeout=60)
    assert inside == [before]


def test_progress_is_reported_at_once_and_then_not_too_often(monkeypatch):
    shares = []
    monkeypatch.setattr(local, "REPORT_INTERVAL", 0.0)
    report = local.throttled(shares.append)
    report(0.25)
    monkeypatch.setattr(local, "REPORT_INTERVAL", 1e9)
    report(0.5)
    assert shares == [0.0, 0.25]


@pytest.mark.parametrize(
    ("asked", "taken", "preallocated", "count"),
    [
        (None, "cpu", None, None),
        ("", "cpu", None, None),
        ("cpu", "cpu", None, None),
        ("cuda,cpu", "cuda,cpu", "false", 1),
    ],
)
def test_workers_take_the_gpu_where_it_is_asked_for(asked, taken, preallocated, count, monkeypatch):
    monkeypatch.delenv("XLA_PYTHON_CLIENT_PREALLOCATE", raising=False)
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    if asked is not None:
        monkeypatch.setenv("JAX_PLATFORMS", asked)
    environment = worker_environment()
    assert environment["JAX_PLATFORMS"] == taken
    assert environment.get("XLA_PYTHON_CLIENT_PREALLOCATE") == preallocated
    assert default_workers() == (count or cores())


def test_compiled_loops_do_not_train_where_a_gpu_is_asked_for(monkeypatch):
    model = get_model(networks.get("2layer"), "all")
    monkeypatch.setenv("JAX_PLATFORMS", "cuda")
    assert native_engine(model, {}, Schedule()) is None
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    if native_engine(model, {}, Schedule()) is None:
        pytest.skip("there is no compiler")
