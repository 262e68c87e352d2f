"""The contenders by name."""

from collections.abc import Callable

from kernelgap.audit.answers.results import Family
from kernelgap.audit.contenders.by_adapting import tune_adaptive
from kernelgap.audit.contenders.by_kernel import tune_kernel
from kernelgap.audit.contenders.by_network import tune_network
from kernelgap.audit.contenders.by_ridge import tune_ridge
from kernelgap.audit.contenders.by_trees import tune_trees
from kernelgap.audit.contenders.by_twin import tune_twin
from kernelgap.audit.contenders.view import Tell, Tuned, View

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

TUNE: dict[str, Callable[[str, View, Tell], Tuned]] = {
    **dict.fromkeys(KERNELS, tune_kernel),
    **dict.fromkeys(NETWORKS, tune_network),
    ADAPTIVE: tune_adaptive,
    RIDGE: tune_ridge,
    TREES: tune_trees,
}


def twins(network: str) -> tuple[str, str]:
    """The names of a network's own kernels."""
    return f"{network}(last)", f"{network}(ntk)"


def family(name: str) -> Family:
    return FAMILIES.get(name, "twin")


def tune(name: str, view: View, tell: Tell) -> Tuned:
    """Let a contender learn and choose."""
    return TUNE.get(name, tune_twin)(name, view, tell)
