"""Tables for ``audit`` and ``predict``: read and prepared, and nothing is trained."""

import io
from random import Random
from typing import Any

import numpy as np

from fuzz import mutate, values
from fuzz.case import Case, Place
from fuzz.command import call

CELLS = (
    "",
    " ",
    "NA",
    "nan",
    "None",
    "none",
    "null",
    "?",
    "-",
    "inf",
    "-inf",
    "1e999",
    "e5",
    "e-9",
    "1e5",
    "0x1F",
    "1,5",
    "1.234,5",
    "1,234.5",
    "1'000",
    "1 000",
    "$5",
    "5%",
    "5 kg",
    "01",
    "+1",
    "1.",
    ".5",
    "true",
    "yes",
    "2020-01-01",
    "2020-13-45",
    "12:30",
    "9" * 40,
    "9" * 400,
    "=1+1",
    '"',
    "'",
    "\\N",
    "a;b",
    "ä",
    "日本",
    "\u00a0",
    "\u2212" + "5",
    "٣",
    "1e-400",
    "True",
    "NaN ",
    "#N/A",
    "1_000",
    "é" * 100,
)
NAMES = (
    "y",
    "x",
    "a",
    "b",
    "id",
    "rownames",
    "Unnamed: 0",
    "",
    " ",
    "a",
    "index",
    "target",
    "class",
    "1",
    "ä",
    "日本",
    "a\nb",
    '"',
    "x" * 300,
    "__proto__",
    "0",
    "nan",
    "y ",
    "Y",
)
ENDINGS = (
    (".csv",) * 20 + (".tsv", ".txt", ".parquet", ".feather", ".npz") * 2 + (".CSV", ".csv.gz", ".xlsx", "", ".json")
)


def make(rng: Random, place: Place) -> Case:
    if rng.random() < 0.12:
        return _predict(rng, place)
    columns = _columns(rng)
    ending = rng.choice(ENDINGS)
    path = place.folder / f"table{ending}"
    content = _written(rng, columns, ending)
    path.write_bytes(content)
    target = rng.choice(list(columns)) if columns and rng.random() < 0.9 else rng.choice(NAMES)
    arguments = ["audit", path.name, *_options(rng, list(columns), target)]
    return Case(f"{arguments} {content[:2000]!r}", lambda: call(arguments))


def _options(rng: Random, names: list[str], target: str) -> list[str]:
    options = ["--target", target] if rng.random() < 0.9 else []
    if rng.random() < 0.1:
        options += ["--target", rng.choice([*names, "zz"])]
    if rng.random() < 0.15:
        options += ["--task", rng.choice(("regression", "classification", "x"))]
    if rng.random() < 0.15:
        options += ["--leave-out", rng.choice([*names, "zz"])]
    if rng.random() < 0.1:
        options += ["--rows", rng.choice(("1", "10", "0", "-1", "1000000000000000000000"))]
    if rng.random() < 0.1:
        options += ["--delimiter", rng.choice((",", ";", "\t", "", "ab", " ", "\\t", '"', "\n", "ä", "|"))]
    if rng.random() < 0.1:
        options += [rng.choice(("--header", "--no-header"))]
    return [argument.replace("\0", "") for argument in (*options, "--workers", "1", "--out", "out")]


def _columns(rng: Random) -> dict[str, list[str]]:
    rows = rng.choice((0, 1, 2, 5, 20, 40, *(60, 100, 100, 300) * 4))
    strange = rng.choice((0.1, 0.4, 1.0))
    count = rng.choice((0, 1, 2, 3, 3, 4, 4, 6, 30))
    found: dict[str, list[str]] = {}
    for i in range(count):
        name = rng.choice(NAMES) if rng.random() < 0.3 * strange else f"c{i}"
        found[name] = _column(rng, rows, strange)
    if rng.random() < 0.7:
        found["y"] = _column(rng, rows, strange)
    return found


def _column(rng: Random, rows: int, strange: float = 1.0) -> list[str]:
    """Cells as texts: of any kind, or with less of what is strange numbers and labels."""
    match rng.randrange(12) if rng.random() < strange else rng.choice((1, 2, 5, 11, 11, 11)):
        case 0:
            made: list[Any] = [rng.choice(CELLS) for _ in range(rows)]
        case 1:
            made = [rng.choice(("red", "green", "blue")) for _ in range(rows)]
        case 2:
            made = list(range(1, rows + 1))
        case 3:
            made = [rng.choice(("e-9", "e5", "e7", "1,5")) for _ in range(rows)]
        case 4:
            made = [f"{rng.randrange(1900, 2030)}-{rng.randrange(1, 13)}-{rng.randrange(1, 29)}" for _ in range(rows)]
        case 5:
            made = [rng.randrange(3) for _ in range(rows)]
        case 6:
            made = [values.number(rng) for _ in range(rows)]
        case 7:
            made = [rng.choice(CELLS)] * rows
        case 8:
            made = [f"text {rng.getrandbits(40)}" for _ in range(rows)]
        case 9:
            made = [rng.choice((1e300, -1e300, 1e-300, 0)) for _ in range(rows)]
        case _:
            made = [rng.gauss(0, 1) for _ in range(rows)]
    for _ in range(rng.choice((0, 0, 0, 1, 3)) if rows else 0):
        made[rng.randrange(rows)] = rng.choice(CELLS)
    return [str(cell) for cell in made]


def _written(rng: Random, columns: dict[str, list[str]], ending: str) -> bytes:
    if ending in (".parquet", ".feather"):
        content = _columnar(rng, columns, ending)
    elif ending == ".npz":
        content = _npz(rng)
    else:
        content = _delimited(rng, columns)
    return mutate.octets(content, rng) if rng.random() < 0.12 else content


def _delimited(rng: Random, columns: dict[str, list[str]]) -> bytes:
    by = rng.choice((",",) * 8 + (";", "\t", "|", " "))
    quoted = rng.random() < 0.7
    header = [list(columns)] if rng.random() < 0.9 else []
    rows = [*header, *(list(row) for row in zip(*columns.values(), strict=False))]
    lines = [
        by.join(
            f'"{c.replace(chr(34), chr(34) * 2)}"' if quoted and (by in c or chr(34) in c or "\n" in c) else c
            for c in row
        )
        for row in rows
    ]
    if lines and rng.random() < 0.1:
        lines[rng.randrange(len(lines))] += rng.choice((by, by * 3, '"', by + "extra"))
    text = rng.choice(("\n",) * 8 + ("\r\n", "\r", "\n\n")).join(lines) + rng.choice(("\n", "", "\n\n\n"))
    text = rng.choice(("",) * 15 + ("\ufeff", "# comment\n", "\n\n", "sep=;\n")) + text
    return text.encode(rng.choice(("utf-8",) * 10 + ("utf-16", "utf-32", "latin-1", "utf-16-le", "cp1252")), "replace")


def _columnar(rng: Random, columns: dict[str, list[str]], ending: str) -> bytes:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    rows = len(next(iter(columns.values()), []))
    made: dict[str, Any] = {}
    for name, cells in columns.items():
        made[name.encode("utf-8", "replace").decode()] = _arrow(rng, cells, rows)
    table = pa.table(made)
    out = io.BytesIO()
    if ending == ".parquet":
        pyarrow.parquet.write_table(table, out)
    else:
        try:
            pyarrow.feather.write_feather(table, out)
        except (pa.ArrowInvalid, ValueError, TypeError):
            return b"ARROW1"
    return out.getvalue()


def _arrow(rng: Random, cells: list[str], rows: int) -> Any:
    import datetime
    import decimal

    import pyarrow as pa

    match rng.randrange(14):
        case 0:
            return pa.array([rng.getrandbits(62) for _ in range(rows)], pa.int64())
        case 1:
            return pa.array([decimal.Decimal(rng.randrange(1000)) / 7 for _ in range(rows)]) if rows else pa.nulls(0)
        case 2:
            return pa.array(
                [datetime.datetime(2000, 1, 1) + datetime.timedelta(days=rng.randrange(9999)) for _ in range(rows)],
                pa.timestamp(rng.choice(("ns", "us", "s"))),
            )
        case 3:
            return pa.array([[1.0, 2.0]] * rows, pa.list_(pa.float64()))
        case 4:
            return pa.array([{"a": 1}] * rows, pa.struct([("a", pa.int8())]))
        case 5:
            return pa.nulls(rows)
        case 6:
            return pa.array([rng.choice((True, False, None)) for _ in range(rows)], pa.bool_())
        case 7:
            return pa.array([b"\xff"] * rows, pa.binary())
        case 8:
            return pa.array(cells).dictionary_encode()
        case 9:
            return pa.array([rng.choice((1.0, float("inf"), float("nan"), 1e300)) for _ in range(rows)], pa.float64())
        case 10:
            return pa.array([datetime.timedelta(seconds=rng.randrange(10**6)) for _ in range(rows)], pa.duration("us"))
        case 11:
            return pa.array([datetime.date(2000, 1, 1 + rng.randrange(28)) for _ in range(rows)], pa.date32())
        case 12:
            return pa.array([np.float16(rng.random()) for _ in range(rows)], pa.float16())
        case _:
            return pa.array([rng.gauss(0, 1) for _ in range(rows)], pa.float64())


def _npz(rng: Random) -> bytes:
    rows = rng.choice((0, 1, 5, 50, 100))
    numbers = np.random.default_rng(rng.getrandbits(32))
    X: Any = numbers.normal(size=rng.choice(((rows, 3), (rows,), (rows, 3, 2), (rows, 0), (3, rows), ())))
    y: Any = numbers.normal(size=rows)
    match rng.randrange(8):
        case 0:
            X = X.astype(rng.choice((np.complex128, np.int8, bool, "U5", "S5", np.float16, np.longdouble)))
        case 1:
            y = np.array(["a", "b"] * rows)[:rows]
        case 2:
            y = np.array([None] * rows, dtype=object)
        case 3:
            X = np.where(numbers.random(X.shape) < 0.1, rng.choice((np.nan, np.inf, 1e300)), X)
        case 4:
            y = numbers.normal(size=(rows, 2))
        case 5:
            y = numbers.integers(0, 3, rows)
    out = io.BytesIO()
    names = rng.choice((("X", "y"),) * 5 + (("x", "Y"), ("a", "b"), ("X", "X2"), ("", "y")))
    np.savez(out, **dict(zip(names, (X, y), strict=True)))
    return out.getvalue()


def _predict(rng: Random, place: Place) -> Case:
    """New rows for a model that is in order."""
    model = rng.choice(sorted((place.materials / "models").iterdir()))
    columns = {
        name: _column(rng, 12) for name in ("size", "weight", "colour", "price", "age", "kind") if rng.random() < 0.85
    }
    if rng.random() < 0.2:
        columns[rng.choice(NAMES)] = _column(rng, 12)
    ending = rng.choice(ENDINGS)
    path = place.folder / f"new{ending}"
    content = _written(rng, columns, ending)
    path.write_bytes(content)
    out = rng.choice(([], ["--json"], ["--out", "p.csv"], ["--out", "p.parquet"], ["--out", path.name]))
    arguments = ["predict", str(model), path.name, *out]
    return Case(f"{arguments} {content[:2000]!r}", lambda: call(arguments))
