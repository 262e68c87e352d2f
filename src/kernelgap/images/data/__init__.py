"""Images with classes: the standard files of MNIST, Fashion-MNIST, CIFAR-10 and CIFAR-100, and NPZ files."""

from kernelgap.images.data.images import ImageData, Images, Scaling
from kernelgap.images.data.npz import write_npz
from kernelgap.images.data.reading import CIFAR10, FASHION_MNIST, NoTestPartError, read_images

__all__ = ["CIFAR10", "FASHION_MNIST", "ImageData", "Images", "NoTestPartError", "Scaling", "read_images", "write_npz"]
