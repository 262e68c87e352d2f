"""Damaged runs of every kind: a sentence and exit code 2 from every command, and nothing that is stored is lost."""

import hashlib
import json
import shutil
import sqlite3
import sys
import time
from contextlib import closing

import numpy as np
import pytest

from kernelgap.cli import main
from kernelgap.paper.figures import EXPERIMENTS
from kernelgap.runs import TrialStore, read_status
from kernelgap.runs import store as run_store
from kernelgap.runs.store import DamagedRunError
from support import damaged_runs, tiny

DEEP = "[" * 100_000


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """A run of each kind."""
    folder = tmp_path_factory.mktemp("runs")
    return {kind: damaged_runs.make_run(kind, folder / kind) for kind in damaged_runs.KINDS}


def _no_workers(*_):
    raise AssertionError("a worker was started")


@pytest.fixture
def command(monkeypatch, capsys):
    monkeypatch.setitem(EXPERIMENTS, "tiny", tiny.tiny)
    monkeypatch.setattr("kernelgap.runs.runner.local_workers", _no_workers)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["kernelgap", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            main()
        printed = capsys.readouterr()
        return exit_.value.code, printed.out, printed.err

    return command


def spoiled(run, folder, spoil, seed=0):
    if folder.is_dir():
        shutil.rmtree(folder)
    folder.unlink(missing_ok=True)
    shutil.copytree(run, folder)
    spoil(folder, np.random.default_rng(seed))
    return folder


def content(folder):
    path = folder / "run.sqlite"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else path.exists()


def test_a_run_of_each_kind_is_read(runs, command):
    for kind, folder in runs.items():
        code, out, err = command("status", folder)
        assert (code, err) == (0, ""), kind
        assert "100%" in out or "9 of 10 chunks done" in out


@pytest.mark.parametrize("text", ["a\x1b[2J", "a\ud800b"])
@pytest.mark.parametrize(("key", "name"), [("description", "experiment"), ("description", "scale"), ("about", "title")])
def test_a_figure_whose_texts_cannot_be_printed_is_refused(runs, command, tmp_path, key, name, text):
    def spoil(folder, _):
        with closing(sqlite3.connect(folder / "run.sqlite")) as connection, connection:
            where = "WHERE key = ?"
            old = json.loads(connection.execute(f"SELECT value FROM run {where}", (key,)).fetchone()[0])
            connection.execute(f"UPDATE run SET value = ? {where}", (json.dumps({**old, name: text}), key))

    code, out, err = command("report", spoiled(runs["figure"], tmp_path / "run", spoil))
    assert (code, out) == (2, "")
    assert "is not a readable run" in err
    assert "\x1b" not in err


@pytest.mark.parametrize("kind", damaged_runs.KINDS)
def test_status_of_whatever_happened(runs, command, tmp_path, kind):
    wrong = []
    for name, spoil in damaged_runs.DAMAGES.items():
        for seed in range(12 if name in ("random bytes", "truncated") else 1):
            folder = spoiled(runs[kind], tmp_path / "run", spoil, seed)
            before, began = content(folder), time.monotonic()
            code, out, err = command("status", folder)
            as_told = (code == 0 and not err) or (code == 2 and not out and err.count("\n") == 1)
            if not as_told or content(folder) != before or time.monotonic() - began > run_store.READ_LIMIT:
                wrong.append((name, seed, code, err[-300:]))
    assert wrong == []


@pytest.mark.parametrize("name", ["status.json", "run.lock"])
def test_what_stands_beside_the_results_is_not_needed(runs, command, tmp_path, name):
    for title, spoil in damaged_runs.DAMAGES.items():
        if title.startswith(name):
            code, out, _ = command("status", spoiled(runs["figure"], tmp_path / "run", spoil), "--json")
            record = json.loads(out)
            assert (code, record["done"], record["held"]) == (0, 9, False), title


@pytest.mark.parametrize("table", ["run", "chunks"])
def test_an_endless_view_is_refused_at_once(runs, tmp_path, table):
    spoil = damaged_runs.DAMAGES["an endless view" + ("" if table == "run" else f" of {table}")]
    folder = spoiled(runs["figure"], tmp_path / "run", spoil)
    for look in (TrialStore.reading, TrialStore.open):
        with pytest.raises(DamagedRunError, match=f"it has '{table}', a view that computes"), look(folder):
            pass


def test_a_look_ends_in_time(runs, monkeypatch):
    monkeypatch.setattr(run_store, "READ_LIMIT", 0.2)
    with TrialStore.reading(runs["figure"]) as store:
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        with pytest.raises(DamagedRunError, match="takes longer than"):
            store._rows(endless)
        assert store.finished()  # the next one has its own time


WRONG = {  # of each kind, what no run can hold; reports and further starts refuse it before they do anything
    "figure": [
        *(("run", "value", text) for text in ("no JSON", "[]", "3", "null", DEEP, None)),
        *(("run", "value", text) for text in ('{"seed": "x"}', '{"chunks": [1]}')),
        *(("trials", f"{name}_error", v) for name in ("train", "test") for v in (None, "x", b"1", float("inf"), -1.0)),
        *(("trials", "test_standard_error", value) for value in (None, "NaN", float("inf"))),
        *(("trials", "description", text) for text in ("{}", "[]", "", "no JSON", DEEP, None, b"{}")),
        ("trials", "description", '{"kind": "sgd"}'),
        *(("trials", "curves", text) for text in ("", "[]", "{", DEEP)),
        *(("trials", "curves", f'{{"train": {values}}}') for values in ("3", '["x"]', "[null]")),
        *(("trials", "status", value) for value in ("fine", None, 3)),
        *(("trials", "id", None), ("trials", "diverged_at", "x"), ("chunks", "id", None)),
        ("failures", "attempts", "x"),
    ],
    "study": [
        *(("run", "value", text) for text in ("no JSON", "[]", DEEP)),
        *(("parts", "rows", text) for text in ("", "{}", "[3]", "no JSON", DEEP, "[{}]", None, b"x")),
        ("parts", "rows", '[{"degree": 0}]'),
    ],
    "claims": [
        *(("run", "value", text) for text in ("no JSON", "[]", DEEP, '{"scale": 3}')),
        *(("measurements", "numbers", text) for text in ("", "[1]", "no JSON", DEEP, "{}", None, b"x")),
        *(("chunks", "seconds", value) for value in (None, "x", float("inf"))),
    ],
    "images": [
        *(("run", "value", text) for text in ("no JSON", "[]", DEEP)),
        *(("outcomes", "content", text) for text in ("{}", "[]", "", DEEP, None)),
        ("outcomes", "content", '{"seconds": 1, "right": 5, "tested": 0}'),
        ("outcomes", "content", '{"seconds": 1, "right": 5, "tested": 9, "setting": {"steps": []}}'),
        *(("outcomes", "trial", text) for text in ("{}", "[]", "", "no JSON", DEEP, None)),
    ],
    "audit": [
        *(("run", "value", text) for text in ("no JSON", "[]", DEEP)),
        *(("outcomes", "predictions", value) for value in (b"", b"x", None, "x", b"\x93NUMPY\x01\x00\xff\xff")),
        *(("outcomes", "validation_error", value) for value in (None, "x")),
        *(("outcomes", "samples", "x"), ("judgements", "content", "{}"), ("judgements", "content", DEEP)),
        *(("outcomes", "setting", text) for text in ("[]", "", '{"ridge": []}')),
        ("judgements", "content", '{"columns": {}, "errors": [], "fits": []}'),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", damaged_runs.KINDS)
def test_reports_refuse_what_no_run_can_hold(runs, command, tmp_path, kind):
    wrong = []
    for table, column, value in WRONG[kind]:
        folder = spoiled(runs[kind], tmp_path / "run", damaged_runs._cell(table, column, value))
        before = content(folder)
        code, out, err = command("report", folder)
        told = (code, out, err.count("\n")) == (2, "", 1) and "run.sqlite' is not a readable run: " in err
        if not told or "move it away" not in err or content(folder) != before:
            wrong.append((table, column, str(value)[:30], code, err[-300:]))
    assert wrong == []


def test_a_damaged_run_is_neither_gone_on_with_nor_overwritten(runs, command, tmp_path):
    wrong = []
    cells = [damaged_runs._cell(*cell) for cell in WRONG["figure"]]
    titles = ("truncated", "another kind of file", "a trigger", "an endless view", "no description")
    for seed, spoil in enumerate([*cells, *(damaged_runs.DAMAGES[title] for title in titles)]):
        folder = spoiled(runs["figure"], tmp_path / "run", spoil, seed)
        before = content(folder)
        code, out, err = command("run", "tiny", "--out", folder)
        if (code, out, err.count("\n")) != (2, "", 1) or content(folder) != before:
            wrong.append((seed, code, err[-300:]))
    assert wrong == []


@pytest.mark.parametrize("gone", [True, False])
def test_a_log_without_its_file_is_not_thrown_away(runs, command, tmp_path, gone):
    folder = shutil.copytree(runs["figure"], tmp_path / "run")
    (folder / "run.sqlite-wal").write_bytes(b"log" * 2000)
    (folder / "run.sqlite").unlink() if gone else (folder / "run.sqlite").write_bytes(b"")
    for arguments in (("status", folder), ("run", "tiny", "--out", folder)):
        code, _, err = command(*arguments)
        assert code == 2
        assert "its log 'run.sqlite-wal' is not" in err
        assert (folder / "run.sqlite-wal").read_bytes() == b"log" * 2000


def test_a_chunk_that_lost_its_trials_is_not_taken_for_finished(runs, command, tmp_path):
    folder = shutil.copytree(runs["figure"], tmp_path / "run")
    with closing(sqlite3.connect(folder / "run.sqlite")) as connection, connection:
        connection.execute("DELETE FROM trials WHERE chunk IN (SELECT chunk FROM trials LIMIT 1)")
    code, _, err = command("run", "tiny", "--out", folder)
    assert code == 2
    assert "is finished there without a trial" in err


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == "claims" else pytest.mark.slow) for kind in damaged_runs.KINDS]
)
def test_reports_of_a_run_that_lost_a_table_end_in_a_sentence(runs, command, tmp_path, kind):
    with closing(sqlite3.connect(runs[kind] / "run.sqlite")) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        folder = spoiled(runs[kind], tmp_path / "run", damaged_runs._sql(f"DELETE FROM {table}"))
        code, _, err = command("report", folder, "--json")
        assert code in (0, 2), (table, err)
        assert code == 0 or err.endswith(".\n"), (table, err)


@pytest.mark.parametrize("value", [float("inf"), None, -1.0])
def test_infinite_errors_are_not_certified(runs, command, tmp_path, value):
    spoil = damaged_runs._cell("trials", "validation_error", value)
    folder = spoiled(runs["figure"], tmp_path / "run", spoil)
    with closing(sqlite3.connect(folder / "run.sqlite")) as connection, connection:
        connection.execute("UPDATE trials SET validation_error = ?, test_error = ?", (value, value))
    code, out, err = command("certify", "run", folder, "--out", tmp_path / "cert.zip")
    assert (code, out) == (2, "")
    assert "validation_error of trial" in err
    assert not (tmp_path / "cert.zip").exists()


def test_the_status_of_what_a_hostile_file_says_is_one_line_each(runs, command, tmp_path):
    spoil = damaged_runs._cell("failures", "label", "a\x1b[2Jb\nc")
    code, out, _ = command("status", spoiled(runs["figure"], tmp_path / "run", spoil))
    assert code == 0
    assert "  failed   a\\x1b[2Jb c: MemoryError: too wide" in out.splitlines()


def test_read_status_says_the_same_in_python(runs, tmp_path):
    folder = spoiled(runs["figure"], tmp_path / "run", damaged_runs.DAMAGES["no tables"])
    with pytest.raises(DamagedRunError, match="no such table: run"):
        read_status(folder)
