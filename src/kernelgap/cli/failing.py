"""Errors at the command line: a sentence and exit code 2 where the input is to blame, else a trace in a file and 70.

Layers below raise ``InputError`` with a sentence of their own. This is for all other exceptions.
"""

import contextlib
import errno
import os
import platform
import shlex
import sys
import tempfile
import traceback
from importlib.metadata import version

from kernelgap import console
from kernelgap.errors import InputError, first_mistake, short

BAD_INPUT = 2
OWN_MISTAKE = 70  # EX_SOFTWARE
LONGEST = 1500  # characters of a sentence
READERS = ("pandas", "pyarrow", "safetensors", "yaml", "zipfile", "tomllib")  # whose errors are about a file

NO_MEMORY = ("RESOURCE_EXHAUSTED", "Out of memory")  # what XLA says
ADVICE = {  # by the number of the system's error
    errno.ENAMETOOLONG: "the name is longer than the file system allows: give a shorter one",
    errno.ENOENT: "there is no such file or folder",
    errno.EACCES: "permission denied: choose another place, or change its permissions",
    errno.EPERM: "that is not permitted: choose another place",
    errno.EROFS: "the file system is read-only: choose another place with --out",
    errno.EISDIR: "that is a folder: give a file",
    errno.ENOTDIR: "a part of the path is a file, not a folder: check the path",
    errno.ELOOP: "its symbolic links lead in a circle: give another path",
    errno.EMFILE: "too many files are open: raise 'ulimit -n'",
    errno.ENFILE: "too many files are open on this machine: try again later",
}


def end_with(error: Exception) -> int:
    """Print one line on standard error and return the exit code."""
    sentence = sentence_of(error)
    if sentence is not None:
        console.message(f"kernelgap: {one_line(sentence)}")
        return BAD_INPUT
    what = short(one_line(str(error)))
    name = f"{type(error).__name__}: {what}" if what else type(error).__name__
    console.message(
        f"kernelgap: An error in kernelgap, not in your input ({name}). {_write_trace(error)} "
        "What a run had finished is kept."
    )
    return OWN_MISTAKE


def sentence_of(error: BaseException) -> str | None:
    """A sentence with advice for the user; None if the error does not seem to be the input's fault."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        return _of_system(error)
    if isinstance(error, MemoryError):
        return f"The memory of this machine is not enough ({error or 'no more can be had'}): ask for something smaller."
    if isinstance(error, RecursionError):
        return "Something in the input is nested too deeply to be read: write it flatter."
    if isinstance(error, UnicodeError):
        return f"A text is not Unicode, or holds characters that a file cannot ({error}): use other characters."
    if type(error) is ValueError:
        return _of_value(str(error))
    return _of_library(error)


def _of_system(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{error.strerror}: make room and give the same command again; what is stored is kept."
    if error.errno == errno.ENOMEM:
        return "The memory of this machine is not enough: ask for something smaller, or close other programs."
    what = ADVICE.get(error.errno or 0, error.strerror or str(error) or type(error).__name__).rstrip(".")
    name = error.filename.decode(errors="replace") if isinstance(error.filename, bytes) else error.filename
    return f"'{short(str(name))}': {what}." if name is not None else f"A file cannot be used: {what}."


def _of_value(text: str) -> str | None:
    """Python's own checks of a path and of a whole number, which have no type of their own."""
    if "embedded null" in text:
        return "A path holds a NUL character, which no file's name can: give another path."
    if text.startswith("Exceeds the limit"):
        return "A whole number has thousands of digits, which is more than can be read: give a smaller one."
    return None


def _of_library(error: BaseException) -> str | None:
    from pydantic import ValidationError  # imported already: errors.py needs it

    if isinstance(error, ValidationError):
        return first_mistake(error)
    library = type(error).__module__.partition(".")[0]
    if library == "sqlite3":
        return (
            f"The file of a run cannot be used: {error}. It was left as it is: move it away, or choose another folder."
        )
    if library in READERS:
        return f"A file cannot be read: {type(error).__name__}: {error}."
    if library in ("jaxlib", "jax") and any(words in str(error) for words in NO_MEMORY):
        return "The memory of this machine is not enough for this computation: ask for something smaller."
    return None


def one_line(text: str) -> str:
    """On one line, without control characters, and cut if long."""
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in " ".join(text.split()))
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]} ..."


def _write_trace(error: Exception) -> str:
    """Write the trace to a temporary file; a sentence says where it is."""
    system = f"kernelgap {version('kernelgap')}, Python {platform.python_version()}, {platform.platform()}"
    text = f"{system}\ncommand: {shlex.join(sys.argv)}\n{''.join(traceback.format_exception(error))}"
    try:
        handle, path = tempfile.mkstemp(prefix="kernelgap-trace-", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as refused:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"It arose in {last.filename}, line {last.lineno}; its trace cannot be written ({refused.strerror})."
    return f"The full trace is in {path}: please report it, with that file and the command, to kernelgap's authors."


def quiet_end() -> None:
    """The reader of our output has ended, as 'head' does: discard what is left."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
