"""Tables in Parquet, Feather and NPZ files, read in batches. No pickled object is loaded."""

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from kernelgap.audit.tables.notices import Notice
from kernelgap.audit.tables.reading.raw import Raw, Reservoir
from kernelgap.audit.tables.table import check_width
from kernelgap.errors import InputError
from kernelgap.machine import require_memory
from kernelgap.npz_file import array_entries, read_heading

BATCH = 2**16
ROWS, BYTES = 2**14, 2**25  # of an NPZ file that are read at a time
NAMES = {"X": ("x", "data", "inputs", "features"), "y": ("y", "target", "targets", "labels")}


def read_parquet(path: Path, reservoir: Reservoir) -> Raw:
    """Read a Parquet file by row groups. Pandas' own metadata in it are ignored."""
    return _read(path, "Parquet", _parquet_batches(path), reservoir)


def read_feather(path: Path, reservoir: Reservoir) -> Raw:
    """Read a Feather file by record batches. Pandas' own metadata in it are ignored."""
    with path.open("rb") as file:
        if file.read(4) == b"FEA1":
            raise InputError(f"{path} is a Feather file of version 1, an old format: save it as Parquet.")
    return _read(path, "Feather", _feather_batches(path), reservoir)


def _read(path: Path, kind: str, batches: Iterator[pa.Table], reservoir: Reservoir) -> Raw:
    names: list[str] = []
    try:
        for batch in batches:
            names = list(batch.column_names)
            check_width(str(path), len(names))
            numbered = batch.rename_columns([str(i) for i in range(len(names))])
            rows = numbered.to_pandas(ignore_metadata=True, date_as_object=False, types_mapper=_text_type)
            reservoir.add(rows.set_axis(range(len(names)), axis=1))
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise InputError(f"{path} cannot be read as {kind}: {reason}.") from None
    return Raw(reservoir.sample(), names)


def _parquet_batches(path: Path) -> Iterator[pa.Table]:
    with pyarrow.parquet.ParquetFile(path) as file:
        yield file.schema_arrow.empty_table()
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(batch_size=BATCH, row_groups=[group]):
                yield pa.Table.from_batches([batch])


def _feather_batches(path: Path) -> Iterator[pa.Table]:
    with pa.memory_map(str(path)) as source, pyarrow.ipc.open_file(source) as file:
        yield file.schema.empty_table()
        for i in range(file.num_record_batches):
            batch = pa.Table.from_batches([file.get_batch(i)])
            batch.validate(full=True)  # offsets in a damaged file lead anywhere in memory
            for start in range(0, batch.num_rows, BATCH):
                yield batch.slice(start, BATCH)


def _text_type(kind: pa.DataType) -> pd.StringDtype | None:
    return pd.StringDtype() if pa.types.is_string(kind) or pa.types.is_large_string(kind) else None


def read_npz(path: Path, reservoir: Reservoir, *, to_learn: bool) -> Raw:
    """The columns of X, then those of y, which are the targets; y is needed only ``to_learn``."""
    try:
        with zipfile.ZipFile(path) as archive:
            X = _Rows.find(archive, path, "X")
            y = _Rows.find(archive, path, "y") if to_learn or _entry(archive, "y") else None
            if y is not None and X.count != y.count:
                raise InputError(f"{path}: X has {X.count} rows and y has {y.count}, they must be equally many.")
            arrays = [X] if y is None else [X, y]
            check_width(str(path), sum(array.width for array in arrays))
            rows = max(1, min(ROWS, BYTES // sum(array.row_bytes for array in arrays)))
            inputs = [f"x{i}" for i in range(X.width)]
            targets = [] if y is None else ["y"] if y.width == 1 else [f"y{i}" for i in range(y.width)]
            for parts in zip(*(array.blocks(archive, rows) for array in arrays), strict=True):
                frame = pd.concat([pd.DataFrame(part) for part in parts], axis=1)
                reservoir.add(frame.set_axis(range(frame.shape[1]), axis=1))
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, OverflowError, ValueError) as error:
        raise InputError(f"{path} is not an NPZ file, or it is damaged: {error}.") from None
    notices = []
    if len(X.shape) > 2:
        shape = " x ".join(map(str, X.shape[1:]))
        sentence = f"{path}: each input has the shape {shape} and is taken as {X.width} columns."
        notices.append(Notice("shape", "X", sentence))
    return Raw(reservoir.sample(), [*inputs, *targets], notices, tuple(targets))


class _Rows:
    """One array of the archive, by its heading; its rows are read when asked for."""

    def __init__(self, entry: str, shape: tuple[int, ...], by_column: bool, kind: np.dtype) -> None:
        self.entry, self.shape, self.by_column, self.kind = entry, shape, by_column, kind
        self.count = shape[0]
        self.width = int(np.prod(shape[1:], dtype=object))
        self.row_bytes = self.width * kind.itemsize

    @classmethod
    def find(cls, archive: zipfile.ZipFile, path: Path, name: str) -> "_Rows":
        entry = _entry(archive, name)
        if entry is None:
            arrays = ", ".join(sorted(array_entries(archive))) or "none"
            raise InputError(f"{path} has no array {name}, only {arrays}: save it with numpy.savez(file, X=X, y=y).")
        with archive.open(entry) as file:
            shape, by_column, kind = read_heading(file, f"{path}: {name}")
            held_bytes = archive.getinfo(entry).file_size - file.tell()
        if kind.kind not in "biufUSMm":
            what = "Python objects, which are never loaded" if kind.hasobject else f"values of type {kind}"
            raise InputError(f"{path}: {name} holds {what}: save numbers or fixed-width text.")
        if not shape or 0 in shape[1:] or (name == "y" and len(shape) > 2):
            raise InputError(f"{path}: {name} has the shape {shape}, it must be rows x columns.")
        rows = cls(entry, shape, by_column and len(shape) > 1, kind)
        if rows.count * rows.row_bytes != held_bytes or not kind.itemsize:
            raise InputError(f"{path}: {name} says that its shape is {shape}, and the file does not hold that much.")
        return rows

    def blocks(self, archive: zipfile.ZipFile, step: int) -> Iterator[np.ndarray]:
        """The rows, some at a time."""
        size = self.row_bytes
        if self.by_column:
            require_memory(2 * self.count * size, f"The array {self.entry}", "Save it in C order, and it is sampled.")
        with archive.open(self.entry) as file:
            read_heading(file, self.entry)
            if self.by_column:
                flat = np.frombuffer(_exactly(file, self.count * size), self.kind)
                values = flat.reshape(self.shape, order="F").reshape(self.count, self.width)
                yield from (_native(values[i : i + step]) for i in range(0, self.count, step))
                return
            for i in range(0, self.count, step):
                rows = min(step, self.count - i)
                yield _native(np.frombuffer(_exactly(file, rows * size), self.kind).reshape(rows, self.width))


def _entry(archive: zipfile.ZipFile, name: str) -> str | None:
    """Where X or y is, under whichever name."""
    held = array_entries(archive)
    return next((held[key] for key in NAMES[name] if key in held), None)


def _exactly(file: IO[bytes], count: int) -> bytes:
    content = file.read(count)
    if len(content) != count:
        raise EOFError("it ends too early")
    return content


def _native(values: np.ndarray) -> np.ndarray:
    """In this machine's byte order, and bytes as text."""
    if values.dtype.kind == "S":
        return np.char.decode(values, "latin-1")
    return values.astype(values.dtype.newbyteorder("="))
