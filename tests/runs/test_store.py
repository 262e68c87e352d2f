"""The store: whole chunks, one process, files that are damaged or of another kind."""

import dataclasses
import fcntl
import sqlite3

import pandas as pd
import pytest

from kernelgap.errors import InputError
from kernelgap.paper.claims.measurement import ClaimStore
from kernelgap.runs import ChunkResult, TrialStore, run_chunk
from support import damaged_runs


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


def test_a_run_of_another_kind_is_named_and_left(tmp_path):
    folder = damaged_runs.make_run("claims", tmp_path / "claims")
    with pytest.raises(InputError, match=r"another kind \(claims\): choose another folder"), TrialStore.open(folder):
        pass
    with ClaimStore.open(folder) as store:
        assert store.finished()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"), TrialStore.open(tmp_path / "file" / "run"):
        pass
