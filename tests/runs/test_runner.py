"""Runs that are interrupted, limited in time, or done in stages."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd
import pytest

from kernelgap.errors import InputError
from kernelgap.runs import TrialStore, run_chunk, run_chunks, runner
from kernelgap.runs.workers.local import LocalWorkers
from support import survival


def comparable(table: pd.DataFrame) -> list[dict]:
    return table.drop(columns="curves").astype(object).where(lambda t: t.notna(), None).to_dict("records")


def test_an_interrupted_run_ends_as_an_uninterrupted_one(chunks, tmp_path):
    chunks = chunks[::3]  # of each kind one
    assert {trial.kind for chunk in chunks for trial in chunk.trials} == {"sgd", "ridge"}
    with TrialStore.open(tmp_path / "whole") as store:
        run_chunks(chunks, store, workers=2)
        whole = store.table()
        weights = survival.weights_of(store, whole)

    def stop_after_one(progress):
        if progress.chunks_done >= 1:
            raise KeyboardInterrupt

    with (
        TrialStore.open(tmp_path / "parts") as store,
        pytest.raises(KeyboardInterrupt, match="1 of 4 chunks were finished"),
    ):
        run_chunks(chunks, store, workers=1, on_progress=stop_after_one)
    with TrialStore.open(tmp_path / "parts") as store:
        assert len(store.finished()) == 1
        run_chunks(chunks, store, workers=1)
        parts = store.table()
        assert survival.weights_of(store, parts) == weights
    assert weights
    assert comparable(whole) == comparable(parts)
    assert whole.curves.tolist() == parts.curves.tolist()
    assert len(whole) == sum(len(c.trials) for c in chunks)


@dataclass(frozen=True)
class Large:
    id: str
    memory: int
    cost: float = 1.0

    @property
    def label(self):
        return self.id


@pytest.mark.parametrize(("free", "together"), [(10, {"a", "c"}), (20, {"a", "b"})])
def test_what_does_not_fit_beside_others_waits(free, together):
    """Of works that take 9, 9 and 0 bytes, the second begins beside the first only where there is room."""

    class TwoWorkers(LocalWorkers):
        def __init__(self):
            self.begun = []

        def room(self, seconds):
            return 2

        def submit(self, chunk):
            self.begun.append(chunk.id)
            return Future()

    pool = TwoWorkers()
    dispatcher = runner._Dispatcher(pool, None, None, None, None)
    dispatcher.memory = free
    dispatcher.waiting.extend([Large("a", 9), Large("b", 9), Large("c", 0)])
    dispatcher._send()
    assert set(pool.begun) == together
    assert len(dispatcher.waiting) == 1


def test_what_is_stored_names_what_comes_next(chunks, tmp_path):
    """Three chunks one after another, each named when the one before is stored; interrupted and gone on with."""
    first, *later = sorted(chunks, key=lambda chunk: chunk.cost)[:4]

    def grow(store):
        line = [first, *later]
        return lambda: [after for before, after in pairwise(line) if before.id in store.finished()]

    seen = []

    def stop(progress):
        seen.append((progress.chunks_done, progress.chunks))
        if progress.chunks_done >= 2:
            raise KeyboardInterrupt

    with TrialStore.open(tmp_path) as store, pytest.raises(KeyboardInterrupt, match="2 of 3 chunks were finished"):
        run_chunks([first], store, workers=1, more=grow(store), on_progress=stop)
    assert seen[0] == (0, 1)
    with TrialStore.open(tmp_path) as store:
        assert run_chunks([first], store, workers=2, more=grow(store)) == []
        assert store.finished() == {chunk.id for chunk in (first, *later)}
        assert run_chunks([first], store, workers=2, more=grow(store)) == []


def test_a_chunk_that_fails_ends_its_line_and_not_the_run(chunks, tmp_path):
    first, second, *_ = chunks[-3:]

    def fail(chunk, tell):
        if chunk is second:
            raise ValueError("no luck")
        return run_chunk(chunk)

    with TrialStore.open(tmp_path) as store, ThreadPoolExecutor(1) as executor:
        named = lambda: [second] if store.finished() else []  # noqa: E731
        failures = run_chunks([first], store, work_function=fail, executor=executor, more=named)
        assert [failure.chunk for failure in failures] == [second.id]
        assert store.finished() == {first.id}


def test_a_finished_run_trains_nothing(chunks, tmp_path, monkeypatch):
    chunks = chunks[-3:]
    with TrialStore.open(tmp_path) as store:
        for chunk in chunks:
            store.save(chunk, run_chunk(chunk))

        def refuse(*args):
            raise AssertionError("a worker was started")

        monkeypatch.setattr("kernelgap.runs.runner.local_workers", refuse)
        seen = []
        run_chunks(chunks, store, on_progress=seen.append)
    assert [p.share for p in seen] == [1.0]


def test_a_run_ends_at_its_time_with_what_is_finished(chunks, tmp_path):
    chunks = chunks[-3:]
    results = {chunk.id: run_chunk(chunk) for chunk in chunks}
    held = threading.Event()

    def slow_after_the_first(chunk, tell):
        if chunk is not chunks[0]:
            held.wait(30)
        return results[chunk.id]

    with TrialStore.open(tmp_path) as store, ThreadPoolExecutor(1) as executor:
        began = time.monotonic()
        failures = run_chunks(chunks, store, work_function=slow_after_the_first, executor=executor, until=began + 0.5)
        assert 0.5 <= time.monotonic() - began < 20
        held.set()
        assert failures == []
        assert store.finished() == {chunks[0].id}
        assert run_chunks(chunks, store, work_function=slow_after_the_first, executor=executor) == []
        assert store.finished() == set(results)


def test_nothing_is_begun_late_but_what_is_under_way_ends(chunks, tmp_path):
    chunks = chunks[-3:]
    results = {chunk.id: run_chunk(chunk) for chunk in chunks}

    def slow(chunk, tell):
        time.sleep(1.0)
        return results[chunk.id]

    with TrialStore.open(tmp_path) as store, ThreadPoolExecutor(1) as executor:
        soon = time.monotonic() + 0.6
        assert run_chunks(chunks, store, work_function=slow, executor=executor, workers=1, last_start=soon) == []
        assert store.finished() == {chunks[0].id}


def test_a_later_stage_keeps_the_failures_of_an_earlier_one(chunks, tmp_path):
    def fails(chunk, tell):
        raise ArithmeticError("no")

    with TrialStore.open(tmp_path) as store, ThreadPoolExecutor(1) as executor:
        run_chunks(chunks[-1:], store, work_function=fails, executor=executor)
        kept = run_chunks(chunks[-2:-1], store, work_function=fails, executor=executor, forget_failures=False)
        assert {failure.chunk for failure in kept} == {chunk.id for chunk in chunks[-2:]}
        assert len(run_chunks(chunks[-1:], store, work_function=fails, executor=executor)) == 1


def test_no_workers_are_refused(chunks, tmp_path):
    with TrialStore.open(tmp_path) as store, pytest.raises(InputError, match="at least 1 worker"):
        run_chunks(chunks, store, workers=0)
