"""CIFAR-10 and CIFAR-100, binary and Python versions."""

import pickle

import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.images.data import CIFAR10, read_images
from kernelgap.images.data.cifar import CIFAR10_LABELS, FINE, read_binary
from kernelgap.images.data.cifar_python import read_python, read_python_names
from support.image_files import pixels, planes, python2_pickle, write_cifar10


@pytest.mark.parametrize("kind", ["binary", "python2", "2", "3", "4", "5"])
def test_cifar10(tmp_path, rng, kind):
    images, labels = write_cifar10(tmp_path, rng, kind)
    data = read_images(tmp_path)
    np.testing.assert_array_equal(data.train.images, images)
    np.testing.assert_array_equal(data.train.labels, labels)
    assert len(data.test) == 2
    assert data.classes == CIFAR10


def test_names_of_cifar10(tmp_path, rng):
    names = [f"name {i}" for i in range(10)]
    (binary := tmp_path / "b").mkdir()
    (python := tmp_path / "p").mkdir()
    write_cifar10(binary, rng, "binary")
    write_cifar10(python, rng, "python2")
    (binary / "batches.meta.txt").write_text("\n".join(names) + "\n\n")
    (python / "batches.meta").write_bytes(python2_pickle(np.zeros((1, 1), np.uint8), label_names=names))
    assert read_images(binary).classes == read_images(python).classes == tuple(names)
    (binary / "batches.meta.txt").write_text("cat\ndog\n")
    with pytest.raises(InputError, match="names 2 classes, and there are 10"):
        read_images(binary)


@pytest.mark.parametrize("kind", ["binary", "python"])
def test_cifar100(tmp_path, rng, kind):
    images = pixels(rng, 4, 32, 32, 3)
    coarse, fine = np.array([19, 0, 3, 4], np.uint8), np.array([99, 50, 0, 1], np.uint8)
    for name in ("train", "test"):
        if kind == "binary":
            records = np.concatenate([coarse[:, None], fine[:, None], planes(images)], axis=1)
            (tmp_path / f"{name}.bin").write_bytes(records.tobytes())
            (tmp_path / "coarse_label_names.txt").write_text("\n".join(f"c{i}" for i in range(20)))
        else:
            held = python2_pickle(planes(images), fine_labels=fine.tolist(), coarse_labels=coarse.tolist())
            (tmp_path / name).write_bytes(held)
            (tmp_path / "meta").write_bytes(
                pickle.dumps({"coarse_label_names": [f"c{i}" for i in range(20)],
                              "fine_label_names": [str(i) for i in range(100)]}, protocol=2)
            )  # fmt: skip
    data = read_images(tmp_path)
    np.testing.assert_array_equal(data.train.images, images)
    assert data.train.labels.tolist() == fine.tolist()
    assert data.classes[99] == "99"
    data = read_images(tmp_path, coarse=True)
    assert data.train.labels.tolist() == coarse.tolist()
    assert data.classes[19] == "c19"


def test_coarse_classes_are_cifar100s(tmp_path, rng):
    write_cifar10(tmp_path, rng, "binary")
    with pytest.raises(InputError, match="Only CIFAR-100 has coarse classes"):
        read_images(tmp_path, coarse=True)


def test_damaged_binary_files(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(bytes(2 * 3073 - 1))
    with pytest.raises(InputError, match=r"x.bin is cut short .*3073 bytes, and the one at byte 3073 has 3072"):
        read_binary(path, CIFAR10_LABELS)
    path.write_bytes(b"")
    with pytest.raises(InputError, match="the one at byte 0 has 0"):
        read_binary(path, CIFAR10_LABELS)
    path.write_bytes(bytes(3073) + b"\x0a" + bytes(3072))
    with pytest.raises(InputError, match="the label 10 at byte 3073, and labels go from 0 to 9"):
        read_binary(path, CIFAR10_LABELS)
    path.write_bytes(bytes(3074) + b"\0\x64" + bytes(3072))
    with pytest.raises(InputError, match="the label 100 at byte 3075"):
        read_binary(path, FINE)
    path.write_bytes(b"\x1f\x8b" + bytes(100))
    with pytest.raises(InputError, match="packed by gzip: unpack it first"):
        read_binary(path, FINE)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ([1], "holds no dictionary"),
        ({"labels": [0]}, "no images: 'data' must be"),
        ({"data": np.zeros((1, 9), np.uint8), "labels": [0]}, "n x 3072"),
        ({"data": np.zeros((1, 3072), np.uint8), "labels": [0, 1]}, "a list of 1 numbers"),
        ({"data": np.zeros((1, 3072), np.uint8)}, "no labels"),
        ({"data": np.zeros((1, 3072), np.uint8), "labels": [10]}, "from 0 to 9, and that of image 0"),
        ({"data": np.zeros((1, 3072), np.uint8), "labels": ["x"]}, "and that of image 0"),
    ],
)
def test_pickles_of_something_else(tmp_path, held, message):
    (tmp_path / "x").write_bytes(pickle.dumps(held, protocol=2))
    with pytest.raises(InputError, match=message):
        read_python(tmp_path / "x", CIFAR10_LABELS)
    with pytest.raises(InputError, match=r"holds no dictionary|names no classes"):
        read_python_names(tmp_path / "x", CIFAR10_LABELS)
