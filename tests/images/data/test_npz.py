"""NPZ files of images."""

import zipfile

import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.images.data import ImageData, Images, read_images, write_npz
from support.image_files import pixels


@pytest.fixture
def data(rng):
    return ImageData(
        Images(pixels(rng, 6, 4, 5, 3), np.arange(6) % 2, ("cat", "dög")),
        Images(pixels(rng, 2, 4, 5, 3), np.array([1, 0]), ("cat", "dög")),
    )


def test_written_and_read(tmp_path, data):
    path = write_npz(data, tmp_path / "x.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["x.npz"]
    for found in (read_images(path), read_images(tmp_path)):
        for part, given in ((found.train, data.train), (found.test, data.test)):
            np.testing.assert_array_equal(part.images, given.images)
            np.testing.assert_array_equal(part.labels, given.labels)
        assert found.classes == ("cat", "dög")


@pytest.mark.parametrize("keys", ["x_train y_train x_test y_test", "train_images train_labels test_images test_labels"])
def test_usual_names(tmp_path, data, keys):
    arrays = (data.train.images, data.train.labels[:, None].astype(np.uint8), data.test.images, data.test.labels)
    np.savez_compressed(tmp_path / "x.npz", **dict(zip(keys.split(), arrays, strict=True)))
    found = read_images(tmp_path / "x.npz", classes=["a", "b", "c"])
    np.testing.assert_array_equal(found.test.images, data.test.images)
    assert found.classes == ("a", "b", "c")


def test_one_part_is_split_by_seed(tmp_path, data):
    np.savez(path := tmp_path / "x.npz", X=np.asfortranarray(data.train.images), y=data.train.labels)
    found = read_images(path, test=2, seed=3)
    assert (len(found.train), len(found.test)) == (4, 2)
    assert found.classes == ("0", "1")
    np.testing.assert_array_equal(found.test.images, data.train.subset(2, seed=3).images)
    for given in ({}, {"test": 2}, {"seed": 3}):
        with pytest.raises(InputError, match="no test part: say how many"):
            read_images(path, **given)
    with pytest.raises(InputError, match="1 to 5 can be held out, not 6"):
        read_images(path, test=6, seed=0)


def test_a_test_part_is_not_drawn_twice(tmp_path, data):
    with pytest.raises(InputError, match="a test part of its own"):
        read_images(write_npz(data, tmp_path / "x.npz"), test=1, seed=0)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.zeros(2)}, "has the arrays a, and not x_train, y_train"),
        ({"X": np.array([None, {}]), "y": np.zeros(2, int)}, r"X.npy \(at byte 0\) holds Python objects"),
        ({"X": np.zeros((2, 3, 3)), "y": np.zeros(2, int)}, r"X.npy \(at byte 0\) holds float64 values"),
        ({"X": np.zeros((2, 3, 3), int), "y": np.zeros(3, int)}, "2 images need 2 labels"),
        ({"X": np.zeros((2, 9), int), "y": np.zeros(2, int)}, "shape"),
        ({"X": np.zeros((2, 3, 3), int), "y": np.zeros(2, int), "classes": np.array([1])}, "a list of text"),
        ({"X": np.zeros((2, 3, 3), int), "y": np.array([0, -1])}, "label -1"),
        ({"X": np.zeros((2, 3, 3), int), "y": np.array([0, 2**40])}, "label 1099511627776"),
    ],
)  # fmt: skip
def test_arrays_that_are_no_images(tmp_path, arrays, message):
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(InputError, match=message):
        read_images(tmp_path / "x.npz", test=1, seed=0)


def test_every_cut_is_refused(tmp_path, data):
    good = write_npz(data, tmp_path / "x.npz").read_bytes()
    for length in range(0, len(good), 37):
        (tmp_path / "x.npz").write_bytes(good[:length])
        with pytest.raises(InputError, match=r"x.npz is not an NPZ file, or it is damaged"):
            read_images(tmp_path / "x.npz")


def test_damage_is_named_with_its_entry(tmp_path, data):
    path = write_npz(data, tmp_path / "x.npz")
    content = bytearray(path.read_bytes())
    content[300] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"x_train.npy \(at byte 0\) is damaged: Bad CRC-32"):
        read_images(path)


def test_a_heading_that_claims_too_much(tmp_path, data):
    path = tmp_path / "x.npz"
    np.save(tmp_path / "a.npy", data.train.images)
    claim = (tmp_path / "a.npy").read_bytes().replace(b"(6, 4, 5, 3), }     ", b"(6, 4, 5, 3000000), }")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", claim)
        archive.writestr("y.npy", b"nothing")
    with pytest.raises(InputError, match=r"says that its shape is \(6, 4, 5, 3000000\), and the file does not"):
        read_images(path, test=1, seed=0)
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(tmp_path / "a.npy", "X.npy")
        archive.writestr("y.npy", b"nothing")
    with pytest.raises(InputError, match=r"y.npy \(at byte \d+\) is not an array"):
        read_images(path, test=1, seed=0)
