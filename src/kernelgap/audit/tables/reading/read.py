"""Tables from files, bundled sets and data frames. Nothing in a file is executed."""

import difflib
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pandas as pd
from sklearn import datasets

from kernelgap.audit.tables.columns import interpret
from kernelgap.audit.tables.notices import Notice, counted, named
from kernelgap.audit.tables.reading.binary import read_feather, read_npz, read_parquet
from kernelgap.audit.tables.reading.raw import Raw, Reservoir
from kernelgap.audit.tables.reading.text import read_delimited
from kernelgap.audit.tables.table import Table, Task, distinct_names
from kernelgap.errors import InputError, unknown

TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data")
PARQUET = (".parquet", ".pq")
FEATHER = (".feather", ".arrow", ".ipc")
PICKLED = (".pkl", ".pickle", ".joblib", ".npy", ".pt", ".pth")
EXCEL = (".xls", ".xlsx", ".ods")
BUNDLED: dict[str, Task] = {
    "breast_cancer": "classification",
    "diabetes": "regression",
    "digits": "classification",
    "iris": "classification",
    "wine": "classification",
}
PREFIX = "sklearn:"
TARGET = "target"


def read_table(
    source: str | Path | pd.DataFrame,
    *,
    seed: int,
    rows: int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    labels: Collection[str] = (),
    texts: Collection[str] = (),
    numbers: Collection[str] = (),
    to_learn: bool = True,
) -> Table:
    """Read a table, with a notice for every decision.

    At most ``rows`` rows are kept, and no more than the memory allows: of more, a uniform sample drawn by ``seed``.
    ``delimiter`` and ``header`` are detected for text files unless given. Columns named in ``labels`` stay texts and
    those in ``numbers`` become numbers whatever they hold, as an earlier preparation needs them; those in ``texts`` are
    texts, dates too. Unless it is
    ``to_learn`` from, a table may have a single row or column, and an NPZ file needs no targets.
    """
    reservoir = Reservoir(seed=seed, rows=rows)
    name = "The data frame" if isinstance(source, pd.DataFrame) else str(source)
    if isinstance(source, pd.DataFrame):
        raw = _from_frame(source, reservoir)
    elif (name.startswith(PREFIX) or name in BUNDLED) and not Path(name).exists():
        raw = _load_bundled(name, reservoir)
    else:
        raw = _read_file(_existing(Path(name)), reservoir, delimiter, header, to_learn)
    _check_shape(name, reservoir.seen, len(raw.names), to_learn=to_learn)
    distinct, repeated = distinct_names(raw.names)
    given = raw.rows.set_axis(distinct, axis=1)
    frame, kinds, column_notices = interpret(
        given, comma_first=raw.comma_first, labels=labels, texts=texts, numbers=numbers, rows=reservoir.seen
    )
    notices = [*raw.notices]
    if reservoir.sampled:
        size = counted(reservoir.capacity or 0, "row")
        sentence = f"{name} has {reservoir.seen:,} rows; a uniform sample of {size} is used."
        notices.append(Notice("sampled", name, sentence))
    if repeated:
        pairs = zip((old.strip() for old in raw.names), distinct, strict=True)
        fresh = named([new for old, new in pairs if old in repeated and new != old])
        sentence = f"{name} has several columns called {named(sorted(repeated))}; they are now called {fresh}."
        notices.append(Notice("names", name, sentence))
    notices += column_notices
    return Table(name, frame, kinds, tuple(notices), raw.targets, raw.task, repeated, reservoir.seen)


def _check_shape(source: str, rows: int, columns: int, *, to_learn: bool) -> None:
    """Refuse a table without columns or rows, and one of a single row or column ``to_learn`` from."""
    if not columns:
        raise InputError(f"{source} is empty: give a file with a heading and rows.")
    if not rows:
        what = "learn from" if to_learn else "predict"
        raise InputError(f"{source} has a heading and no rows: there is nothing to {what}.")
    if rows == 1 and to_learn:
        raise InputError(f"{source} has a single row: learning needs many.")
    if columns == 1 and to_learn:
        raise InputError(f"{source} has a single column: it takes a target and at least one feature.")


def _read_file(path: Path, reservoir: Reservoir, delimiter: str | None, header: bool | None, to_learn: bool) -> Raw:
    kind = path.suffix.lower()
    try:
        if kind in TEXT:
            return read_delimited(path, reservoir, delimiter=delimiter, header=header, to_learn=to_learn)
        if kind in PARQUET:
            return read_parquet(path, reservoir)
        if kind in FEATHER:
            return read_feather(path, reservoir)
        if kind == ".npz":
            return read_npz(path, reservoir, to_learn=to_learn)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
    if kind in PICKLED:
        raise InputError(
            f"{path}: {kind} files can execute code on loading and are not read: save it as Parquet or NPZ."
        )
    if kind in EXCEL:
        raise InputError(f"{path} is a spreadsheet: save the sheet as CSV.")
    if kind in (".gz", ".zip", ".bz2", ".xz", ".zst"):
        raise InputError(f"{path} is packed: unpack it first.")
    known = " ".join((*TEXT, *PARQUET, *FEATHER, ".npz"))
    raise InputError(f"{path}: tables are read from files that end with one of {known}.")


def _from_frame(frame: pd.DataFrame, reservoir: Reservoir) -> Raw:
    if isinstance(frame.columns, pd.MultiIndex):
        raise InputError("The data frame has several levels of column names: give each column a single name.")
    names = [str(name) for name in frame.columns]
    reservoir.add(frame.set_axis(range(len(names)), axis=1))
    return Raw(reservoir.sample(), names)


def _load_bundled(name: str, reservoir: Reservoir) -> Raw:
    """A set of scikit-learn's (``sklearn:diabetes``): the target is the last column, classes have their names."""
    short = name.removeprefix(PREFIX)
    if hasattr(datasets, f"fetch_{short}"):
        raise InputError(f"'{short}' is not bundled with scikit-learn but downloaded: save it as a file first.")
    if short not in BUNDLED:
        raise unknown("bundled set", short, BUNDLED)
    bunch, task = getattr(datasets, f"load_{short}")(as_frame=True), BUNDLED[short]
    target = bunch.target if task == "regression" else [str(bunch.target_names[i]) for i in bunch.target]
    return replace(_from_frame(bunch.data.assign(**{TARGET: target}), reservoir), targets=(TARGET,), task=task)


def _existing(path: Path) -> Path:
    if "://" in str(path) or str(path).startswith(("http:", "https:")):
        raise InputError(f"{path} is an address: download it and give the file.")
    try:
        if path.is_file():
            return path
        if path.is_dir():
            raise InputError(f"{path} is a folder: give a file in it.")
        if path.exists():
            raise InputError(f"{path} is not an ordinary file: save its content in one.")
        beside = sorted(other.name for other in path.parent.iterdir()) if path.parent.is_dir() else []
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    near = difflib.get_close_matches(path.name, beside, n=1)
    raise InputError(f"There is no file {path}." + (f" Did you mean '{path.with_name(near[0])}'?" if near else ""))
