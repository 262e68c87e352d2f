"""Runs that are killed, starved of disk, started twice: what was finished is kept, and the end is the same."""

import dataclasses
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from kernelgap.errors import InputError
from kernelgap.paper.figures import EXPERIMENTS
from kernelgap.runs import ChunkResult, TrialStore, read_status, run_chunk, run_chunks
from kernelgap.runs.start import run as start
from kernelgap.runs.trials.execute import run_chunk as really_run
from support import survival, tiny
from support.workers import Workers


@pytest.fixture
def moments(request):
    """Random moments; the seed is printed with a failure."""
    seed = int(os.environ.get("KERNELGAP_TEST_SEED", time.time_ns() % 2**32))
    print(f"KERNELGAP_TEST_SEED={seed}")
    return random.Random(seed)


def killed_again_and_again(folder, moments, kills):
    """Start it, kill it somewhere, start it again ..."""
    for _ in range(kills):
        process = survival.start("tiny", folder, "--workers", 1)
        survival.until(lambda process=process: (folder / "run.sqlite").exists() or process.poll() is not None)
        time.sleep(moments.uniform(0, 5))
        survival.kill(process.pid)
        process.communicate()


def test_a_coordinator_killed_at_random_moments(tmp_path, moments, uninterrupted):
    killed_again_and_again(tmp_path, moments, kills=2)
    survival.finish(survival.start("tiny", tmp_path, "--workers", 1))
    assert survival.stored(tmp_path) == uninterrupted


def finished_chunks(folder):
    try:
        return read_status(folder).done
    except InputError:  # not there yet
        return 0


@pytest.mark.slow
def test_a_search_killed_within_its_steps_ends_as_another(tmp_path, moments):
    """What comes next in a search depends on what is stored alone."""
    survival.finish(survival.start("searched", tmp_path / "whole", "--workers", 1))
    folder, whole = tmp_path / "parts", survival.stored(tmp_path / "whole")
    for kill in range(1, 4):
        process = survival.start("searched", folder, "--workers", 1)
        survival.until(
            lambda kill=kill, process=process: finished_chunks(folder) >= 3 * kill or process.poll() is not None
        )
        time.sleep(moments.uniform(0, 0.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert len(survival.stored(folder)) < len(whole)  # it was killed before its end
    survival.finish(survival.start("searched", folder, "--workers", 1))
    assert survival.stored(folder) == whole


@pytest.mark.slow
def test_workers_killed_at_random_moments(tmp_path, moments, uninterrupted):
    process = survival.start("tiny", tmp_path, "--workers", 1)
    for _ in range(2):
        workers = survival.until(lambda: survival.workers_of(process.pid) or [0] * (process.poll() is not None))
        time.sleep(moments.uniform(0, 4))
        if workers != [0]:
            survival.kill(moments.choice(workers))
    assert "failed" not in survival.finish(process)
    assert survival.stored(tmp_path) == uninterrupted


@pytest.mark.slow
def test_everything_killed_many_times(tmp_path, moments, uninterrupted):
    for round_ in range(4):
        folder = tmp_path / str(round_)
        killed_again_and_again(folder, moments, kills=4)
        process = survival.start("tiny", folder, "--workers", 2)
        time.sleep(moments.uniform(0, 8))
        for worker in survival.workers_of(process.pid):
            survival.kill(worker)
        survival.finish(process)
        assert survival.stored(folder) == uninterrupted


def test_two_coordinators_and_one_who_looks(tmp_path, monkeypatch):
    first = survival.start("long", tmp_path, "--workers", 1)
    survival.until(lambda: (tmp_path / "status.json").exists())
    second = survival.start("long", tmp_path)
    _, words = second.communicate(timeout=300)
    assert second.returncode == 2
    assert f"Another process ({first.pid} on " in words

    seen = survival.until(lambda: (found := read_status(tmp_path)).running and found)
    assert (seen.held, seen.pid, seen.experiment, seen.chunks) == (True, first.pid, "long", 8)
    assert seen.done + len(seen.running) + seen.failed + seen.left == 8
    workers = survival.until(lambda: survival.workers_of(first.pid))
    survival.kill(first.pid)
    first.communicate()
    seen = read_status(tmp_path)
    assert (seen.held, seen.pid, seen.running, seen.remaining) == (False, None, (), None)
    survival.until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), within=60)
    with TrialStore.open(tmp_path) as store:  # the lock went with its holder
        assert len(store.finished()) == seen.done


LOG = "KERNELGAP_TEST_LOG"


def fragile(do, chunk):
    """Dies at every attempt, dies at the first, raises, or works, as the chunk's name says."""
    log = Path(os.environ[LOG])
    before = log.read_text().count(chunk.label) if log.exists() else 0
    with open(log, "a") as file:
        file.write(chunk.label + "\n")
    if chunk.label.startswith("ck2") or (chunk.label.startswith("gaussian(factor=0.5") and not before):
        os.kill(os.getpid(), signal.SIGKILL)
    if chunk.label.startswith("gaussian(factor=2.0"):
        raise ZeroDivisionError("not\nthis\ntime")
    return really_run(chunk)


def test_a_worker_that_dies_is_replaced_and_its_chunk_tried_again(chunks, tmp_path, monkeypatch):
    monkeypatch.setattr("kernelgap.runs.workers.local._work", fragile)
    monkeypatch.setenv(LOG, str(tmp_path / "log"))
    kernels = [c for c in chunks if c.label.startswith(("ck2", "gaussian", "3resnet(last)"))]
    assert len(kernels) == 5
    seen = []
    with TrialStore.open(tmp_path) as store:
        failures = run_chunks(kernels, store, workers=1, on_progress=seen.append)
        finished = store.finished()
    tried = (tmp_path / "log").read_text().split("\n")
    assert {f.label: f.attempts for f in failures} == {"ck2 seed 0": 3, "gaussian(factor=2.0) seed 0": 1}
    assert [tried.count(c.label) for c in kernels if c.label.startswith("ck2")] == [3]
    assert "worker process died (SIGKILL(-9)), perhaps for lack of memory (3 times)" in failures[0].error
    assert failures[1].error == "ZeroDivisionError: not this time"
    assert finished == {c.id for c in kernels} - {f.chunk for f in failures}
    assert str(seen[-1]) == "3 of 5 chunks, 2 failed"
    status = read_status(tmp_path)
    assert (status.done, status.failed, status.held) == (3, 2, False)
    assert status.as_record()["failures"][1]["error"] == "ZeroDivisionError: not this time"

    with TrialStore.open(tmp_path) as store, ThreadPoolExecutor(1) as executor:  # again, on another kind of executor
        assert run_chunks(kernels, store, executor=executor) == []
        assert store.finished() == {c.id for c in kernels}
    assert read_status(tmp_path).failed == 0


class Broken(Executor):
    def submit(self, function, /, *arguments, **named):
        from concurrent.futures import BrokenExecutor

        future = Future()
        future.set_exception(BrokenExecutor("all gone"))
        return future


def test_a_strange_executor_that_breaks_ends_the_run(chunks, tmp_path):
    with TrialStore.open(tmp_path) as store, pytest.raises(InputError, match=r"executor broke \(all gone\)"):
        run_chunks(chunks, store, executor=Broken())


def test_a_run_of_failures_alone_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, "tiny", tiny.tiny)
    monkeypatch.setattr("kernelgap.runs.runner.local_workers", lambda count, do: Raising(room=3))
    with pytest.raises(InputError, match=r"All 10 chunks failed.*MemoryError: too wide"):
        start("tiny", out=tmp_path)


class Raising(Workers):
    """Workers at which every chunk raises."""

    def submit(self, chunk):
        future = Future()
        future.set_exception(MemoryError("too wide"))
        return future


# Store chunks on a disk of a given size until it is full, give it more room, and go on.
FULL = """
import subprocess, sys
from support import tiny
from kernelgap.errors import InputError
from kernelgap.runs import ChunkResult, TrialStore, TrialResult, plan_chunks
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", sys.argv[1]], check=True)
chunks = [c for seed in range(40) for c in plan_chunks(tiny.tiny.trials("quick", seed))]
def result(chunk):
    curves = {"test": [0.123456789] * 100}
    made = [TrialResult(i, "done", 1.0, 1.0, 1.0, 0.1, None, curves) for i in chunk.trial_ids]
    return ChunkResult.of(chunk, 1.0, made)
saved = []
try:
    with TrialStore.open(sys.argv[1]) as store:
        for chunk in chunks:
            store.save(chunk, result(chunk))
            saved.append(chunk.id)
except InputError as error:
    assert "disk is full" in str(error) and "is kept" in str(error), error
assert 0 < len(saved) < len(chunks), len(saved)
subprocess.run(["mount", "-o", "remount,size=8m", sys.argv[1]], check=True)
with TrialStore.open(sys.argv[1]) as store:
    assert store.finished() == set(saved)
    for chunk in chunks:
        if chunk.id not in store.finished():
            store.save(chunk, result(chunk))
    assert len(store.table()) == sum(len(chunk.trials) for chunk in chunks)
print("kept", len(saved), "of", len(chunks))
"""


def with_mounts(program, *arguments):
    """Run a program where it may mount file systems that nobody else sees."""
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], capture_output=True).returncode:
        pytest.skip("no mounts of our own here")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(survival.TINY.parents[1])])}
    command = [*alone, sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def test_a_disk_that_is_really_full(tmp_path):
    assert with_mounts(FULL, tmp_path).stdout.startswith("kept")


# Every kind of run in a folder that cannot be written, and a look at one there.
READ_ONLY = """
import shutil, subprocess, sys
from kernelgap.cli import main
place, run, table = sys.argv[1:]
subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
shutil.copytree(run, place + "/run")
subprocess.run(["mount", "-o", "remount,ro", place], check=True)
def code(*words):
    sys.argv = ["kernelgap", *words]
    try:
        main()
    except SystemExit as ended:
        return ended.code or 0
for out in ("/run", "/new"):
    assert code("run", "fig2a", "--out", place + out) == 2
    assert code("claims", "lemma.d2", "--out", place + out) == 2
    assert code("audit", table, "--target", "y", "--out", place + out) == 2
assert code("status", place + "/run") == 0
assert code("report", place + "/run") == 2
"""


def test_a_folder_that_cannot_be_written(chunks, tmp_path):
    with TrialStore.open(tmp_path / "run") as store:
        store.save(chunks[-1], run_chunk(chunks[-1]))
    (tmp_path / "table.csv").write_text("x,y\n" + "".join(f"{i * i % 97},{i % 31}\n" for i in range(100)))
    (tmp_path / "place").mkdir()
    done = with_mounts(READ_ONLY, tmp_path / "place", tmp_path / "run", tmp_path / "table.csv")
    assert "Traceback" not in done.stderr
    assert done.stderr.count("kernelgap: ") == 7


def test_files_that_may_not_grow(chunks, tmp_path):
    """As with a quota: also what is no part of the store gives way."""
    first, second = (run_chunk(chunk) for chunk in chunks[-2:])
    large = [dataclasses.replace(r, curves={"test": [0.5] * 50_000}) for r in second.results]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with TrialStore.open(tmp_path) as store:
        store.save(chunks[-2], first)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
        try:
            with pytest.raises(InputError, match=r"could not be stored.*kept"):
                store.save(chunks[-1], ChunkResult.of(chunks[-1], 1.0, large))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert store.finished() == {chunks[-2].id}
        store.save(chunks[-1], second)
    with TrialStore.open(tmp_path) as store:
        assert store.finished() == {chunk.id for chunk in chunks[-2:]}


def test_a_chunk_is_never_counted_twice(chunks, tmp_path):
    result = run_chunk(chunks[-1])
    with TrialStore.open(tmp_path) as store:
        store.save(chunks[-1], result)
        with pytest.raises(sqlite3.IntegrityError):
            store.save(chunks[-1], result)
        assert len(store.table()) == len(chunks[-1].trials)


@pytest.mark.parametrize("text", ["", "{", '{"pid": 1}', "[]"])
def test_status_of_a_run_whose_other_files_are_odd(text, chunks, tmp_path):
    with TrialStore.open(tmp_path) as store:
        store.save(chunks[-1], run_chunk(chunks[-1]))
    (tmp_path / "run.lock").write_text(text)
    (tmp_path / "status.json").write_text(text if text != '{"pid": 1}' else "{}")
    status = read_status(tmp_path)
    assert (status.done, status.held, status.share, status.elapsed) == (1, False, 1.0, None)


def test_status_of_nothing(tmp_path):
    with pytest.raises(InputError, match="There is no run in"):
        read_status(tmp_path)
    (tmp_path / "run.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(InputError, match="left as it is"):
        read_status(tmp_path)
