"""Who learns by regression: each kernel a callable (X, Z) -> Gram matrix."""

from kernelgap.kernels.cube.spectrum import CubeSpectrum, cube_spectrum
from kernelgap.kernels.empirical.kernel import empirical
from kernelgap.kernels.formulas.random_features import random_features
from kernelgap.kernels.kernel import Kernel
from kernelgap.kernels.own import from_function
from kernelgap.kernels.registry import KERNELS, get, register
from kernelgap.kernels.stored import stored_gram

__all__ = [
    "KERNELS", "CubeSpectrum", "Kernel", "cube_spectrum", "empirical", "from_function", "get", "random_features",
    "register", "stored_gram",
]  # fmt: skip
