"""Files that are written whole or not at all."""

import os
from pathlib import Path

import pytest

from kernelgap.atomic_file import atomically
from kernelgap.errors import InputError


def write(path, text, failing=None):
    with atomically(path) as partial:
        partial.write_text(text)
        if failing is not None:
            raise failing


def test_a_file_is_replaced_at_the_end(tmp_path):
    path = tmp_path / "x"
    write(path, "old")
    with atomically(path) as partial:
        partial.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_after_an_error_the_old_one_is_there(tmp_path):
    path = tmp_path / "x"
    write(path, "old")
    with pytest.raises(ZeroDivisionError):
        write(path, "half", ZeroDivisionError())
    with pytest.raises(InputError, match="could not be written: No space left on device"):
        write(path, "half", OSError(28, "No space left on device"))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_no_file_to_write(tmp_path):
    for path in (".", "/", tmp_path):
        with pytest.raises(InputError, match="is a folder"):
            write(path, "x")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"b' could not be written: No such file or directory"):
        write(tmp_path / "a" / "b", "x")


def test_what_is_no_ordinary_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="no ordinary file"), atomically(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()
    for device in (Path("/dev/null"), Path("/dev/full")):
        with pytest.raises(InputError, match="no ordinary file"), atomically(device):
            pass
        assert device.is_char_device()
