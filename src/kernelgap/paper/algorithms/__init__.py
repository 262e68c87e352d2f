"""The paper's algorithms: SGD on fresh samples as Theorem 1 has it, layer by layer, and with noisy labels."""

from kernelgap.paper.algorithms.algorithm1 import algorithm1
from kernelgap.paper.algorithms.online import Online

__all__ = ["Online", "algorithm1"]
