"""IDX files, gzipped or not, and damaged ones."""

import gzip
import struct

import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.images.data import FASHION_MNIST, read_images
from kernelgap.images.data.idx import read_idx, read_idx_pair
from support.image_files import idx, pixels, write_mnist


@pytest.mark.parametrize("packed", [True, False])
def test_a_folder(tmp_path, rng, packed):
    images, labels = write_mnist(tmp_path, rng, packed=packed)
    data = read_images(tmp_path)
    np.testing.assert_array_equal(data.train.images[..., 0], images)
    np.testing.assert_array_equal(data.train.labels, labels)
    assert data.classes == tuple("0123456789")
    assert read_images(tmp_path, classes=FASHION_MNIST).classes[9] == "ankle boot"


def test_colour(tmp_path, rng):
    values = pixels(rng, 2, 3, 3, 3)
    (tmp_path / "x").write_bytes(idx(values))
    np.testing.assert_array_equal(read_idx(tmp_path / "x"), values)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda good: good[:-1], "short: its 2 x 3 x 4 values would end at byte 40, and the file ends at byte 39"),
        (lambda good: good[:9], "its heading would end at byte 16, and the file ends at byte 9"),
        (lambda good: b"", "its magic number would end at byte 4"),
        (lambda good: good + b"!", "its values end at byte 40, and the file goes on"),
        (lambda good: b"PK\3\4" + good, "bytes 0 to 3 are no magic number"),
        (lambda good: good[:2] + b"\x0d" + good[3:], r"holds float32 \(byte 2 is 13\)"),
        (lambda good: good[:3] + b"\x00" + good[4:], r"0 dimensions \(byte 3\)"),
        (lambda good: good[:4] + b"\xff" * 12 + good[16:], "would end at byte 79228162458924105385300197391"),
        (lambda good: gzip.compress(good)[:-9], r"damaged after byte \d+ \(unpacked\)"),
        (lambda good: gzip.compress(good[:-3]), r"ends at byte 37 \(unpacked\)"),
        (lambda good: gzip.compress(good + b"!"), r"end at byte 40 \(unpacked\)"),
        (lambda good: gzip.compress(good)[:-8] + b"\0" * 8, r"damaged after byte 40 \(unpacked\) \(CRC"),
        (lambda good: gzip.compress(good[:4] + b"\xff" * 12 + good[16:]), "the file cannot hold more than"),
    ],
)  # fmt: skip
def test_damage_is_named_with_its_byte(tmp_path, rng, change, message):
    path = tmp_path / "x"
    path.write_bytes(change(idx(pixels(rng, 2, 3, 4))))
    with pytest.raises(InputError, match=message) as refusal:
        read_idx(path)
    assert str(path) in str(refusal.value)


def test_every_length_of_a_cut_file_is_refused(tmp_path, rng):
    for good in (idx(pixels(rng, 1, 2, 2)), gzip.compress(idx(pixels(rng, 1, 2, 2)))):
        for length in range(len(good)):
            (tmp_path / "x").write_bytes(good[:length])
            with pytest.raises(InputError, match="byte"):
                read_idx(tmp_path / "x")


def test_files_that_do_not_belong_together(tmp_path, rng):
    images, labels, long = tmp_path / "i", tmp_path / "l", tmp_path / "long"
    images.write_bytes(idx(pixels(rng, 3, 2, 2)))
    labels.write_bytes(idx(pixels(rng, 3)))
    long.write_bytes(idx(pixels(rng, 4)))
    read_idx_pair(images, labels)
    with pytest.raises(InputError, match=r"l holds no images: .* 3 \(bytes 4 to 8\)"):
        read_idx_pair(labels, images)
    with pytest.raises(InputError, match="i holds no labels"):
        read_idx_pair(images, images)
    with pytest.raises(InputError, match=r"3 images and .*long 4 labels"):
        read_idx_pair(images, long)


def test_no_memory_is_taken_for_what_a_heading_claims(tmp_path):
    claim = struct.pack(">HBB3I", 0, 8, 3, 2**20, 2**10, 2**10)
    (tmp_path / "x").write_bytes(gzip.compress(claim + bytes(10**4)))
    with pytest.raises(InputError, match="cannot hold more"):
        read_idx(tmp_path / "x")
