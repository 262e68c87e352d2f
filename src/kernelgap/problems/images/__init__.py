"""Images with classes: the standard files of MNIST, Fashion-MNIST, CIFAR-10 and CIFAR-100, and NPZ files."""

from kernelgap.problems.images.images import ImageData, Images
from kernelgap.problems.images.names import CIFAR10, FASHION_MNIST
from kernelgap.problems.images.npz import write_npz
from kernelgap.problems.images.reading import NoTestPartError, read_images
from kernelgap.problems.images.scaling import Scaling

__all__ = [
    "CIFAR10",
    "FASHION_MNIST",
    "ImageData",
    "Images",
    "NoTestPartError",
    "Scaling",
    "read_images",
    "write_npz",
]
