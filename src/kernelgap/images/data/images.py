"""Images and their classes: checked arrays, rows drawn by seed, and pixels scaled as inputs of networks."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from jaxtyping import Float32, Int64, UInt8

from kernelgap.errors import InputError
from kernelgap.fingerprint import fingerprint
from kernelgap.machine import require_memory
from kernelgap.problems.problem import Seed

Pixels = UInt8[np.ndarray, "n height width channels"]
LEVELS = np.arange(256) / 255
PART = 1024  # images that are counted at a time: bincount takes eight bytes for each pixel


@dataclass(frozen=True)
class Scaling:
    """(x / 255 - mean) / std, with the mean and standard deviation of each channel of the training images."""

    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def learned(cls, images: Pixels) -> "Scaling":
        """From training images; a channel that never changes has its std set to 1.

        >>> Scaling.learned(np.array([0, 255], np.uint8).reshape(2, 1, 1, 1))
        Scaling(mean=(0.5,), std=(0.5,))
        """
        if not images.size:
            raise InputError("There are no images to learn a mean and a standard deviation from.")
        mean, std = [], []
        for channel in range(images.shape[3]):
            # there are only 256 levels: their counts say everything, exactly
            counts = np.zeros(256, np.int64)
            for i in range(0, len(images), PART):
                counts += np.bincount(images[i : i + PART, ..., channel].ravel(), minlength=256)
            share = counts / (images.size // images.shape[3])
            mean.append(float(share @ LEVELS))
            std.append(float(np.sqrt(share @ (LEVELS - mean[-1]) ** 2)) if (counts > 0).sum() > 1 else 1.0)
        return cls(tuple(mean), tuple(std))

    def __call__(self, images: Pixels) -> Float32[np.ndarray, "n height width channels"]:
        """The scaled images, in float32."""
        if images.shape[3] != len(self.mean):
            raise InputError(f"The scaling is of {len(self.mean)} channels, and the images have {images.shape[3]}.")
        require_memory(4 * images.size, f"{len(images)} images in float32", "Take a subset of them first.")
        scaled = np.empty(images.shape, np.float32)
        for channel, (mean, std) in enumerate(zip(self.mean, self.std, strict=True)):
            scaled[..., channel] = ((LEVELS - mean) / std).astype(np.float32)[images[..., channel]]
        return scaled


@dataclass(frozen=True, eq=False, repr=False)
class Images:
    """Images of one size, each with the number of its class.

    >>> few = Images.of(np.zeros((3, 2, 2), np.uint8), np.array([0, 1, 0]), ("cat", "dog"))
    >>> few
    <3 images of 2 x 2 x 1, 2 classes>
    >>> few.counts()
    {'cat': 2, 'dog': 1}
    """

    images: Pixels
    labels: Int64[np.ndarray, " n"]
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "images", _pixels(self.images))
        object.__setattr__(self, "classes", _names(self.classes))
        object.__setattr__(self, "labels", _labels(self.labels, len(self.images), len(self.classes)))

    @classmethod
    def of(cls, images: object, labels: object, classes: object) -> "Images":
        """The same from arrays as they are found: (n, height, width), labels (n, 1), other types of whole numbers."""
        pixels, names = _pixels(images), _names(classes)
        return cls(pixels, _labels(labels, len(pixels), len(names)), names)

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return f"<{len(self)} images of {' x '.join(map(str, self.shape))}, {len(self.classes)} classes>"

    @property
    def shape(self) -> tuple[int, int, int]:
        """(height, width, channels) of each image."""
        _, height, width, channels = self.images.shape
        return height, width, channels

    def counts(self) -> dict[str, int]:
        """How many images each class has."""
        counts = np.bincount(self.labels, minlength=len(self.classes))
        return {name: int(count) for name, count in zip(self.classes, counts, strict=True)}

    def rows(self, chosen: np.ndarray) -> "Images":
        """The chosen images, in that order."""
        return Images(self.images[chosen], self.labels[chosen], self.classes)

    def subset(self, n: int, *, seed: Seed) -> "Images":
        """n images at random, none twice. With the same seed a larger n only appends."""
        return self.split(n, seed=seed)[0]

    def split(self, n: int, *, seed: Seed) -> tuple["Images", "Images"]:
        """``subset(n, seed=seed)``, and all other images."""
        if isinstance(n, bool) or not isinstance(n, Integral) or not 1 <= n <= len(self):
            raise InputError(f"A subset needs a whole number of images from 1 to {len(self)}, not {n!r}.")
        if min(np.atleast_1d(seed)) < 0:
            raise InputError(f"A seed must not be negative, it is {seed}.")
        order = np.random.default_rng(seed).permutation(len(self))
        return self.rows(order[:n]), self.rows(order[n:])

    def scaling(self) -> Scaling:
        """Each channel's mean and standard deviation over these images."""
        return Scaling.learned(self.images)

    def scaled(self, by: "Scaling | Images") -> Float32[np.ndarray, "n height width channels"]:
        """float32 inputs of networks: mean 0 and variance 1 in each channel of the training images.

        ``by`` is the training images, or their ``scaling()``.
        """
        return (by.scaling() if isinstance(by, Images) else by)(self.images)


@dataclass(frozen=True, eq=False)
class ImageData:
    """Images to learn from and others to test on."""

    train: Images
    test: Images

    def __post_init__(self) -> None:
        if self.train.shape != self.test.shape:
            train, test = (" x ".join(map(str, part.shape)) for part in (self.train, self.test))
            raise InputError(f"The training images are {train} and the test images {test}: they must be of one size.")
        if self.train.classes != self.test.classes:
            raise InputError("The training images and the test images must have the same classes in the same order.")

    @property
    def classes(self) -> tuple[str, ...]:
        return self.train.classes

    @property
    def shape(self) -> tuple[int, int, int]:
        """(height, width, channels) of each image."""
        return self.train.shape


def digest(shape: tuple[int, ...], classes: tuple[str, ...], *parts: Images) -> str:
    """The SHA-256 of all the images of the parts and their labels, with a shape and the names of the classes."""
    return fingerprint(repr((shape, classes)), *(array for part in parts for array in (part.images, part.labels)))


def _pixels(values: object) -> np.ndarray:
    """Pixels as uint8, with one channel where none is said."""
    pixels = np.asarray(values)
    if pixels.ndim == 3:
        pixels = pixels[..., None]
    if pixels.ndim != 4 or 0 in pixels.shape[1:]:
        raise InputError(f"Images must have the shape (n, height, width, channels), not {np.asarray(values).shape}.")
    if pixels.shape[3] > 4 >= pixels.shape[1]:
        raise InputError(f"Images of the shape {pixels.shape} have their channels first: numpy.moveaxis(x, 1, -1).")
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype.kind not in "iu":
        raise InputError(f"Pixels must be whole numbers from 0 to 255, not {pixels.dtype}: round(255 x), as uint8.")
    if pixels.size and not 0 <= pixels.min() <= pixels.max() <= 255:
        raise InputError(f"Pixels must lie in 0 to 255, and they go from {pixels.min()} to {pixels.max()}.")
    return pixels.astype(np.uint8)


def _names(classes: object) -> tuple[str, ...]:
    names = tuple(classes) if isinstance(classes, (list, tuple)) else ()
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InputError("Classes must be a list of names, no two of them the same.")
    return names


def _labels(values: object, n: int, classes: int) -> np.ndarray:
    """Classes by number, as int64."""
    labels = np.asarray(values)
    if labels.shape == (n, 1):
        labels = labels[:, 0]
    if labels.shape != (n,):
        hint = " Of one-hot rows, take argmax(1)." if labels.ndim == 2 and labels.shape == (n, classes) else ""
        raise InputError(f"{n} images need {n} labels, not an array of the shape {labels.shape}.{hint}")
    if labels.dtype.kind not in "iu":
        raise InputError(f"Labels must be the numbers of classes, from 0, not {labels.dtype}.")
    wrong = np.flatnonzero((labels < 0) | (labels >= classes))
    if len(wrong):
        which = f"Image {wrong[0]} (counted from 0) has the label {labels[wrong[0]]}"
        raise InputError(f"{which}, and there are {classes} classes: labels go from 0 to {classes - 1}.")
    return labels.astype(np.int64, copy=False)
