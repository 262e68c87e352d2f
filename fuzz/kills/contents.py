"""All that a run has come to, bit by bit, without what differs from time to time: seconds, dates, places, speeds."""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

VOLATILE = {"seconds", "core_seconds", "finished", "failed", "elapsed", "slowdown"} | {
    "folder",
    "report",
    "model",
    "out",
    "path",
}


def contents(folder: Path) -> dict[str, Any]:
    """By name: the rows of each table, in an order of their own, and a digest of every array in a file."""
    found: dict[str, Any] = {}
    with closing(sqlite3.connect(f"{(folder / 'run.sqlite').absolute().as_uri()}?mode=ro", uri=True)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            kept = [column for column in columns if column not in VOLATILE]
            rows = connection.execute(f"SELECT {', '.join(kept) or 'NULL'} FROM {table}")
            found[table] = sorted([tuple(map(_cell, row)) for row in rows])
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix == ".safetensors":
            found[name] = {key: _digest(array) for key, array in sorted(load_file(path).items())}
        elif path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as arrays:
                found[name] = {key: _digest(arrays[key]) for key in sorted(arrays.files)}
    return found


def lasting(answer: Any) -> Any:
    """What a command answered as JSON, without what is volatile; records in an order of their own."""
    if isinstance(answer, dict):
        return {key: lasting(value) for key, value in answer.items() if key not in VOLATILE}
    if isinstance(answer, list):
        found = [lasting(value) for value in answer]
        return sorted(found, key=json.dumps) if all(isinstance(value, dict) for value in found) else found
    return answer


def differences(one: Any, other: Any, where: str = "") -> list[str]:
    """Where two of them differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted({*one, *other}, key=str)
        return [d for k in keys for d in differences(one.get(k), other.get(k), f"{where}/{k}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [d for i, (a, b) in enumerate(zip(one, other, strict=True)) for d in differences(a, b, f"{where}[{i}]")]
    return [] if repr(one) == repr(other) else [f"{where}: {str(one)[:300]} became {str(other)[:300]}"]


def _cell(value: object) -> str:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.dumps(lasting(json.loads(value)), sort_keys=True)
    return value.hex() if isinstance(value, float) else repr(value)


def _digest(array: np.ndarray) -> str:
    return f"{array.dtype.str} {array.shape} {hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()}"
