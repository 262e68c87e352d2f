"""Files that are written whole or not at all."""

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
        partial.replace(target)
    except OSError as error:
        raise InputError(f"'{target}' could not be written: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            partial.unlink()
