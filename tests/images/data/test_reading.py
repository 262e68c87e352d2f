"""Formats found by the names of files, and sentences for what is missing."""

import re

import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.images.data import read_images
from support.image_files import write_cifar10, write_mnist


def refused(path, message):
    with pytest.raises(InputError, match=message):
        read_images(path)


def test_a_file_stands_for_its_folder(tmp_path, rng):
    write_mnist(tmp_path, rng)
    write_cifar10(tmp_path, rng)
    assert read_images(tmp_path / "train-images-idx3-ubyte.gz").shape == (5, 4, 1)
    assert read_images(tmp_path / "test_batch.bin").shape == (32, 32, 3)
    refused(tmp_path, r"more than one set of images \(MNIST.*, CIFAR-10, binary version in .*\): give a file of one")


def test_one_folder_below(tmp_path, rng):
    (inner := tmp_path / "cifar-10-batches-bin").mkdir()
    (tmp_path / "other").mkdir()
    write_cifar10(inner, rng)
    assert len(read_images(tmp_path).train) == 10


def test_names_with_a_dot(tmp_path, rng):
    images, _ = write_mnist(tmp_path, rng, packed=False)
    for file in list(tmp_path.iterdir()):
        file.rename(tmp_path / file.name.replace("-idx", ".idx"))
    np.testing.assert_array_equal(read_images(tmp_path).train.images[..., 0], images)


def test_the_unpacked_file_is_taken_where_both_are_there(tmp_path, rng):
    write_mnist(tmp_path, rng, packed=True)
    images, _ = write_mnist(tmp_path, rng, packed=False)
    np.testing.assert_array_equal(read_images(tmp_path).train.images[..., 0], images)


def test_what_is_missing(tmp_path, rng):
    refused(tmp_path / "none", "There is no file or folder")
    refused(
        tmp_path, r"holds no NPZ file and no files of MNIST or Fashion-MNIST \(train-images-idx3-ubyte, ...\), CIFAR"
    )
    write_cifar10(tmp_path, rng)
    (tmp_path / "data_batch_3.bin").unlink()
    refused(tmp_path, re.escape("looks like CIFAR-10, binary version, and data_batch_3.bin is missing."))
    (tmp_path / "test_batch.bin").unlink()
    refused(tmp_path / "data_batch_1.bin", "data_batch_3.bin, test_batch.bin are missing")


def test_missing_idx_files_may_be_packed(tmp_path, rng):
    write_mnist(tmp_path, rng)
    (tmp_path / "t10k-labels-idx1-ubyte.gz").unlink()
    refused(tmp_path, r"t10k-labels-idx1-ubyte \(or with .gz\) is missing")


def test_other_files(tmp_path):
    for name, message in {
        "cifar-10-python.tar.gz": "is an archive: unpack it",
        "x.txt": "nor named like a file",
    }.items():
        (tmp_path / name).write_bytes(b"x")
        refused(tmp_path / name, message)


def test_folders_called_train_and_test_are_no_files(tmp_path):
    (tmp_path / "train").mkdir()
    (tmp_path / "test").mkdir()
    refused(tmp_path, "holds no NPZ file and no files")


def test_more_names_than_classes_are_allowed_and_fewer_not(tmp_path, rng):
    write_mnist(tmp_path, rng)
    assert len(read_images(tmp_path, classes=[str(i) for i in range(12)]).classes) == 12
    with pytest.raises(InputError, match="there are 3 classes"):
        read_images(tmp_path, classes=["a", "b", "c"])
