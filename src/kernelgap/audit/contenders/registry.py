"""The contenders by name."""

from collections.abc import Callable, Sequence

from kernelgap.audit.contenders.frozen_network_kernel import FrozenNetworkKernel
from kernelgap.audit.contenders.kernel import KernelRidge
from kernelgap.audit.contenders.linear import LinearRidge
from kernelgap.audit.contenders.network import SGDNetwork
from kernelgap.audit.contenders.recursive_feature_machine import RecursiveFeatureMachine
from kernelgap.audit.contenders.small_network import SmallNetwork
from kernelgap.audit.contenders.trees import BoostedTrees
from kernelgap.audit.contenders.view import Contender
from kernelgap.audit.statistics.results import Family
from kernelgap.errors import InputError
from kernelgap.registry import Registry, load_extensions

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
    RIDGE: "baseline",
    TREES: "baseline",
}

MAKE: dict[str, Callable[[str], Contender]] = {
    **dict.fromkeys(KERNELS, KernelRidge),
    **dict.fromkeys(NETWORKS, SGDNetwork),
    ADAPTIVE: RecursiveFeatureMachine,
    RIDGE: LinearRidge,
    TREES: BoostedTrees,
    SMALL: SmallNetwork,
}


Seconds = Callable[[int, int, int], float]  # of one fit, given samples, inputs and outputs
_REGISTERED: Registry[Seconds] = Registry("contender", {})


def register(name: str, make: Callable[[], Contender], *, family: Family, seconds: Seconds) -> None:
    """Add a contender of one's own to every audit.

    Parameters
    ----------
    name : str
        What it is called in tables and on the page.
    make : callable
        Makes it: an object with ``judge`` and ``fit`` (see ``Contender``).
    family : str
        "network" and "kernel" take part in the verdict, "adaptive" and "baseline" stand beside it.
    seconds : callable
        What one fit takes, given the numbers of samples, inputs and outputs; roughly, for the plan.
    """
    if name not in _REGISTERED and name in {*FAMILIES, SMALL}:
        raise InputError(f"There is a contender '{name}' already: choose another name.")
    _REGISTERED.register(name, seconds)
    FAMILIES[name] = family
    MAKE[name] = lambda _: make()


def registered_seconds(name: str) -> Seconds | None:
    """What one fit of a registered contender takes; None for those of the package."""
    return _REGISTERED.get(name)


def twins(network: str) -> tuple[str, str]:
    """The names of a network's own kernels."""
    return f"{network}(last)", f"{network}(ntk)"


def on_curves(ranked: Sequence[str]) -> tuple[str, ...]:
    """Who learns from smaller samples, too: everybody but networks beyond the best few, given in their order."""
    return tuple(name for name in FAMILIES if name not in NETWORKS or name in ranked[:CURVES])


def family(name: str) -> Family:
    return "network" if name == SMALL else FAMILIES.get(name, "twin")


def contender(name: str) -> Contender:
    if name not in MAKE:
        load_extensions()
    return MAKE.get(name, FrozenNetworkKernel)(name)
