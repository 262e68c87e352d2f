"""Seconds that a contender takes on one core, as measured on one of 2026, within a factor of two or so.

They order the work, measure progress, and decide how large a plan a budget allows. A budget is kept by the clock.
"""

from kernelgap import networks
from kernelgap.audit.contenders.network import width_for
from kernelgap.audit.contenders.own import OWN
from kernelgap.audit.contenders.registry import ADAPTIVE, KERNELS, NETWORKS, REGISTERED, RIDGE, SMALL, TREES
from kernelgap.audit.contenders.view import SearchBudget

FLOPS = 3.2e10  # of matrix products in a worker
STEP = 2e-5  # of SGD, for each member, beyond its products
COMPILING = 1.0
ENTRY = {"gaussian": 8e-9, "laplace": 1.2e-8, "arcsin": 2e-8}  # of a Gram matrix; the others:
LAYERED = 4e-8
SMALL_WEIGHTS = 1.4e-6  # a step of the small network, for each input and output
ALONE = 3.0  # a network trained by itself takes so much more than one in a grid


def judging_seconds(contender: str, samples: int, inputs: int, outputs: int, search_budget: SearchBudget) -> float:
    """All fits of one chunk, on four fifths of a sample."""
    n, d, k = 4 * samples // 5, inputs, outputs
    if contender.startswith(OWN):
        return _once(TREES, n, d, k, search_budget)  # a guess
    if contender in REGISTERED:
        return search_budget.fits * REGISTERED[contender](n, d, k)
    if contender in NETWORKS:
        return COMPILING + search_budget.fits * _training(contender, n, d, k, search_budget)
    if contender == RIDGE:
        return 0.1 + 30 * n * d * min(n, d) / FLOPS
    fits = search_budget.fits if contender in (*KERNELS, ADAPTIVE, TREES, SMALL) else 1
    return fits * _once(contender, n, d, k, search_budget)


def fitting_seconds(contender: str, samples: int, inputs: int, outputs: int, search_budget: SearchBudget) -> float:
    """The chosen setting on the whole sample."""
    if contender.startswith(OWN):
        return _once(TREES, samples, inputs, outputs, search_budget)
    if contender in REGISTERED:
        return REGISTERED[contender](samples, inputs, outputs)
    if contender in NETWORKS:
        return COMPILING + ALONE * _training(contender, samples, inputs, outputs, search_budget) / 2
    return 0.05 + _once(contender, samples, inputs, outputs, search_budget)


def _training(contender: str, n: int, d: int, k: int, search_budget: SearchBudget) -> float:
    network = networks.get(contender)
    weights = network.size(inputs=d, outputs=k, width=width_for(network, inputs=d, outputs=k))
    return search_budget.epochs * n * 6 * weights / FLOPS + search_budget.epochs * max(1, n // 50) * STEP


def _once(contender: str, n: int, d: int, k: int, search_budget: SearchBudget) -> float:
    if contender in KERNELS:
        return _regression(ENTRY.get(contender, LAYERED), n, d, k, search_budget)
    if contender == ADAPTIVE:
        rows = min(n, search_budget.most_rows)
        exact = search_budget.model_copy(update={"landmarks": None})
        return _regression(ENTRY["laplace"], rows, d, k, exact) + 2 * rows * rows * d * k / FLOPS
    if contender == RIDGE:
        return n * d * min(n, d) / FLOPS
    if contender == SMALL:
        return search_budget.epochs * (1 + n // 50) * (1.5e-4 + SMALL_WEIGHTS * (d + k))
    if contender == TREES:
        return 50 * k * (2e-4 + 2e-8 * n * d)
    entries = n * (n if search_budget.landmarks is None else search_budget.landmarks)
    return COMPILING + entries * 1.2e-6 + _regression(LAYERED, n, d, k, search_budget)  # a network's own kernel


def _regression(entry: float, n: int, d: int, k: int, search_budget: SearchBudget) -> float:
    """A Gram matrix and its path of ridges, or as much over landmarks."""
    if search_budget.landmarks is None or search_budget.landmarks >= n:
        return 0.005 + n * n * (entry + 2 * d / FLOPS) + 4 * n**3 / FLOPS + 34 * n * (100 + 4 * k) * 2e-9
    p = search_budget.landmarks
    return n * p * (entry + 2 * d / FLOPS) + (2 * n * p * p + 12 * p**3) / FLOPS
