"""The contenders by name."""

from collections.abc import Callable, Sequence

from kernelgap.audit.contenders.baselines import BoostedTrees, LinearRidge
from kernelgap.audit.contenders.kernels import FrozenNetworkKernel, KernelRidge
from kernelgap.audit.contenders.network import SGDNetwork
from kernelgap.audit.contenders.own import OWN, OwnContender
from kernelgap.audit.contenders.recursive_feature_machine import RecursiveFeatureMachine
from kernelgap.audit.contenders.small_network import SmallNetwork
from kernelgap.audit.contenders.view import Contender
from kernelgap.audit.statistics.results import FROZEN, Family
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
REGISTERED: Registry[Seconds] = Registry("contender", {})  # of users


def register(name: str, make: Callable[[], Contender], *, family: Family, seconds: Seconds) -> None:
    """Add a contender of one's own to every audit.

    Parameters
    ----------
    name
        Its name in tables and on the page.
    make
        Makes it: an object with ``judge`` and ``fit`` (see ``Contender``).
    family
        "network" and "kernel" take part in the verdict, "adaptive" and "baseline" stand beside it.
    seconds
        Of one fit, given the numbers of samples, inputs and outputs; roughly, for the plan.

    Raises
    ------
    InputError
        If the package has a contender of this name.
    """
    if name not in REGISTERED and name in {*FAMILIES, SMALL}:
        raise InputError(f"There is a contender '{name}' already: choose another name.")
    REGISTERED.register(name, seconds)
    FAMILIES[name] = family
    MAKE[name] = lambda _: make()


def frozen_kernels(network: str) -> tuple[str, str]:
    """The names of a network's own kernels."""
    return f"{network}(last)", f"{network}(ntk)"


def on_curves(ranked: Sequence[str]) -> tuple[str, ...]:
    """The contenders with learning curves: all but the networks behind the best few of ``ranked``."""
    return tuple(name for name in FAMILIES if name not in NETWORKS or name in ranked[:CURVES])


def family(name: str) -> Family:
    return "network" if name == SMALL else "baseline" if name.startswith(OWN) else FAMILIES.get(name, FROZEN)


def contender(name: str, description: str = "") -> Contender:
    """The contender of this name; an own one is made from its description."""
    if description:
        return OwnContender(name, description)
    if name not in MAKE:
        load_extensions()
    return MAKE.get(name, FrozenNetworkKernel)(name)
