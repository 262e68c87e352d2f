"""The contenders by name."""

from collections.abc import Callable

from kernelgap.audit.answers.results import Family
from kernelgap.audit.contenders.by_adapting import ByAdapting
from kernelgap.audit.contenders.by_kernel import ByKernel
from kernelgap.audit.contenders.by_network import ByNetwork
from kernelgap.audit.contenders.by_ridge import ByRidge
from kernelgap.audit.contenders.by_trees import ByTrees
from kernelgap.audit.contenders.by_twin import ByTwin
from kernelgap.audit.contenders.view import Contender

KERNELS = ("gaussian", "laplace", "arcsin", "ck2", "ck3", "ntk2", "ntk3", "ntk3res")
NETWORKS = ("2layer", "3layer", "3resnet", "resnet-2")
ADAPTIVE = "adaptive"
RIDGE, TREES = "ridge", "trees"

FAMILIES: dict[str, Family] = {
    **dict.fromkeys(KERNELS, "kernel"),
    **dict.fromkeys(NETWORKS, "network"),
    ADAPTIVE: "adaptive",
    RIDGE: "yardstick",
    TREES: "yardstick",
}

MAKE: dict[str, Callable[[str], Contender]] = {
    **dict.fromkeys(KERNELS, ByKernel),
    **dict.fromkeys(NETWORKS, ByNetwork),
    ADAPTIVE: ByAdapting,
    RIDGE: ByRidge,
    TREES: ByTrees,
}


def twins(network: str) -> tuple[str, str]:
    """The names of a network's own kernels."""
    return f"{network}(last)", f"{network}(ntk)"


def family(name: str) -> Family:
    return FAMILIES.get(name, "twin")


def contender(name: str) -> Contender:
    return MAKE.get(name, ByTwin)(name)
