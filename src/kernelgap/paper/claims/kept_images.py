"""Accuracies on images that were measured earlier and kept: `kernelgap run images --scale long`, of docs/images.md.

CIFAR-10 is the user's own file and its trainings take an hour, so claims about it read these. Seed 0, one run, percent
of all 10,000 test images (`cntk`: of 1,000), with half of the 95% interval for the test images. A ResNet-8 twice as
wide as usual, 60, 30 and 8 epochs with 1,000, 5,000 and 50,000 images. A test compares them with the page.
"""

from typing import NamedTuple


class Accuracy(NamedTuple):
    """Percent, and half of its interval."""

    value: float
    half: float


NETWORK, GATED = "conv-resnet-8", "conv-resnet-8-gated"
CIFAR10: dict[str, dict[int, Accuracy]] = {
    NETWORK: {1000: Accuracy(45.6, 1.0), 5000: Accuracy(62.1, 1.0), 50_000: Accuracy(76.0, 0.8)},
    GATED: {1000: Accuracy(43.7, 1.0), 5000: Accuracy(60.0, 1.0), 50_000: Accuracy(71.0, 0.9)},
    "gaussian": {1000: Accuracy(38.8, 1.0), 5000: Accuracy(46.6, 1.0), 10_000: Accuracy(50.5, 1.0)},
    "laplace": {1000: Accuracy(39.4, 1.0), 5000: Accuracy(47.3, 1.0), 10_000: Accuracy(50.8, 1.0)},
    "ntk": {1000: Accuracy(39.1, 1.0), 5000: Accuracy(46.1, 1.0), 10_000: Accuracy(49.4, 1.0)},
    "cntk": {1000: Accuracy(38.0, 3.0), 2000: Accuracy(42.9, 3.1)},
}
# `kernelgap run images --scale gates-WIDTH`, 5,000 images, 60 epochs: by width, the ordinary and the gated network's
# percent for each seed. None was run yet.
GATES: dict[int, tuple[tuple[float, float], ...]] = {}
ALL_IMAGES = 50_000  # of CIFAR-10's training part


def shared_sizes(first: str, second: str) -> list[int]:
    """The numbers of training images with which both were measured."""
    return sorted(CIFAR10[first].keys() & CIFAR10[second].keys())
