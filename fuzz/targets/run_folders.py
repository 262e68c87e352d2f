"""Damaged folders of every kind of run, for ``status``, ``report``, ``run``, ``certify run`` and ``predict``."""

import json
import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random

from fuzz import kinds, mutate, values
from fuzz.case import Case, Place, WrongError
from fuzz.command import Ended, call

DEEP = "[" * 100_000 + "]" * 100_000
COPIED = shutil.ignore_patterns("charts", "*.html")


def make(rng: Random, place: Place) -> Case:
    kinds.add()
    kind = rng.choice(sorted(kinds.KINDS))
    folder = place.folder / "run"
    shutil.copytree(place.materials / "runs" / kind, folder, ignore=COPIED)
    _settle(folder)
    done = [_damage(folder, rng) for _ in range(rng.choice((1, 1, 1, 2)))]
    arguments = _command(kind, rng, place)
    return Case(f"{kind} {arguments} {done}", lambda: _call(arguments))


def _damage(folder: Path, rng: Random) -> str:
    try:
        return rng.choice(DAMAGES)(folder, rng)
    except (sqlite3.Error, OSError, ValueError, TypeError, LookupError, RecursionError):  # there is damage already
        return "damaged already"


def _call(arguments: list[str]) -> Ended:
    ended = call(arguments)
    if "\x1b" in ended.out + ended.err:
        raise WrongError("an escape of the terminal is printed")
    return ended


def _settle(folder: Path) -> None:
    """One file, without a log beside it."""
    with closing(sqlite3.connect(folder / "run.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")


def _command(kind: str, rng: Random, place: Place) -> list[str]:
    draw = rng.random()
    as_json = rng.choice(([], ["--json"]))
    if draw < 0.35:
        return ["status", "run", *as_json]
    if draw < 0.55:
        return ["report", "run", *as_json]
    if draw < 0.65:
        return (
            ["certify", "run", "run", *as_json]
            if kind == "figure"
            else ["predict", "run", str(place.materials / "table.csv")]
        )
    told = [argument.replace("SOURCES", str(place.materials)) for argument in kinds.KINDS[kind].arguments]
    return [*told, "--out", "run", "--workers", "1", *as_json]


def _bytes(folder: Path, rng: Random) -> str:
    path = rng.choice([folder / "run.sqlite"] * 3 + sorted(p for p in folder.rglob("*") if p.is_file()))
    content = bytearray(path.read_bytes())
    if rng.random() < 0.5 and content:
        for _ in range(300):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content)
    else:
        path.write_bytes(mutate.octets(bytes(content), rng))
    return f"bytes of {path.name}"


def _file(folder: Path, rng: Random) -> str:
    path = rng.choice(sorted(p for p in folder.rglob("*") if p.is_file()))
    path.unlink()
    match rng.randrange(6):
        case 0:
            path.mkdir()
            return f"{path.name} is a folder"
        case 1:
            path.symlink_to(path)
            return f"{path.name} is a link to itself"
        case 2:
            path.symlink_to("/dev/null")
            return f"{path.name} is /dev/null"
        case 3:
            path.write_bytes(b"")
            return f"{path.name} is empty"
        case 4:
            path.write_bytes(b"x")
            path.chmod(0)
            return f"{path.name} may not be read"
    return f"{path.name} is gone"


def _cells(folder: Path, rng: Random) -> str:
    """Values in the database, of any type: SQLite keeps what it is given."""
    told = []
    with closing(sqlite3.connect(folder / "run.sqlite")) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(rng.choice((1, 1, 3))):
            table = rng.choice(tables)
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            column = rng.choice(columns)
            rows = [row[0] for row in connection.execute(f"SELECT rowid FROM {table}")]
            if not rows:
                continue
            which = rng.choice(rows)
            old = connection.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (which,)).fetchone()[0]
            new = _cell(old, rng)
            try:
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, which))
            except (sqlite3.Error, OverflowError, UnicodeEncodeError, ValueError):
                continue
            told.append(f"{table}.{column} = {str(new)[:200]!r}")
        connection.commit()
    return "; ".join(told)


def _cell(old: object, rng: Random) -> object:
    if isinstance(old, str) and old[:1] in "{[" and rng.random() < 0.7:
        with suppress(ValueError, RecursionError):  # changed before into what is no JSON, or too deep: another value
            changed = mutate.json_value(json.loads(old), rng)
            return rng.choice((json.dumps, lambda v: json.dumps(v)))(changed)
    choice = rng.randrange(10)
    if choice == 0:
        return DEEP
    if choice == 1:
        return rng.choice(
            ("{}", "[]", "null", "1", '"a"', "{", '{"a": NaN}', '{"a": 1e999}', "[[]]", '{"experiment": []}')
        )
    if choice == 2 and isinstance(old, bytes):
        return mutate.octets(old, rng)
    if choice == 3:
        return b"\xff\x00"
    value = values.anything(rng)
    return value if isinstance(value, int | float | str | bytes) or value is None else str(value)


def _schema(folder: Path, rng: Random) -> str:
    """Tables that are gone, empty, or are something else."""
    with closing(sqlite3.connect(folder / "run.sqlite")) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = rng.choice(tables)
        match rng.randrange(4):
            case 0:
                connection.execute(f"DROP TABLE {table}")
                what = f"no {table}"
            case 1:
                connection.execute(f"DELETE FROM {table}")
                what = f"{table} empty"
            case 2:
                columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
                connection.execute(f"DROP TABLE {table}")
                endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT "
                connection.execute(f"CREATE VIEW {table} AS {endless}{', '.join(f'n AS {c}' for c in columns)} FROM c")
                what = f"{table} is an endless view"
            case _:
                columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
                connection.execute(f"ALTER TABLE {table} RENAME COLUMN {rng.choice(columns)} TO other")
                what = f"{table} with another column"
        connection.commit()
    return what


def _status(folder: Path, rng: Random) -> str:
    path = folder / rng.choice(("status.json", "run.lock"))
    match rng.randrange(5):
        case 0:
            text = rng.choice(("", "{", "[]", "null", "1", DEEP, '{"pid": 1e30}', "\ud800"))
        case 1:
            me = {
                "pid": rng.choice((os.getpid(), 10**30, -1, 0, 1, "1", None, True)),
                "host": os.uname().nodename,
                "started": rng.choice(("", "1", 1, None)),
            }
            path, text = folder / "run.lock", json.dumps(me)
        case 2:
            held = {"pid": 1, "host": rng.choice(("elsewhere", 1, None, "\x1b[31m")), "started": "1"}
            (folder / "run.lock").write_text(json.dumps(held))
            entry = json.loads((folder / "status.json").read_text()) if (folder / "status.json").is_file() else {}
            entry["updated"] = 1e12
            path, text = folder / "status.json", json.dumps(mutate.json_value(entry, rng))
        case _:
            try:
                told = json.loads(path.read_text() or "{}")
            except (OSError, ValueError):
                told = {"pid": 1}
            text = json.dumps(mutate.json_value(told or {"pid": 1, "host": "a", "started": "b"}, rng))
    if path.exists() and path.is_file():
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return f"{path.name} = {text[:200]}"


DAMAGES = (_bytes, _file, _cells, _cells, _cells, _schema, _status, _status)
