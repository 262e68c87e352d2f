"""Tables in Parquet and Feather files, read batch by batch. What pandas noted in them is not followed."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from kernelgap.audit.tables.reading.raw import Raw, Reservoir
from kernelgap.audit.tables.table import check_width
from kernelgap.errors import InputError

BATCH = 2**16


def read_parquet(path: Path, reservoir: Reservoir) -> Raw:
    """Row group by row group."""
    return _read(path, "Parquet", _parquet_batches(path), reservoir)


def read_feather(path: Path, reservoir: Reservoir) -> Raw:
    """Record batch by record batch."""
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
        raise InputError(f"{path} cannot be read as {kind}: {_first_line(error)}.") from None
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


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
