"""Trials, chunks and the store: identity, resumption, and what is refused."""

import dataclasses
import fcntl
import json
import random
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load

from kernelgap import problems
from kernelgap.errors import InputError
from kernelgap.runs import ChunkResult, TrialStore, make_ridge_trial, make_trial, plan_chunks, run_chunk, run_chunks
from kernelgap.runs.trials.identity import digest
from kernelgap.runs.trials.trial import Trial, read_trial
from support import tiny

DESCRIPTION = {
    "problem": "sec8",
    "network": "3resnet",
    "mode": "all",
    "width": 20,
    "samples": 500,
    "rate": 0.1,
    "decay": 1e-3,
    "seed": 0,
}


@pytest.fixture
def chunks():
    return plan_chunks(tiny.tiny.trials("quick", 0))


def test_the_identity_of_a_trial_is_its_description():
    trial = make_trial(**DESCRIPTION)
    assert trial.id == make_trial(**DESCRIPTION).id
    assert trial.id == Trial.model_validate_json(trial.model_dump_json()).id
    assert (
        len(
            {make_trial(**{**DESCRIPTION, key: value}).id for key, value in [("seed", 0), ("rate", 0.2), ("width", 21)]}
        )
        == 3
    )
    assert trial.id == make_trial(**{**DESCRIPTION, "problem": "sec8(alpha=0.3)"}).id
    assert trial.method == "3resnet(all)"


def test_identities_stay_as_they_are():
    """Else no run that was interrupted before an update would go on after it."""
    ridge = {"problem": "sec8", "samples": 500, "seed": 0, "kernel": "ntk2", "ridge": 1e-5}
    assert make_trial(**DESCRIPTION).id == "8cfffc0663f5b586"
    assert make_ridge_trial(**ridge).id == "802ff839abe4191a"
    assert make_trial(**{**DESCRIPTION, "mode": "ntk"}).method == "3resnet(NTK, SGD)"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"width": 0}, "width = 0"),
        ({"decay": -1.0}, "decay = -1.0"),
        ({"rate": float("inf")}, "rate = inf"),
        ({"samples": 20}, "do not fill a batch"),
        ({"network": "3restnet"}, "Did you mean '3resnet'"),
        ({"mode": "hiden"}, "Did you mean 'hidden'"),
        ({"problem": "sec88"}, "Did you mean 'sec8'"),
        ({"seed": -1}, "seed = -1"),
        ({"seed": 2**32}, "seed = 4294967296"),
        ({"colour": 1}, "colour"),
    ],
)
def test_impossible_trials(change, words):
    with pytest.raises(InputError, match=words):
        make_trial(**{**DESCRIPTION, **change})


def test_chunks_depend_on_descriptions_alone(chunks):
    trials = list(tiny.tiny.trials("quick", 0))
    random.Random(3).shuffle(trials)
    assert plan_chunks([*trials, trials[0]]) == chunks
    assert sum(len(c.trials) for c in chunks) == len(trials)
    for chunk in chunks:
        assert len({(t.network, t.mode, t.width, t.seed) for t in chunk.trials}) == 1
    assert [c.cost for c in chunks] == sorted((c.cost for c in chunks), reverse=True)


def test_planning_finds_the_same_identities(chunks):
    for chunk in chunks:
        for trial, identity in zip(chunk.trials, chunk.trial_ids, strict=True):
            assert identity == trial.id == digest(trial.model_dump(mode="json"))
            assert read_trial(trial.as_json) == trial
            common = trial.model_dump(mode="json", exclude=set(trial.searched))
            assert json.loads(trial.identities[1]) == common


def test_a_chunk_gives_the_same_answer_twice(chunks):
    first, second = run_chunk(chunks[-1]), run_chunk(chunks[-1])
    assert first.results == second.results
    other = dataclasses.replace(chunks[-1], trials=tuple(t.model_copy(update={"seed": 1}) for t in chunks[-1].trials))
    assert [r.test_error for r in first.results] != [r.test_error for r in run_chunk(other).results]


def test_a_diverged_trial_is_a_result():
    trial = next(t for t in tiny.tiny.trials("quick", 0) if t.network == "2layer")
    explosive = trial.model_copy(update={"rate": 1e4, "decay": 0.1})
    (chunk,) = plan_chunks([trial, explosive])
    done, diverged = sorted(run_chunk(chunk).results, key=lambda r: r.status == "diverged")
    assert (done.status, diverged.status) == ("done", "diverged")
    assert diverged.test_error == float("inf")
    assert diverged.diverged_at > 0
    assert done.diverged_at is None
    assert len(diverged.curves["test"]) < len(diverged.curves["epochs"]) == len(done.curves["test"])


def weights_of(store: TrialStore, table: pd.DataFrame) -> dict[str, bytes]:
    kept = {trial: store.weights(trial) for trial in table.trial}
    return {trial: file for trial, file in kept.items() if file is not None}


def test_the_best_network_of_a_chunk_keeps_its_weights(chunks, tmp_path):
    chunk = next(c for c in chunks if c.trials[0].kind == "sgd" and c.trials[0].network == "3resnet")
    results = run_chunk(chunk).results
    best = min(results, key=lambda r: r.validation_error)
    assert [r.trial_id for r in results if r.weights is not None] == [best.trial_id]
    with TrialStore.open(tmp_path) as store:
        store.save(chunk, run_chunk(chunk))
        (file,) = weights_of(store, store.table()).values()
    problem = problems.get(chunk.trials[0].problem)
    X, _ = problem.sample(chunk.trials[0].test_samples, [chunk.trials[0].seed, 2])
    W, b1, V, b2, A = (load(file)[name].astype(float) for name in ("W", "b1", "V", "b2", "A"))
    out1 = np.maximum(X @ W.T + b1, 0) @ A.T
    out = out1 + np.maximum(out1 @ V.T + b2, 0) @ A.T
    # float32 sums over tens of terms: relative errors of some 1e-6
    assert best.test_error == pytest.approx(np.mean(np.sum((out - problem.target(X)) ** 2, axis=1)), rel=1e-5)
    assert best.curves["test"][-1] == best.test_error
    assert best.curves["base"][-1] == pytest.approx(np.mean(np.sum((out1 - problem.base(X)) ** 2, axis=1)), rel=1e-5)


def test_only_networks_with_a_first_block_record_its_output(chunks):
    for chunk in chunks:
        for result in run_chunk(chunk).results:
            assert ("base" in result.curves) == (chunk.trials[0].kind == "sgd" and chunk.trials[0].network == "3resnet")


def comparable(table: pd.DataFrame) -> list[dict]:
    return table.drop(columns="curves").astype(object).where(lambda t: t.notna(), None).to_dict("records")


def test_an_interrupted_run_ends_as_an_uninterrupted_one(chunks, tmp_path):
    chunks = chunks[::3]  # of each kind one
    assert {trial.kind for chunk in chunks for trial in chunk.trials} == {"sgd", "ridge"}
    with TrialStore.open(tmp_path / "whole") as store:
        run_chunks(chunks, store, workers=2)
        whole = store.table()
        weights = weights_of(store, whole)

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
        assert weights_of(store, parts) == weights
    assert weights
    assert comparable(whole) == comparable(parts)
    assert whole.curves.tolist() == parts.curves.tolist()
    assert len(whole) == sum(len(c.trials) for c in chunks)


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
        failures = run_chunks(chunks, store, do=slow_after_the_first, executor=executor, until=began + 0.5)
        assert 0.5 <= time.monotonic() - began < 20
        held.set()
        assert failures == []
        assert store.finished() == {chunks[0].id}
        assert run_chunks(chunks, store, do=slow_after_the_first, executor=executor) == []
        assert store.finished() == set(results)


def test_nothing_is_begun_late_but_what_is_under_way_ends(chunks, tmp_path):
    chunks = chunks[-3:]
    results = {chunk.id: run_chunk(chunk) for chunk in chunks}

    def slow(chunk, tell):
        time.sleep(1.0)
        return results[chunk.id]

    with TrialStore.open(tmp_path) as store, ThreadPoolExecutor(1) as executor:
        soon = time.monotonic() + 0.6
        assert run_chunks(chunks, store, do=slow, executor=executor, workers=1, last_start=soon) == []
        assert store.finished() == {chunks[0].id}


def test_a_later_stage_keeps_the_failures_of_an_earlier_one(chunks, tmp_path):
    def fails(chunk, tell):
        raise ArithmeticError("no")

    with TrialStore.open(tmp_path) as store, ThreadPoolExecutor(1) as executor:
        run_chunks(chunks[-1:], store, do=fails, executor=executor)
        kept = run_chunks(chunks[-2:-1], store, do=fails, executor=executor, forget_failures=False)
        assert {failure.chunk for failure in kept} == {chunk.id for chunk in chunks[-2:]}
        assert len(run_chunks(chunks[-1:], store, do=fails, executor=executor)) == 1


def test_a_chunk_is_stored_whole_or_not_at_all(chunks, tmp_path):
    result = run_chunk(chunks[0])
    broken = dataclasses.replace(result, rows=(*result.rows[:-1], (*result.rows[-1][:3], None, *result.rows[-1][4:])))
    with TrialStore.open(tmp_path) as store:
        with pytest.raises(sqlite3.IntegrityError):
            store.save(chunks[0], broken)
        assert store.finished() == set()
        assert store.table().empty
        store.save(chunks[0], result)
        assert len(store.table()) == len(chunks[0].trials)


def test_a_store_from_before_there_were_measures_goes_on(chunks, tmp_path):
    chunks = [chunk for chunk in chunks if chunk.trials[0].kind == "sgd"][-2:]
    first, second = (run_chunk(chunk) for chunk in chunks)
    with TrialStore.open(tmp_path) as store:
        store.save(chunks[0], first)
        new = store.table()
    with sqlite3.connect(tmp_path / TrialStore.FILE) as connection:
        connection.execute("ALTER TABLE trials DROP COLUMN measures")
    connection.close()
    old = new.drop(columns="norm")
    with TrialStore.reading(tmp_path) as store:
        pd.testing.assert_frame_equal(store.table(), old)
        assert store.times().label.tolist() == [chunks[0].label]
    with TrialStore.open(tmp_path) as store:
        pd.testing.assert_frame_equal(store.table(), old)
        store.save(chunks[1], second)
        both = store.table().set_index("trial").norm
    assert both[old.trial].isna().all()
    assert both.notna().sum() == sum(r.status == "done" for r in second.results)


def test_a_full_disk_loses_nothing_that_was_stored(chunks, tmp_path):
    first, second = (run_chunk(chunk) for chunk in chunks[:2])
    large = [dataclasses.replace(r, curves={"test": [0.5] * 50_000}) for r in second.results]
    with TrialStore.open(tmp_path) as store:
        store.save(chunks[0], first)
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")  # SQLite then says that the disk is full
        with pytest.raises(InputError, match=r"disk is full.*kept"):
            store.save(chunks[1], ChunkResult.of(chunks[1], 1.0, large))
        assert store.finished() == {chunks[0].id}
    with TrialStore.open(tmp_path) as store:
        store.save(chunks[1], second)
        assert store.finished() == {chunks[0].id, chunks[1].id}


def test_a_folder_of_another_run_is_refused(tmp_path):
    with TrialStore.open(tmp_path) as store:
        store.describe({"experiment": "tiny", "seed": 0})
        store.describe({"experiment": "tiny", "seed": 0})
        with pytest.raises(InputError, match="differs in seed"):
            store.describe({"experiment": "tiny", "seed": 1})


def test_a_folder_in_use_is_refused(tmp_path):
    (tmp_path / "run.lock").touch()
    with open(tmp_path / "run.lock") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="Another process"), TrialStore.open(tmp_path):
            pass
    with TrialStore.open(tmp_path) as store:
        assert store.finished() == set()


def noise(path):
    path.write_bytes(b"not a database" * 100)


def garbled(path):
    """The header is whole, a page in the middle is not."""
    with open(path, "r+b") as file:
        file.seek(2 * 4096)
        file.write(bytes(range(256)) * 16)


def cut(path):
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size // 2)


@pytest.mark.parametrize("damage", [noise, garbled, cut])
def test_a_damaged_file_is_refused_and_left_alone(chunks, tmp_path, damage):
    with TrialStore.open(tmp_path) as store:
        store.save(chunks[-1], run_chunk(chunks[-1]))
    path = tmp_path / "run.sqlite"
    damage(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"not a readable run.*left as it is: move it away"), TrialStore.open(tmp_path):
        pass
    assert path.read_bytes() == before


def test_what_a_kill_can_leave_of_a_new_file_is_not_damage(tmp_path):
    (tmp_path / "run.sqlite").touch()
    with TrialStore.open(tmp_path) as store:
        assert store.finished() == set()
    (tmp_path / "run.sqlite").unlink()
    with sqlite3.connect(tmp_path / "run.sqlite") as begun:
        begun.execute("PRAGMA journal_mode = WAL")
    begun.close()
    with TrialStore.open(tmp_path) as store:
        assert store.finished() == set()


def test_a_file_of_another_kind_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / "run.sqlite") as other:
        other.execute("CREATE TABLE trials (something TEXT)")
    other.close()
    before = (tmp_path / "run.sqlite").read_bytes()
    with pytest.raises(InputError, match="not a readable run"), TrialStore.open(tmp_path):
        pass
    assert (tmp_path / "run.sqlite").read_bytes() == before


def test_test_errors_are_against_the_target_without_noise():
    trial = next(t for t in tiny.tiny.trials("quick", 0))
    noisy = make_trial(**{**trial.model_dump(), "problem": "hard(d=6, k=2, alpha=0.3, noise=5.0)", "rate": 1e-6})
    (result,) = run_chunk(plan_chunks([noisy])[0]).results
    assert result.validation_error > 20
    assert result.test_error < 10


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"), TrialStore.open(tmp_path / "file" / "run"):
        pass


def test_no_workers_are_refused(chunks, tmp_path):
    with TrialStore.open(tmp_path) as store, pytest.raises(InputError, match="at least 1 worker"):
        run_chunks(chunks, store, workers=0)
