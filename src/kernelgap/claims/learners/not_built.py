"""Networks that the talk mentions: whether the library has them."""

from typing import Any

from kernelgap import networks
from kernelgap.claims.claim import Claim, Numbers, Verdict


def measure_gated(scale: str, seed: int) -> dict[str, Any]:
    return _named("gate")


def measure_conv(scale: str, seed: int) -> dict[str, Any]:
    return _named("conv")


def _named(part: str) -> dict[str, Any]:
    found = [name for name in networks.NETWORKS if part in name]
    return {"built": bool(found), "named": part, "networks": list(networks.NETWORKS)}


def judge(numbers: Numbers) -> Verdict:
    kinds = {"gate": "frozen-gate", "conv": "convolutional"}
    there = f"networks: {', '.join(numbers['networks'])}"
    if numbers["built"]:
        return Verdict("undecided", there, "There is such a network now, but nothing measures it yet.")
    return Verdict("undecided", there, f"The library has no {kinds[numbers['named']]} networks yet.")


claims = (
    Claim(
        id="net.gated",
        source="slides",
        statement=(
            "Frozen-gate layers: each ReLU of <w, x> becomes a smooth gate of <w1, x> times <w2, x>, with w1 frozen at "
            "random and w2 trained."
        ),
        stated="such layers train",
        measure=measure_gated,
        judge=judge,
    ),
    Claim(
        id="net.conv",
        source="slides",
        statement=(
            "A convolutional ResNet learns the convolutional target sum_j F(x_j) + alpha G(sum_j v_j F(x_j)) as the "
            "three-layer ResNet learns F + alpha G(F)."
        ),
        stated="learned likewise",
        measure=measure_conv,
        judge=judge,
    ),
)
