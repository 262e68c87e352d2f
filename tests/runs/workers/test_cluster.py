"""A Dask cluster of separate processes on loopback: the same results, also when a worker is killed."""

import contextlib
import gc
import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from kernelgap.errors import InputError
from kernelgap.paper.figures import EXPERIMENTS
from kernelgap.runs import TrialStore, plan_chunks, run_chunks
from kernelgap.runs.start import run as start
from kernelgap.runs.workers.cluster import _connected, unfit
from kernelgap.runs.workers.local import SINGLE_THREADED, single_threaded
from support import survival, tiny

pytest.importorskip("distributed")


@pytest.fixture
def dask():
    """Starts parts of a cluster, and ends them with the test."""
    parts = []
    plain = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(survival.TINY.parents[1])])}

    def start(*arguments, **environment):
        command = [sys.executable, "-m", "dask", *map(str, arguments)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        parts.append(subprocess.Popen(command, env={**plain, **environment}, **quiet))
        return parts[-1]

    start.parts = parts
    yield start
    for part in parts:
        part.kill()
        part.wait()


@pytest.fixture
def scheduler(dask):
    with contextlib.closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    dask("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
    return f"tcp://127.0.0.1:{port}"


def worker(dask, scheduler, *more, **environment):
    return dask("worker", scheduler, "--nthreads", 1, "--no-nanny", "--no-dashboard", *more, **environment)


def joined(address, number):
    from distributed import Client

    with Client(address, timeout="300s", set_as_default=False) as client:
        client.wait_for_workers(number, timeout=300)


def test_a_run_on_a_cluster_of_which_a_worker_is_killed(dask, scheduler, tmp_path, monkeypatch, uninterrupted):
    monkeypatch.setitem(EXPERIMENTS, "tiny", tiny.tiny)
    workers = [worker(dask, scheduler, **single_threaded(), JAX_PLATFORMS="cpu") for _ in range(2)]
    joined(scheduler, 2)
    seen = []

    def watch(progress):
        if progress.chunks_done >= 2 and workers[0].poll() is None:
            workers[0].kill()
            workers[0].wait()
        seen.append(progress)

    run = start("tiny", out=tmp_path, cluster=scheduler, on_progress=watch)
    assert workers[0].poll() is not None
    assert workers[1].poll() is None
    assert run.failures == ()
    assert survival.stored(tmp_path) == uninterrupted
    assert len(seen) > 3


def test_workers_that_are_not_fit_are_named(dask, scheduler, tmp_path):
    chunks = plan_chunks(tiny.tiny.trials("quick", 0))
    threaded = dask("worker", scheduler, "--nthreads", 2, "--no-nanny", "--no-dashboard")
    joined(scheduler, 1)
    with TrialStore.open(tmp_path) as store:
        with pytest.raises(InputError, match=r"Dask worker tcp://\S+ has 2 threads: start it with --nthreads 1"):
            run_chunks(chunks, store, cluster=scheduler)
        threaded.terminate()
        threaded.wait()
        worker(dask, scheduler, **{**SINGLE_THREADED, "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"})
        joined(scheduler, 1)
        with pytest.raises(InputError, match=r"is not single-threaded: before starting it, export XLA_FLAGS='--xla"):
            run_chunks(chunks, store, cluster=scheduler)
        assert store.finished() == set()


def test_fitness(monkeypatch):
    for name, value in SINGLE_THREADED.items():
        monkeypatch.setenv(name, f"--other {value}" if name == "XLA_FLAGS" else value)
    assert unfit({}) == ""
    assert "install numpy 0.0.1" in unfit({"numpy": "0.0.1"})
    monkeypatch.setenv("NPROC", "2")
    assert "export NPROC='1'" in unfit({})


def test_no_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr("kernelgap.runs.workers.cluster.ANSWER", "1s")
    chunks = plan_chunks(tiny.tiny.trials("quick", 0))
    with TrialStore.open(tmp_path) as store:
        for address in ("tcp://127.0.0.1:9", "nonsense://x", "tcp://nowhere.invalid:8786"):
            began = time.monotonic()
            with pytest.raises(InputError, match=rf"No Dask scheduler answers at '{address}'"):
                run_chunks(chunks, store, cluster=address)
            assert time.monotonic() - began < 30
        with pytest.raises(InputError, match="either a number of workers or a cluster"):
            run_chunks(chunks, store, cluster="tcp://127.0.0.1:9", workers=2)


@pytest.mark.parametrize(
    "greeting", [b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", b"\x04" + bytes(15), b""]
)
def test_something_else_answers(greeting, monkeypatch):
    monkeypatch.setattr("kernelgap.runs.workers.cluster.ANSWER", "2s")

    def serve():
        with contextlib.suppress(OSError):
            while True:
                with listening.accept()[0] as connection, contextlib.suppress(OSError):
                    connection.sendall(greeting)
                    connection.recv(2**16)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(InputError, match=f"No Dask scheduler answers at '{address}'"):
            _connected(address)


def test_a_client_that_came_to_nothing_is_not_left_behind(tmp_path, monkeypatch):
    """Collected while another starts, it would wait for ever for a lock that the other holds."""
    from distributed import Client

    monkeypatch.setattr("kernelgap.runs.workers.cluster.ANSWER", "1s")
    gc.collect()
    before = sum(type(thing) is Client for thing in gc.get_objects())
    gc.disable()
    try:
        with pytest.raises(InputError, match="No Dask scheduler answers"):
            _connected("tcp://127.0.0.1:9")
        assert sum(type(thing) is Client for thing in gc.get_objects()) == before
    finally:
        gc.enable()


def test_without_dask(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with TrialStore.open(tmp_path) as store, pytest.raises(InputError, match=r"pip install 'kernelgap\[cluster\]'"):
        run_chunks(plan_chunks(tiny.tiny.trials("quick", 0)), store, cluster="tcp://127.0.0.1:9")


@pytest.mark.slow
def test_a_scheduler_that_goes_away_ends_the_run(dask, scheduler, tmp_path):
    """Dask's client looks for it half a minute."""
    chunks = plan_chunks(tiny.long.trials("quick", 0))
    worker(dask, scheduler, **single_threaded())
    joined(scheduler, 1)

    def watch(progress):
        if progress.share > 0:
            dask.parts[0].kill()

    with TrialStore.open(tmp_path) as store, pytest.raises(InputError, match=r"workers were lost; \d of 8 chunks"):
        run_chunks(chunks, store, cluster=scheduler, on_progress=watch)
