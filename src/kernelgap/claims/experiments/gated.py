"""The talk's frozen gates on images."""

from typing import Any

from kernelgap import networks
from kernelgap.claims.claim import Claim, Numbers, Verdict


def measure(scale: str, seed: int) -> dict[str, Any]:
    return {"networks": sorted(networks.NETWORKS)}


def judge(numbers: Numbers) -> Verdict:
    return Verdict("undecided", "not measured", "There is no convolutional network with frozen gates here yet.")


claim = Claim(
    id="slides.gated",
    source="slides",
    statement=(
        "Networks in which every ReLU is a frozen random gate times a trained linear part stay close to ordinary ones "
        "on images: a wide ResNet-32 has 94.55% against 93.85% on CIFAR-10, 77.04% against 75.27% on CIFAR-100."
    ),
    stated="94.55% against 93.85%, 77.04% against 75.27%",
    measure=measure,
    judge=judge,
)
