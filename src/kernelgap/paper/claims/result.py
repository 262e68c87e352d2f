"""The claims that a folder holds, judged."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from kernelgap.errors import InputError
from kernelgap.paper.claims.claim import Claim, Verdict
from kernelgap.paper.claims.kept import BesideKept, beside_kept
from kernelgap.paper.claims.measurement import ClaimStore, Measured
from kernelgap.paper.claims.registry import claims, get, section_of
from kernelgap.runs.result import Run
from kernelgap.runs.store import as_stored

ORDER = ("fails", "undecided", "holds")


@dataclass(frozen=True)
class Finding:
    """A claim with what was measured and what it says; ``numbers`` is None if measuring it failed."""

    claim: Claim
    verdict: Verdict
    seconds: float | None
    numbers: dict[str, Any] | None

    def as_record(self) -> dict[str, object]:
        """Plain, as --json prints it."""
        return {
            "id": self.claim.id,
            "room": section_of(self.claim),
            "source": self.claim.source,
            "statement": self.claim.statement,
            "identity": self.claim.identity,
            "stated": self.claim.stated,
            "measured": self.verdict.measured,
            "verdict": self.verdict.outcome,
            "reason": self.verdict.reason,
            "code": self.claim.location,
            "seconds": self.seconds,
            "numbers": self.numbers,
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class ClaimsRun(Run):
    """Claims with their verdicts, in the order in which they are listed; ``table`` has a row each."""

    kind = "claims"

    findings: tuple[Finding, ...]

    def count(self, outcome: str) -> int:
        return sum(finding.verdict.outcome == outcome for finding in self.findings)

    def only(self, names: Iterable[str]) -> "ClaimsRun":
        """The same run with the findings on these claims alone, in their order."""
        by_id = {finding.claim.id: finding for finding in self.findings}
        return replace(self, findings=tuple(by_id[name] for name in dict.fromkeys(names) if name in by_id))

    @property
    def identities(self) -> int:
        """How many of them cannot fail by construction."""
        return sum(finding.claim.identity for finding in self.findings)

    @property
    def sentence(self) -> str:
        holds, fails, undecided = (self.count(outcome) for outcome in ("holds", "fails", "undecided"))
        known = f"{holds} hold, {fails} fail and {undecided} are undecided"
        sentence = f"Of {len(self.findings)} claims {known} at scale {self.scale}."
        if not self.identities:
            return sentence
        about = "Identities among them, which check this code and are no evidence for the paper"
        return f"{sentence} {about}: {self.identities}."

    @property
    def beside_kept(self) -> BesideKept | None:
        """The verdicts beside those that are kept of this scale, if there are some."""
        return beside_kept(self)

    def as_record(self) -> dict[str, Any]:
        kept = self.beside_kept
        return {
            "scale": self.scale,
            "seed": self.seed,
            "folder": str(self.folder),
            "sentence": self.sentence,
            **{outcome: self.count(outcome) for outcome in reversed(ORDER)},
            "identities": self.identities,
            "reference": None if kept is None else kept.as_record(),
            "claims": [finding.as_record() for finding in self.findings],
        }


def read_claims(folder: Path) -> ClaimsRun:
    """What was measured in a folder, judged, and what failed; claims that were not tried there are left out."""
    with ClaimStore.reading(folder) as store:
        measured, common = store.measured(), store.common()
    errors = {failure.label: failure.error for failure in common["failures"]}
    with as_stored(folder, "what was measured"):
        findings = tuple(
            _judged(name, measured.get(name), errors.get(name)) for name in claims() if name in {*measured, *errors}
        )
    if not findings:
        raise InputError(f"Nothing was measured in '{folder}': run 'kernelgap claims' first.")
    table = pd.DataFrame([finding.as_record() for finding in findings]).drop(columns="numbers")
    return ClaimsRun(**common, table=table, findings=findings)


def _judged(name: str, measured: Measured | None, error: str | None) -> Finding:
    claim = get(name)
    if measured is None:
        return Finding(claim, Verdict("undecided", "not measured", f"Measuring it failed: {error}"), None, None)
    numbers = measured.read()
    return Finding(claim, claim.judge(numbers), measured.seconds, numbers)
