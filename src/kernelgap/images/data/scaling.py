"""Pixels as inputs of networks: (x / 255 - mean) / std, channel by channel, with the training images' mean and std."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, UInt8

from kernelgap.errors import InputError
from kernelgap.machine import require_memory

LEVELS = np.arange(256) / 255


@dataclass(frozen=True)
class Scaling:
    """Mean and standard deviation of each channel, of pixels in [0, 1]."""

    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def learned(cls, images: UInt8[np.ndarray, "n height width channels"]) -> "Scaling":
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
            for part in _parts(images):
                counts += np.bincount(part[..., channel].ravel(), minlength=256)
            share = counts / (images.size // images.shape[3])
            mean.append(float(share @ LEVELS))
            std.append(float(np.sqrt(share @ (LEVELS - mean[-1]) ** 2)) if (counts > 0).sum() > 1 else 1.0)
        return cls(tuple(mean), tuple(std))

    def __call__(
        self, images: UInt8[np.ndarray, "n height width channels"]
    ) -> Float32[np.ndarray, "n height width channels"]:
        """The scaled images, in float32."""
        if images.shape[3] != len(self.mean):
            raise InputError(f"The scaling is of {len(self.mean)} channels, and the images have {images.shape[3]}.")
        require_memory(4 * images.size, f"{len(images)} images in float32", "Take a subset of them first.")
        scaled = np.empty(images.shape, np.float32)
        for channel, (mean, std) in enumerate(zip(self.mean, self.std, strict=True)):
            scaled[..., channel] = ((LEVELS - mean) / std).astype(np.float32)[images[..., channel]]
        return scaled


def _parts(images: np.ndarray, size: int = 1024) -> list[np.ndarray]:
    """Some images at a time: bincount takes eight bytes for each pixel."""
    return [images[i : i + size] for i in range(0, len(images), size)]
