"""What a contender takes: seconds on one core, as measured on one of 2026, within a factor of two or so.

They order the work, say how far it is, and tell how large a plan a budget allows. A budget is kept by the clock.
"""

from kernelgap import networks
from kernelgap.audit.contenders.by_network import width_for
from kernelgap.audit.contenders.registry import ADAPTIVE, KERNELS, NETWORKS, RIDGE, TREES
from kernelgap.audit.effort import Effort

FLOPS = 2.2e10  # of matrix products in a worker
STEP = 4e-5  # of SGD, for each member, beyond its products
COMPILING = 2.0
ENTRY = {"gaussian": 8e-9, "laplace": 1.2e-8, "arcsin": 2e-8}  # of a Gram matrix; the others:
LAYERED = 4e-8


def seconds(contender: str, samples: int, inputs: int, outputs: int, effort: Effort) -> float:
    """For one cell."""
    n, d, k = samples, inputs, outputs
    if contender in KERNELS:
        return effort.fits * _regression(ENTRY.get(contender, LAYERED), n, d, k, effort)
    if contender in NETWORKS:
        network = networks.get(contender)
        weights = network.size(inputs=d, outputs=k, width=width_for(network, inputs=d, outputs=k))
        steps = effort.epochs * max(1, n // 50)
        return COMPILING + effort.fits * (effort.epochs * n * 6 * weights / FLOPS + steps * STEP)
    if contender == ADAPTIVE:
        rows = min(n, effort.most_rows)
        gradients = 2 * rows * rows * d * k / FLOPS
        return effort.fits * (_regression(ENTRY["laplace"], rows, d, k, effort) + gradients)
    if contender == RIDGE:
        return 0.1 + 30 * n * d * d / FLOPS
    if contender == TREES:
        return effort.fits * 100 * k * (2e-4 + 2e-8 * n * d)
    return COMPILING + n * n * 1.2e-6 + _regression(LAYERED, n, d, k, effort)  # a network's own kernel


def _regression(entry: float, n: int, d: int, k: int, effort: Effort) -> float:
    """A Gram matrix and its path of ridges, or as much over landmarks."""
    if effort.landmarks is None or effort.landmarks >= n:
        return 0.005 + n * n * (entry + 2 * d / FLOPS) + 1.5 * n**3 / FLOPS + 34 * n * (100 + 4 * k) * 2e-9
    p = effort.landmarks
    return n * p * (entry + 2 * d / FLOPS) + (2 * n * p * p + 12 * p**3) / FLOPS
