"""Claims as they are measured, for tests that then give them false results."""

from kernelgap.paper.claims import get
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict


def judged(name: str, outcome: str, *, seed: int) -> tuple[Claim, Numbers, Verdict]:
    """A claim, measured at scale quick; it must come out so."""
    claim = get(name)
    numbers = claim.measure("quick", seed)
    verdict = claim.judge(numbers)
    assert verdict.outcome == outcome
    return claim, numbers, verdict
