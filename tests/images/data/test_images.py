"""Checked arrays of images, rows by seed, scaling."""

import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.images.data import ImageData, Images, Scaling
from support.image_files import pixels


@pytest.fixture
def few(rng):
    return Images(pixels(rng, 20, 4, 5, 3), np.arange(20) % 3, ("a", "b", "c"))


def test_what_is_said_of_them(few):
    assert repr(few) == "<20 images of 4 x 5 x 3, 3 classes>"
    assert len(few) == 20
    assert few.shape == (4, 5, 3)
    assert few.counts() == {"a": 7, "b": 7, "c": 6}
    assert few.labels.dtype == np.int64


def test_grey_images_get_a_channel_and_whole_numbers_become_bytes():
    grey = Images.of(np.full((2, 3, 3), 255, np.int32), np.array([[0], [1]], np.uint8), ("a", "b"))
    assert grey.images.shape == (2, 3, 3, 1)
    assert grey.images.dtype == np.uint8
    assert grey.labels.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"images": np.zeros((2, 3), np.uint8)}, r"shape \(n, height, width, channels\), not \(2, 3\)"),
        ({"images": np.zeros((2, 0, 3, 1), np.uint8)}, "shape"),
        ({"images": np.zeros((2, 3, 8, 8), np.uint8)}, r"channels first: numpy.moveaxis\(x, 1, -1\)"),
        ({"images": np.zeros((2, 3, 3, 1))}, "from 0 to 255, not float64"),
        ({"images": np.full((2, 3, 3, 1), 256)}, "they go from 256 to 256"),
        ({"labels": np.array([0, 2])}, r"Image 1 \(counted from 0\) has the label 2.*labels go from 0 to 1"),
        ({"labels": np.array([-1, 0])}, "Image 0 .* label -1"),
        ({"labels": np.array([0])}, "2 images need 2 labels"),
        ({"labels": np.eye(2, dtype=int)}, r"one-hot rows, take argmax\(1\)"),
        ({"labels": np.array([0.0, 1.0])}, "numbers of classes, from 0, not float64"),
        ({"classes": ("a", "a")}, "no two of them the same"),
        ({"classes": ()}, "a list of names"),
    ],
)
def test_what_cannot_be_is_refused(change, message):
    good = {"images": np.zeros((2, 3, 3, 1), np.uint8), "labels": np.array([0, 1]), "classes": ("a", "b")}
    Images.of(**good)
    with pytest.raises(InputError, match=message):
        Images.of(**good | change)


def test_parts_must_match(few):
    ImageData(few, few)
    with pytest.raises(InputError, match="4 x 5 x 3 and the test images 5 x 5 x 3"):
        ImageData(few, Images(np.zeros((1, 5, 5, 3), np.uint8), np.zeros(1, int), few.classes))
    with pytest.raises(InputError, match="the same classes"):
        ImageData(few, Images(few.images, few.labels, ("a", "c", "b")))


def test_a_larger_subset_only_appends(few):
    small, large, other = few.subset(5, seed=1), few.subset(12, seed=1), few.subset(5, seed=2)
    np.testing.assert_array_equal(small.images, large.images[:5])
    np.testing.assert_array_equal(small.labels, large.labels[:5])
    assert not np.array_equal(small.images, other.images)


def test_a_split_holds_every_image_once(few):
    first, rest = few.split(8, seed=(3, 1))
    assert (len(first), len(rest)) == (8, 12)
    both = sorted(image.tobytes() for part in (first, rest) for image in part.images)
    assert both == sorted(image.tobytes() for image in few.images)
    where = {image.tobytes(): label for image, label in zip(few.images, few.labels, strict=True)}
    assert all(where[image.tobytes()] == label for image, label in zip(rest.images, rest.labels, strict=True))


@pytest.mark.parametrize("n", [0, 21, True])
def test_a_subset_of_too_many(few, n):
    with pytest.raises(InputError, match="from 1 to 20"):
        few.subset(n, seed=0)


def test_a_negative_seed(few):
    with pytest.raises(InputError, match="must not be negative"):
        few.subset(1, seed=-1)


def test_scaling_is_that_of_the_training_images(few, rng):
    x = few.images / 255
    mean, std = x.mean((0, 1, 2)), x.std((0, 1, 2))
    np.testing.assert_allclose(few.scaling().mean, mean, rtol=1e-12)
    np.testing.assert_allclose(few.scaling().std, std, rtol=1e-12)
    other = Images(pixels(rng, 3, 4, 5, 3), np.zeros(3, int), few.classes)
    scaled = other.scaled(few)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled, (other.images / 255 - mean) / std, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(scaled, other.scaled(few.scaling()))


def test_a_channel_that_never_changes():
    flat = Images(np.full((2, 2, 2, 1), 7, np.uint8), np.zeros(2, int), ("a",))
    assert flat.scaling().std == (1.0,)
    np.testing.assert_allclose(flat.scaled(flat), 0, atol=1e-7)


def test_scaling_of_other_channels_or_of_nothing(few):
    with pytest.raises(InputError, match="of 1 channels, and the images have 3"):
        few.scaled(Scaling((0.5,), (0.5,)))
    with pytest.raises(InputError, match="no images to learn"):
        few.rows(np.array([], int)).scaling()
