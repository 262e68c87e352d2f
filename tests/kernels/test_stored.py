"""Gram matrices on disk: what is computed, what survives, and what is refused."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.estimators import KernelClassifier
from kernelgap.kernels import stored, stored_gram
from kernelgap.kernels.stored import GramFile
from kernelgap.lock import holding

NTK3 = kernels.get("ntk3")


@pytest.fixture
def X(rng):
    return rng.standard_normal((23, 6))


@pytest.fixture
def Z(rng):
    return rng.standard_normal((9, 6))


def content(folder):
    return (folder / "gram.npy").read_bytes()


def without_blocks(folder, *starts):
    """As if blocks had not been finished: their lines in the log begin so."""
    log = folder / "gram.blocks"
    log.write_text("".join(line for line in log.read_text().splitlines(keepends=True) if not line.startswith(starts)))


def counting(monkeypatch):
    """The shapes of the blocks that are computed from here on."""
    seen = []
    plain = stored._Wanted.values

    def values(self, block):
        seen.append(block)
        return plain(self, block)

    monkeypatch.setattr(stored._Wanted, "values", values)
    return seen


@pytest.mark.parametrize("text", ["ntk3", "laplace(bandwidth=2.0)", "ck2 * gaussian(bandwidth=3.0)"])
@pytest.mark.parametrize("rows", [5, None])
def test_it_is_the_kernels_matrix(text, rows, X, Z, tmp_path):
    """To rounding: products of matrices, sums over positions and the centring of distances run over other blocks."""
    kernel = kernels.get(text)
    square = stored_gram(kernel, X, folder=tmp_path / "square", rows=rows)
    other = stored_gram(kernel, Z, X, folder=tmp_path / "other", rows=rows)
    largest = np.abs(kernel(X)).max()
    np.testing.assert_allclose(square, kernel(X), rtol=0, atol=1e-13 * largest)
    np.testing.assert_allclose(other, kernel(Z, X), rtol=0, atol=1e-13 * largest)
    assert np.array_equal(square, square.T)
    assert isinstance(square, np.memmap)
    assert not square.flags.writeable
    if rows is None:
        assert np.array_equal(square, kernel(X))
        assert np.array_equal(other, kernel(Z, X))


@pytest.mark.slow
def test_a_convolutional_kernel(rng, tmp_path):
    kernel = kernels.get("cntk(image=(2, 3, 1), pooling=True)")
    X = rng.standard_normal((12, 6))
    gram = stored_gram(kernel, X, folder=tmp_path, rows=4)
    np.testing.assert_allclose(gram, kernel(X), rtol=1e-13)


def test_blocks_aligned_with_the_kernels_tiles_agree_bit_for_bit(rng, tmp_path):
    X = rng.standard_normal((600, 5))
    assert np.array_equal(stored_gram(NTK3, X, folder=tmp_path, rows=256), NTK3(X))


def test_a_finished_matrix_is_only_read(X, tmp_path, monkeypatch):
    before = np.array(stored_gram(NTK3, X, folder=tmp_path, rows=7))
    seen = counting(monkeypatch)
    with holding(tmp_path):  # as another process would
        assert np.array_equal(stored_gram(NTK3, X, folder=tmp_path), before)  # blocks of 7, as it began with
    assert not seen


def test_progress_is_told(X, tmp_path):
    shares = []
    stored_gram(NTK3, X, folder=tmp_path, rows=8, on_progress=shares.append)
    assert shares[0] == 0
    assert shares[-1] == 1
    assert shares == sorted(shares)
    assert len(shares) == 7


def test_blocks_take_seconds_whatever_the_machine():
    side = stored._side
    assert side(NTK3, 784) == stored.MOST_ROWS
    plain, pooled = (kernels.get(f"cntk(image=(28, 28, 1), depth=3, pooling={p})") for p in (False, True))
    assert side(plain, 784) == 128
    assert side(pooled, 784) == 4
    assert side(2.0 * pooled + NTK3, 784) == 4


KILLED = """
import sys, time
import numpy as np
from kernelgap import kernels
from kernelgap.kernels import stored
plain = stored._Wanted.values
seen = []
def values(self, block):
    seen.append(block)
    print("block", flush=True)
    time.sleep(600 if len(seen) == 5 else 0)  # until it is killed
    return plain(self, block)
stored._Wanted.values = values
stored.stored_gram(kernels.get("ntk3"), np.load(sys.argv[1]), folder=sys.argv[2], rows=4)
"""


def test_killed_and_started_again(X, tmp_path, monkeypatch):
    np.save(tmp_path / "X.npy", X)
    whole, folder = tmp_path / "whole", tmp_path / "killed"
    stored_gram(NTK3, X, folder=whole, rows=4)
    source = str(Path(stored.__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "X.npy"), str(folder)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": source, "JAX_PLATFORMS": "cpu"},
    )
    with process:
        for _ in range(5):
            assert process.stdout.readline() == b"block\n"
        with pytest.raises(InputError, match=rf"Another process \({process.pid} on .* is running in"):
            stored_gram(NTK3, X, folder=folder, rows=4)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    seen = counting(monkeypatch)
    assert np.array_equal(stored_gram(NTK3, X, folder=folder), np.load(whole / "gram.npy"))
    assert len(seen) == 17  # of 21: 4 were finished
    assert content(folder) == content(whole)


@pytest.mark.parametrize("torn", [0, 1, 40, -2, -1])
def test_killed_while_the_log_was_written(torn, X, tmp_path, monkeypatch):
    """Of the last line, or of the first, only a part has reached the disk."""
    stored_gram(NTK3, X, folder=tmp_path / "whole", rows=8)
    first, *lines = (tmp_path / "whole" / "gram.blocks").read_text().splitlines(keepends=True)
    for number, (done, last) in enumerate([("", first), ("".join([first, *lines[:3]]), lines[3])]):
        folder = tmp_path / f"killed{number}"
        shutil.copytree(tmp_path / "whole", folder)
        (folder / "gram.blocks").write_text(done + last[:torn])
        if not number:
            (folder / "gram.npy").unlink()  # it is made after the first line
        with warnings.catch_warnings(), monkeypatch.context() as patch:
            warnings.simplefilter("error")
            seen = counting(patch)
            stored_gram(NTK3, X, folder=folder, rows=8)
        assert len(seen) == 6 - 3 * number
        assert content(folder) == content(tmp_path / "whole")
        assert (folder / "gram.blocks").read_text() == "".join([first, *lines])


@pytest.mark.parametrize("written", [0, 1, 8, 9, 24, 28, 42])
def test_stopped_within_a_block(written, X, tmp_path, monkeypatch):
    """Wherever a write is cut short, what was finished is kept, and the end is the same to the last bit."""
    stored_gram(NTK3, X, folder=tmp_path / "whole", rows=8)
    left, pwrite = [written], os.pwrite

    def full(file, content, offset):
        if left[0] == 0:
            pwrite(file, content[: len(content) // 2], offset)
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 1
        return pwrite(file, content, offset)

    folder = tmp_path / "stopped"
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(InputError, match=r"No space left on device\. Finished blocks are kept"):
            stored_gram(NTK3, X, folder=folder, rows=8)
    finished = (folder / "gram.blocks").read_text().count("\n") - 1
    seen = counting(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stored_gram(NTK3, X, folder=folder)
    assert len(seen) == 6 - finished
    assert content(folder) == content(tmp_path / "whole")


def test_a_disk_without_room_is_said_at_once(X, tmp_path, monkeypatch):
    def full(file, offset, size):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    seen = counting(monkeypatch)
    with pytest.raises(InputError, match=r"gram.npy' of .* GiB could not be written: No space left"):
        stored_gram(NTK3, X, folder=tmp_path)
    assert not seen


def test_the_disk_is_not_filled(tmp_path):
    """As many numbers as this disk has room for: refused before anything is written."""
    free = shutil.disk_usage(tmp_path).free
    wide = np.zeros((int((free / 8) ** 0.5), 1))
    with pytest.raises(InputError, match=r"needs .* GB more in .* GB are free, and .* GB are to stay so"):
        stored_gram(NTK3, wide, folder=tmp_path / "new" / "folder")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("total", "left", "fits"),
    [
        (10**11, 10**10, True),  # a tenth of 100 GB stays
        (10**11, 10**10 - 1, False),
        (10**9, 10**9 - 1, False),  # more than a tenth of the disk, but less than 1 GB
        (5 * 10**9, 10**9, True),
    ],
)
def test_a_tenth_of_the_disk_and_one_gigabyte_stay_free(X, tmp_path, monkeypatch, total, left, fits):
    free = left + 8 * len(X) ** 2
    monkeypatch.setattr(shutil, "disk_usage", lambda path: (total, total - free, free))
    if fits:
        stored_gram(NTK3, X, folder=tmp_path, rows=8)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: (total, total, 0))
        GramFile.require_room(tmp_path, (len(X), len(X)))  # a file that is there takes no more
    else:
        with pytest.raises(InputError, match="are to stay so"):
            stored_gram(NTK3, X, folder=tmp_path, rows=8)


def test_a_log_that_cannot_be_written(X, tmp_path, monkeypatch):
    stored_gram(NTK3, X, folder=tmp_path / "whole", rows=8)
    folder, left, fsync = tmp_path / "full", [3], os.fsync

    def full(file):
        if os.path.samestat(os.fstat(file), (folder / "gram.blocks").stat()):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
        fsync(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(
            InputError, match=r"gram.blocks' could not be written: No space left on device\. Finished blocks are kept"
        ):
            stored_gram(NTK3, X, folder=folder, rows=8)
    stored_gram(NTK3, X, folder=folder)
    assert content(folder) == content(tmp_path / "whole")


def cut(path):
    os.truncate(path, path.stat().st_size - 9)


def cut_short(path):
    os.truncate(path, 40)


def flipped(place):
    def flip(path):
        data = bytearray(path.read_bytes())
        data[place] ^= 1
        path.write_bytes(data)

    return flip


def lengthened(path):
    with path.open("ab") as file:
        file.write(b"\0" * 16)


@pytest.mark.parametrize(
    ("damage", "blocks"),
    [
        (cut, 1),
        (cut_short, 6),
        (Path.unlink, 6),
        (flipped(-1), 1),
        (flipped(128 + 8 * 20), 1),
        (flipped(128 + 8 * 23 * 20), 1),
    ],
)
@pytest.mark.parametrize("unfinished", [False, True])
def test_damaged_blocks_are_computed_again(damage, blocks, unfinished, X, tmp_path, monkeypatch):
    """Cut off, or one bit flipped in the last block, in the upper half, in the mirrored one."""
    stored_gram(NTK3, X, folder=tmp_path, rows=8)
    before = content(tmp_path)
    if unfinished:  # (8, 8) is not finished
        without_blocks(tmp_path, "8 8 ")
    damage(tmp_path / "gram.npy")
    seen = counting(monkeypatch)
    named = blocks - (unfinished and blocks == 6)
    with pytest.warns(UserWarning, match=rf"{named} of {6 - unfinished} blocks .* again"):
        stored_gram(NTK3, X, folder=tmp_path)
    assert len(seen) == named + unfinished
    assert content(tmp_path) == before


@pytest.mark.parametrize("damage", [flipped(0), flipped(70), lengthened])
def test_a_damaged_heading_is_written_again(damage, X, tmp_path, monkeypatch):
    stored_gram(NTK3, X, folder=tmp_path)
    before = content(tmp_path)
    damage(tmp_path / "gram.npy")
    seen = counting(monkeypatch)
    stored_gram(NTK3, X, folder=tmp_path)
    assert content(tmp_path) == before
    assert not seen


@pytest.mark.parametrize("finished", [True, False])
def test_another_matrix_is_refused(finished, X, Z, tmp_path):
    stored_gram(NTK3, X, folder=tmp_path, rows=8)
    before = content(tmp_path)
    if not finished:
        without_blocks(tmp_path, "8 ")
    other = X.copy()
    other[3, 2] = np.nextafter(other[3, 2], 9)
    for message, kernel, arguments, rows in [
        (r"differs in the kernel \(ntk3, and not ntk2\): choose another", kernels.get("ntk2"), (X,), None),
        ("differs in the rows of X, the rows of Z: choose", NTK3, (other,), None),
        ("differs in the rows of X, the rows of Z: choose", NTK3, (X[:-1],), None),
        ("differs in the rows of Z: choose", NTK3, (X, Z), None),
        ("differs in whether Z is X: choose", NTK3, (X, X.copy()), None),
        (r"differs in the size of blocks \(8, and not 9\): choose", NTK3, (X,), 9),
    ]:
        with pytest.raises(InputError, match=message):
            stored_gram(kernel, *arguments, folder=tmp_path, rows=rows)
    assert content(tmp_path) == before


def test_a_foreign_folder_is_refused(X, tmp_path):
    def refused(name, message):
        with pytest.raises(InputError, match=message):
            stored_gram(NTK3, X, folder=tmp_path / name)

    for name in "abcde":
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "thesis.tex").write_text("...")
    refused("a", r"holds other things too, such as 'thesis.tex': choose a folder of its own")
    assert len(list((tmp_path / "a").iterdir())) == 1  # left as it was
    np.save(tmp_path / "b" / "gram.npy", np.eye(23))
    refused("b", "has a gram.npy of which nothing is known")
    for damaged in (b"not a log\n", b"[1]\n", b"\xff\n", b'{"rows": 4}\n0 0 short\n', b'{"rows": 4}\nzero\n'):
        (tmp_path / "c" / "gram.blocks").write_bytes(damaged)
        refused("c", "gram.blocks' does not say what the folder holds: .* It was left as it is")
    for rows in ('"4"', "-4", "[]"):
        (tmp_path / "c" / "gram.blocks").write_text(f'{{"rows": {rows}}}\n')
        refused("c", "holds the Gram matrix of something else")
    (tmp_path / "d" / "gram.sqlite").touch()
    refused("d", "was written by an older kernelgap: move it away, or choose another folder")
    (tmp_path / "e" / "gram.blocks").touch()  # killed before its first line
    assert np.array_equal(stored_gram(NTK3, X, folder=tmp_path / "e"), NTK3(X))
    (tmp_path / "f").write_text("a file")
    refused("f", "cannot be written: File exists")


def test_what_is_no_settled_kernel_is_refused(X, tmp_path):
    for kernel, message in [
        (kernels.get("gaussian"), r"gaussian takes a number from the data: take it with fit\(X\)"),
        (kernels.get("precomputed"), "save that matrix itself"),
        (kernels.from_function(lambda A, B: A @ B.T), "is code of yours"),
        ("ntk3", "takes a kernel"),
    ]:
        with pytest.raises(InputError, match=message):
            stored_gram(kernel, X, folder=tmp_path)
    with pytest.raises(InputError, match="rows"):
        stored_gram(NTK3, X, folder=tmp_path, rows=0)
    with pytest.raises(InputError, match="without rows"):
        stored_gram(NTK3, X[:0], folder=tmp_path)
    with pytest.raises(InputError, match="columns"):
        stored_gram(NTK3, X, X[:, :2], folder=tmp_path)
    assert not any(tmp_path.iterdir())


def test_an_overflow_ends_it(X, tmp_path):
    with pytest.raises(InputError, match="overflow"):
        stored_gram(kernels.get("polynomial(degree=9)"), 1e40 * X, folder=tmp_path)


def test_regression_from_the_files(rng, tmp_path):
    """Training and test matrices of one is_fitted kernel, in place of the inputs."""
    X, new = rng.standard_normal((60, 4)), rng.standard_normal((30, 4))
    y = (X[:, 0] > 0).astype(int)
    kernel = kernels.get("gaussian").fit(X)
    train = stored_gram(kernel, X, folder=tmp_path / "train")
    test = stored_gram(kernel, new, X, folder=tmp_path / "test")
    direct = KernelClassifier("gaussian", ridge=0.1).fit(X, y)
    stored_one = KernelClassifier("precomputed", ridge=0.1).fit(train, y)
    np.testing.assert_allclose(stored_one.decision_function(test), direct.decision_function(new), rtol=1e-9)
    chosen = KernelClassifier("precomputed", random_state=0).fit(train, y)
    assert chosen.ridge_ == KernelClassifier("gaussian", random_state=0).fit(X, y).ridge_
    assert np.array_equal(train, np.load(tmp_path / "train" / "gram.npy"))
