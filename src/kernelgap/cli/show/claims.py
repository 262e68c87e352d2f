"""The verdicts on claims, in the terminal."""

from kernelgap import console
from kernelgap.paper.claims.result import ClaimsRun, Finding


def show_claims(run: ClaimsRun) -> None:
    """Each claim with what was stated and measured, and why those that do not hold do not."""
    rows = [[f.claim.id, f.claim.source, f.claim.stated, f.verdict.measured, _outcome(f)] for f in run.findings]
    console.table(["claim", "source", "stated", "measured", "verdict"], rows, left=5)
    for finding in run.findings:
        if finding.verdict.outcome != "holds":
            console.answer(f"\n{finding.claim.id} {finding.verdict.outcome}: {finding.verdict.reason}")
    console.answer(f"\n{run.sentence}")
    kept = run.beside_kept
    if kept is not None:
        console.answer(kept.sentence)


def _outcome(finding: Finding) -> str:
    return finding.verdict.outcome + (" (identity)" if finding.claim.identity else "")
