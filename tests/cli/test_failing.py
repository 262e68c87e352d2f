"""What becomes of errors that come through all layers: one sentence and 2, or a trace in a file and 70."""

import errno
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import jax
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pydantic import TypeAdapter, ValidationError

from kernelgap.cli import catalogue, main
from kernelgap.cli.failing import LONGEST, one_line, sentence_of
from kernelgap.errors import InputError, shown


@pytest.fixture
def failing(monkeypatch, capsys, tmp_path):
    """The command 'list' with an error in the midst of it: exit code, standard output, standard error."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def command(error, *arguments):
        def fail():
            raise error

        monkeypatch.setattr(catalogue, "catalogue", fail)
        monkeypatch.setattr(sys, "argv", ["kernelgap", "list", *arguments])
        with pytest.raises(SystemExit) as exit_:
            main()
        printed = capsys.readouterr()
        return exit_.value.code, printed.out, printed.err

    return command


def of_pydantic():
    with pytest.raises(ValidationError) as info:
        TypeAdapter(dict[str, int]).validate_python({"a": "x"})
    return info.value


def raised(do, kind):
    with pytest.raises(kind) as info:
        do()
    return info.value


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (InputError("Too long.\nGive less."), "kernelgap: Too long. Give less.\n"),
        (InputError("a\x1b[31mb"), "kernelgap: a\\x1b[31mb\n"),
        (OSError(errno.ENAMETOOLONG, "File name too long", "a" * 5000), "longer than the file system allows"),
        (OSError(errno.ENOSPC, "No space left on device"), "make room"),
        (OSError(errno.EACCES, "Permission denied", "secret"), "'secret': permission denied"),
        (OSError(errno.EROFS, "Read-only file system", "x"), "read-only"),
        (OSError(errno.EISDIR, "Is a directory", b"x\xff"), "that is a folder"),
        (OSError(errno.EIO, "Input/output error", "x"), "'x': Input/output error."),
        (OSError("no number"), "no number"),
        (MemoryError(), "memory"),
        (jax.errors.JaxRuntimeError("INTERNAL: Out of memory allocating 25600000000 bytes."), "memory"),
        (jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: no room"), "memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "memory"),
        (RecursionError("maximum recursion depth exceeded"), "nested too deeply"),
        (EOFError("Ran out of input"), "ends before its content does"),
        (sqlite3.DatabaseError("database disk image is malformed"), "disk image is malformed"),
        (raised(lambda: open("a\0b"), ValueError), "NUL character"),  # noqa: SIM115
        (raised(lambda: int("9" * 5000), ValueError), "thousands of digits"),
        (raised(lambda: "\ud800".encode(), UnicodeError), "not Unicode"),
        (raised(lambda: np.empty(2**55), MemoryError), "Unable to allocate"),
        (raised(lambda: pd.read_csv(Path("/dev/null")), pd.errors.EmptyDataError), "cannot be read"),
        (pa.ArrowInvalid("Not a Parquet file"), "Not a Parquet file"),
        (of_pydantic(), "a = 'x' is not possible"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_errors_of_the_input_are_one_sentence(failing, error, words, tmp_path):
    for arguments in ((), ("--json",)):
        code, out, err = failing(error, *arguments)
        assert (code, out) == (2, "")
        assert err.startswith("kernelgap: ")
        assert words in err
        assert err.count("\n") == 1
        assert len(err) < LONGEST + 50
    assert not list(tmp_path.iterdir())  # no trace is kept


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("division by zero"), KeyError("x"), ValueError("odd"), AssertionError()]
)
def test_an_error_of_our_own_keeps_its_trace_in_a_file(failing, error, tmp_path):
    code, out, err = failing(error)
    assert (code, out) == (70, "")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert type(error).__name__ in err
    (kept,) = tmp_path.iterdir()
    assert str(kept) in err
    assert "report" in err
    text = kept.read_text()
    assert "Traceback" in text
    assert "command: kernelgap list" in text
    assert kept.stat().st_mode & 0o077 == 0


def test_where_no_trace_can_be_written_the_line_says_where_it_arose(failing, monkeypatch):
    def refuse(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    code, _, err = failing(ZeroDivisionError("division by zero"))
    assert code == 70
    assert "test_failing.py, line" in err
    assert err.count("\n") == 1


def test_an_interruption_that_nobody_took(failing):
    code, out, err = failing(KeyboardInterrupt())
    assert (code, out, err) == (130, "", "kernelgap: interrupted.\n")


def test_a_reader_who_has_enough(failing):
    code, _, err = failing(BrokenPipeError(errno.EPIPE, "Broken pipe"))
    assert (code, err) == (1, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_an_answer_that_cannot_be_written():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kernelgap", "list", "--json"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "No space left" in done.stderr


def test_what_a_sentence_repeats_is_short():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    for value in ("x" * 10**6, 10**5000, nested, ["\0"] * 1000):
        assert len(shown(value)) < 150
    assert shown(3.5) == "3.5"
    assert one_line("a\n b\x07") == "a b\\x07"
    assert sentence_of(KeyError("x")) is None
