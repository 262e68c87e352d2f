"""The contenders by name."""

from collections.abc import Callable, Sequence

from kernelgap.audit.contenders.frozen_network_kernel import ByTwin
from kernelgap.audit.contenders.kernel import ByKernel
from kernelgap.audit.contenders.linear import ByRidge
from kernelgap.audit.contenders.network import ByNetwork
from kernelgap.audit.contenders.recursive_feature_machine import ByAdapting
from kernelgap.audit.contenders.small_network import BySmallNetwork
from kernelgap.audit.contenders.trees import ByTrees
from kernelgap.audit.contenders.view import Contender
from kernelgap.audit.statistics.results import Family

KERNELS = ("gaussian", "laplace", "arcsin", "ck2", "ck3", "ntk2", "ntk3", "ntk3res")
NETWORKS = ("2layer", "3layer", "3resnet", "resnet-2")
CURVES = 2  # networks that have a learning curve: the best ones with the most samples
ADAPTIVE = "adaptive"
RIDGE, TREES = "ridge", "trees"
SMALL = "2layer-small"  # in NumPy
FIRST = (RIDGE, "gaussian", SMALL)  # before all others, on few samples: an answer whatever happens later

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
    SMALL: BySmallNetwork,
}


def twins(network: str) -> tuple[str, str]:
    """The names of a network's own kernels."""
    return f"{network}(last)", f"{network}(ntk)"


def on_curves(ranked: Sequence[str]) -> tuple[str, ...]:
    """Who learns from smaller samples, too: everybody but networks beyond the best few, given in their order."""
    return tuple(name for name in FAMILIES if name not in NETWORKS or name in ranked[:CURVES])


def family(name: str) -> Family:
    return "network" if name == SMALL else FAMILIES.get(name, "twin")


def contender(name: str) -> Contender:
    return MAKE.get(name, ByTwin)(name)
