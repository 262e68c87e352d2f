"""Files that are written whole or not at all, and small ones that are read whole or not at all."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kernelgap.errors import InputError

SMALL = 2**20  # bytes


def read_small(path: str | Path, most: int = SMALL) -> bytes:
    """The content of a file of at most so many bytes; an OSError if it has more, or is a device, a pipe or a folder."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file", str(path))
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return content


@contextmanager
def atomically(path: str | Path) -> Iterator[Path]:
    """The path to write to; at the end it takes the place of ``path`` at once, and after an error it is gone."""
    target = Path(path)
    if not target.name or target.is_dir():
        raise InputError(f"'{target}' could not be written: it is a folder. Give the name of a file.")
    if target.exists() and not target.is_file():  # a device such as /dev/null, a pipe: not to be replaced by a file
        raise InputError(f"'{target}' could not be written: it is no ordinary file. Give the name of another one.")
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
