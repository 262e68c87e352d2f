"""Who learns by SGD: each network a small file with its weights and pure functions."""

from kernelgap.errors import unknown
from kernelgap.networks.initialisation import Experiment, Initialisation, Theory
from kernelgap.networks.network import MODES, Network, Params, Weight
from kernelgap.networks.resnet import resnet
from kernelgap.networks.resnet_full import resnet_full
from kernelgap.networks.three_layer import three_layer
from kernelgap.networks.two_layer import two_layer
from kernelgap.networks.two_layer_signs import two_layer_signs

NETWORKS: dict[str, Network] = {n.name: n for n in (two_layer, three_layer, resnet, resnet_full, two_layer_signs)}

__all__ = [
    "MODES",
    "NETWORKS",
    "Experiment",
    "Initialisation",
    "Network",
    "Params",
    "Theory",
    "Weight",
    "get",
    "resnet",
    "resnet_full",
    "three_layer",
    "two_layer",
    "two_layer_signs",
]


def get(name: str) -> Network:
    """A network by name: 2layer, 3layer, 3resnet (U = VA, sec. 6), 3resnet-full (eq. 2.1), 2layer-signs (sec. 8.2)."""
    if name not in NETWORKS:
        raise unknown("network", name, NETWORKS)
    return NETWORKS[name]
