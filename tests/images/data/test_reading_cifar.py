"""CIFAR-10 and CIFAR-100, binary version; the Python version is refused unread."""

import os
import pickle

import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.images.data import CIFAR10, read_images
from kernelgap.images.data.reading import CIFAR10_LABELS, FINE, read_binary
from support.image_files import pixels, planes, write_cifar10


def test_cifar10(tmp_path, rng):
    images, labels = write_cifar10(tmp_path, rng)
    data = read_images(tmp_path)
    np.testing.assert_array_equal(data.train.images, images)
    np.testing.assert_array_equal(data.train.labels, labels)
    assert len(data.test) == 2
    assert data.classes == CIFAR10


def test_names_of_cifar10(tmp_path, rng):
    names = [f"name {i}" for i in range(10)]
    write_cifar10(tmp_path, rng)
    (tmp_path / "batches.meta.txt").write_text("\n".join(names) + "\n\n")
    assert read_images(tmp_path).classes == tuple(names)
    (tmp_path / "batches.meta.txt").write_text("cat\ndog\n")
    with pytest.raises(InputError, match="names 2 classes, and there are 10"):
        read_images(tmp_path)
    (tmp_path / "batches.meta.txt").write_bytes(b"cat\xff")
    with pytest.raises(InputError, match="is not text: byte 3 is not UTF-8"):
        read_images(tmp_path)


def test_cifar100(tmp_path, rng):
    images = pixels(rng, 4, 32, 32, 3)
    coarse, fine = np.array([19, 0, 3, 4], np.uint8), np.array([99, 50, 0, 1], np.uint8)
    records = np.concatenate([coarse[:, None], fine[:, None], planes(images)], axis=1)
    for name in ("train", "test"):
        (tmp_path / f"{name}.bin").write_bytes(records.tobytes())
    (tmp_path / "coarse_label_names.txt").write_text("\n".join(f"c{i}" for i in range(20)))
    data = read_images(tmp_path)
    np.testing.assert_array_equal(data.train.images, images)
    assert data.train.labels.tolist() == fine.tolist()
    assert data.classes[99] == "99"
    data = read_images(tmp_path, coarse=True)
    assert data.train.labels.tolist() == coarse.tolist()
    assert data.classes[19] == "c19"


def test_coarse_classes_are_cifar100s(tmp_path, rng):
    write_cifar10(tmp_path, rng)
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


class Program:
    """Runs a command when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


@pytest.mark.parametrize("names", [["data_batch_1", "test_batch"], ["train", "test", "meta"]])
def test_the_python_version_is_refused_and_never_loaded(tmp_path, names):
    (folder := tmp_path / "cifar-py").mkdir()
    for name in names:
        (folder / name).write_bytes(pickle.dumps({"data": Program(tmp_path / "ran")}))
    for path in (tmp_path, folder, folder / names[0]):
        with pytest.raises(InputError, match=r"CIFAR's Python version.*give the binary version \(cifar-10-binary"):
            read_images(path)
    assert not (tmp_path / "ran").exists()
