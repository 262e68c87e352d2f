"""Claims that something is learned, measured and judged whole."""

import pytest

from kernelgap.paper.claims import get


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "outcome"),
    {
        "thm1.risk": "holds",
        "thm1.samples": "holds",
        "thm1.alpha": "holds",
        "thm1.alpha.k": "undecided",
        "thm1.to_zero": "holds",
        "thm1.distribution": "holds",
        "thm1.multipass": "holds",
        "thm1.all_layers": "holds",
        "thm1.agnostic": "holds",
        "hier.forward": "holds",
        "hier.backward": "fails",
        "hier.backward.samples": "fails",
        "lazy.two_layer": "holds",
    }.items(),
)
def test_end_to_end(name: str, outcome: str) -> None:
    claim = get(name)
    numbers = claim.measure("quick", 0)
    assert claim.judge(numbers).outcome == outcome
    assert claim.picture is not None
    assert claim.picture(numbers).lines
