"""Small runs of every kind, and what can happen to their files. For the tests, and for whoever makes up more of it.

``make_run(kind, folder)`` stores a run of a kind without training anything; each of ``DAMAGES`` is a function of the
run's folder and a random generator that spoils it. After any of them every command on the folder has to end with exit
code 0, 1 or 2 and a sentence, and may not change or remove what was stored.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from kernelgap.images.experiment.learners import ImageChunk
from kernelgap.images.experiment.result import ImageStore
from kernelgap.images.experiment.scales import SetSize
from kernelgap.images.experiment.trials import ImageOutcome
from kernelgap.paper.claims.measurement import ClaimChunk, ClaimStore, measure
from kernelgap.runs import ChunkResult, TrialResult, TrialStore, plan_chunks
from support import tiny

KINDS = ("figure", "study", "claims", "images", "audit")
CLAIM = "lemma.d2"
Damage = Callable[[Path, np.random.Generator], None]


def make_run(kind: str, folder: Path) -> Path:
    """A run of this kind in the folder."""
    {"figure": _figure, "study": _study, "claims": _claims, "images": _images, "audit": _audit}[kind](folder)
    entry = {"began": 1e9, "updated": 1e9 + 60, "share_at_start": 0.0, "share": 1.0, "finished_share": 1.0}
    (folder / "status.json").write_text(json.dumps({**entry, "running": []}))
    (folder / "run.lock").write_text("")
    return folder


def _figure(folder: Path) -> None:
    """The experiment tiny, of which one chunk is left to do."""
    from kernelgap.paper.figures.kind import KIND

    chunks = plan_chunks(tiny.tiny.trials("quick", 0))
    asked = {"experiment": "tiny", "scale": "quick", "seed": 0, "chunks": sorted(chunk.id for chunk in chunks)}
    curves = {"epochs": [0, 8], **{name: [2.0, 0.25] for name in ("train", "validation", "test")}}
    with TrialStore.open(folder) as store:
        store.describe(KIND.describe(asked))
        store.note({key: getattr(tiny.tiny, key) for key in ("title", "problem", "samples", "x")})
        for chunk in chunks[:-1]:
            made = [TrialResult(i, "done", 0.5, 0.5, 0.5, 0.01, None, curves, {"norm": 2.0}) for i in chunk.trial_ids]
            store.save(chunk, ChunkResult.of(chunk, 0.5, made))
        store.fail(chunks[-1], 1, "MemoryError: too wide")


def _study(folder: Path) -> None:
    """The map at scale quick, of which two parts are done."""
    from kernelgap.paper.studies.kind import KIND, MeasuredPart, StudyStore, plan_study

    about = {"d": 40, "degree": 2, "most": 1000, "floor": 500, "kernel": 800, "gradient": 45, "rate": 0.25}
    plan = plan_study("map", "quick", 0, folder)
    with StudyStore.open(folder) as store:
        store.describe(KIND.describe(plan.description))
        store.note(dict(plan.notes))
        for leap, chunk in enumerate(plan.chunks[:2], start=1):
            rows = [{**about, "leap": leap, "seed": seed, "needed": 100.0 + seed} for seed in range(2)]
            store.save(chunk, MeasuredPart(json.dumps(rows), 1.0))
        store.fail(plan.chunks[2], 1, "MemoryError: too wide")


def _claims(folder: Path) -> None:
    from kernelgap.paper.claims.kind import KIND

    work = ClaimChunk(CLAIM, "quick", 0)
    with ClaimStore.open(folder) as store:
        store.describe(KIND.describe({"experiment": "claims", "scale": "quick", "seed": 0}))
        store.note({"chunks": [work.id]})
        store.save(work, measure(work))


def _images(folder: Path) -> None:
    from kernelgap.images.experiment.scales import SCALES

    size = SetSize((28, 28, 1), 10, 60_000, 10_000)
    trials = SCALES["quick"].trials(size, "ab" * 32, 0)
    pieces = [ImageChunk(trial, Path("fashion.npz"), folder) for trial in trials]
    with ImageStore.open(folder) as store:
        store.describe({"experiment": "images", "scale": "quick", "seed": 0, "chunks": [p.id for p in pieces]})
        about = {"set": "fashion", "shape": [28, 28, 1], "classes": [str(i) for i in range(10)], "train": 60_000}
        network = {"depth": SCALES["quick"].depth, "width": SCALES["quick"].width}
        planned = {piece.id: piece.label for piece in pieces}
        store.note({**about, "title": "Images", "test": 10_000, "planned": planned, "network": network})
        for i, piece in enumerate(pieces):
            curves = {"epoch": [1.0, 2.0], "loss": [1.0, 0.5], "accuracy test": [0.5, 0.75]}
            store.save(piece, ImageOutcome(1.0, 7000 + 10 * i, 10_000, "done", {"steps": 10, "weights": 100}, curves))


def _audit(folder: Path) -> None:
    from kernelgap.audit.run import run_audit
    from support.audits import invented, table

    with invented():
        run_audit(table(), "price", folder, leave_out=["kind"])


# What is stored as text or numbers, by kind: (table, column).
CELLS = {
    "figure": [
        *(("run", "value"), ("chunks", "id"), ("chunks", "label"), ("chunks", "seconds"), ("chunks", "finished")),
        *(("trials", column) for column in ("id", "chunk", "description", "status", "curves", "measures")),
        *(("trials", f"{name}_error") for name in ("train", "validation", "test", "test_standard")),
        *(("trials", "diverged_at"), ("failures", "label"), ("failures", "attempts"), ("failures", "error")),
    ],
    "study": [("run", "value"), ("chunks", "seconds"), ("parts", "rows"), ("failures", "label")],
    "claims": [("run", "value"), ("chunks", "seconds"), ("measurements", "claim"), ("measurements", "numbers")],
    "images": [("run", "value"), ("chunks", "seconds"), ("outcomes", "trial"), ("outcomes", "content")],
    "audit": [
        *(("run", "value"), ("chunks", "seconds"), ("judgements", "contender"), ("judgements", "content")),
        *(("outcomes", column) for column in ("contender", "samples", "seed", "setting", "validation_error")),
        *(("outcomes", "predictions"), ("outcomes", "model")),
    ],
}
VALUES: tuple[object, ...] = (
    *("", "{}", "[]", "null", "1", '"x"', "no JSON", "[" * 100_000, '{"a":' * 100_000, '{"train": ["x"]}', "\x1b[31m"),
    *('{"train": 3}', '{"epochs": [0, null], "train": [1, 2]}', "NaN", "1e999", "-1", "\0", "x" * 100_000),
    *(-1, 0, 3, 2**62, -1.5, 1e308, float("inf"), b"", b"\xff\xfe\x00", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'"),
)
JSON_CHANGES: tuple[object, ...] = (None, [], {}, "x", -1, 10**30, 1.5, True, [[1]], {"a": 1}, [None], "\ud800", "0")


def cell_damages(kind: str) -> Iterator[tuple[str, Damage]]:
    """One stored value replaced by another: of every column, by each of ``VALUES``."""
    for table, column in CELLS[kind]:
        for i, value in enumerate(VALUES):
            yield f"{table}.{column} = {str(value)[:20]!r} ({i})", _cell(table, column, value)


def json_damages(folder: Path, kind: str) -> Iterator[tuple[str, Damage]]:
    """One value within the stored JSON replaced by another, or its name left out."""
    with closing(sqlite3.connect(folder / "run.sqlite")) as connection:
        for table, column in CELLS[kind]:
            held = connection.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid LIMIT 2").fetchall()
            for row, text in held:
                if isinstance(text, str) and text[:1] == "{":
                    for where in list(_places(json.loads(text)))[:40]:
                        yield f"{table}.{column} {row} {where}", _inside(table, column, row, where)


def _places(value: object, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*at, key)
        yield from _places(part, (*at, key))


def _inside(table: str, column: str, row: int, where: tuple[str | int, ...]) -> Damage:
    def spoil(folder: Path, rng: np.random.Generator) -> None:
        with closing(sqlite3.connect(folder / "run.sqlite")) as connection, connection:
            text = connection.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()[0]
            found = parent = json.loads(text)
            for key in where[:-1]:
                parent = parent[key]
            change = int(rng.integers(len(JSON_CHANGES) + 1))
            if change == len(JSON_CHANGES):
                del parent[where[-1]]
            else:
                parent[where[-1]] = JSON_CHANGES[change]
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (json.dumps(found), row))

    return spoil


def _cell(table: str, column: str, value: object) -> Damage:
    """The table without what it says of its columns, so that anything can stand in them."""

    def spoil(folder: Path, rng: np.random.Generator) -> None:
        with closing(sqlite3.connect(folder / "run.sqlite")) as connection, connection:
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            connection.execute(f"CREATE TABLE loose ({', '.join(names)})")
            connection.execute(f"INSERT INTO loose SELECT * FROM {table}")
            connection.execute(f"DROP TABLE {table}")
            connection.execute(f"ALTER TABLE loose RENAME TO {table}")
            connection.execute(
                f"UPDATE {table} SET {column} = ? WHERE rowid IN (SELECT min(rowid) FROM {table})", (value,)
            )

    return spoil


def _null(table: str, column: str) -> Damage:
    return _cell(table, column, None)


def _bytes(folder: Path, rng: np.random.Generator) -> None:
    """300 random bytes somewhere in the file."""
    path = folder / "run.sqlite"
    content = bytearray(path.read_bytes())
    for place in rng.integers(0, len(content), 300) if rng.random() < 0.3 else [int(rng.integers(len(content)))]:
        piece = 1 if rng.random() < 0.3 else 300
        content[place : place + piece] = rng.bytes(min(piece, len(content) - int(place)))
    path.write_bytes(content)


def _truncated(folder: Path, rng: np.random.Generator) -> None:
    path = folder / "run.sqlite"
    os.truncate(path, int(rng.integers(path.stat().st_size)))


def _written(name: str, content: bytes | str) -> Damage:
    def spoil(folder: Path, rng: np.random.Generator) -> None:
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)

    return spoil


def _folder_in_place_of(name: str) -> Damage:
    def spoil(folder: Path, rng: np.random.Generator) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).mkdir()

    return spoil


def _pipe_in_place_of(name: str) -> Damage:
    def spoil(folder: Path, rng: np.random.Generator) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return spoil


def _sql(*statements: str) -> Damage:
    def spoil(folder: Path, rng: np.random.Generator) -> None:
        with closing(sqlite3.connect(folder / "run.sqlite")) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return spoil


def _file_in_place_of_the_folder(folder: Path, rng: np.random.Generator) -> None:
    shutil.rmtree(folder)
    folder.write_text("no folder")


ENDLESS = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
ENTRY = '{"began": %s, "updated": %s, "share_at_start": %s, "share": %s, "finished_share": %s, "running": %s}'
HELD = '{"pid": %s, "host": %s, "started": %s}'

DAMAGES: dict[str, Damage] = {  # of any kind of run
    "random bytes": _bytes,
    "truncated": _truncated,
    "empty": _written("run.sqlite", ""),
    "another kind of file": _written("run.sqlite", "SQLite format 3\0" + "x" * 5000),
    "a folder in place of the file": _folder_in_place_of("run.sqlite"),
    "a pipe in place of the file": _pipe_in_place_of("run.sqlite"),
    "a file in place of the folder": _file_in_place_of_the_folder,
    "no description": _sql("DELETE FROM run WHERE key = 'description'"),
    "no about": _sql("DELETE FROM run WHERE key = 'about'"),
    "an endless view": _sql("ALTER TABLE run RENAME TO old", f"CREATE VIEW run {ENDLESS} i AS key, i AS value FROM n"),
    "an endless view of chunks": _sql(
        "ALTER TABLE chunks RENAME TO old",
        f"CREATE VIEW chunks {ENDLESS} i AS id, i AS label, i AS seconds, i AS finished FROM n",
    ),
    "a trigger": _sql("CREATE TRIGGER t AFTER INSERT ON chunks BEGIN DELETE FROM run; END"),
    "a column that computes": _sql(
        "ALTER TABLE run RENAME TO old",
        "CREATE TABLE run (key TEXT, value TEXT GENERATED ALWAYS AS (hex(zeroblob(1000))))",
        "INSERT INTO run (key) SELECT key FROM old",
    ),
    "no tables": _sql("DROP TABLE run"),
    **{
        f"status.json: {text[:30]}": _written("status.json", text)
        for text in (
            *("", "{}", "[]", "null", "no JSON", "[" * 100_000, '{"began": "x"}', '{"updated": 1}', "\0", "\ud7ff"),
            *(ENTRY % values for values in ((1, 2, 0, 0, 0, '"x"'), (1, 2, 0, 0, 0, "[{}]"), (1, 2, 0, 0, 0, "[3]"))),
            *(
                ENTRY % (a, b, s, s, s, "[]")
                for a, b, s in ((1e300, 2, 0), (1, "1e999", 0), ("null", 1, 0), (1, 2, '""'))
            ),
            *(ENTRY % (a, b, s, s, s, "[]") for a, b, s in ((1, 2, 1e300), (1, 2, -7), (10**30, 1, 0), (1, 2, "NaN"))),
        )
    },
    "status.json: a folder": _folder_in_place_of("status.json"),
    "status.json: a pipe": _pipe_in_place_of("status.json"),
    **{
        f"run.lock: {text[:30]}": _written("run.lock", text)
        for text in (
            *("[]", "null", "3", "no JSON", "{" * 100_000, '{"pid": 1}', "\0"),
            *(
                HELD % (pid, json.dumps(os.uname().nodename), '"1"')
                for pid in (10**30, "1e30", -1, 0, '"x"', "null", "[]")
            ),
            *(HELD % (1, host, started) for host, started in (("null", '"1"'), ("3", "3"), ("[]", "{}"))),
        )
    },
    "run.lock: a folder": _folder_in_place_of("run.lock"),
    "run.lock: a pipe": _pipe_in_place_of("run.lock"),
    "signals.json": _written("signals.json", '{"trial": 3, "epochs": [1e999], "base": [1], "target": [null]}'),
    "environment.json": _written("environment.json", "[" * 100_000),
}
