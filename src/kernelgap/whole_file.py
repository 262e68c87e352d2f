"""Files that are written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kernelgap.errors import InputError


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """The path to write to; at the end it takes the place of ``path`` at once, and after an error it is gone."""
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    try:
        yield partial
        with partial.open("rb") as written:
            os.fsync(written.fileno())  # its content first, then its name, whatever happens to the machine
        partial.replace(target)
    except OSError as error:
        raise InputError(f"'{target}' could not be written: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            partial.unlink()
