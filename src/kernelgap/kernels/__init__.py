"""Who learns by regression: each kernel a callable (X, Z) -> Gram matrix."""

from kernelgap.kernels.kernel import Kernel
from kernelgap.kernels.own import from_function
from kernelgap.kernels.random_features import random_features
from kernelgap.kernels.registry import KERNELS, get

__all__ = ["KERNELS", "Kernel", "from_function", "get", "random_features"]
