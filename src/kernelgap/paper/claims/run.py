"""Measure claims and judge them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kernelgap import console
from kernelgap.errors import InputError, shown
from kernelgap.paper.claims.claim import Claim, Verdict, check_scale
from kernelgap.paper.claims.measurement import Measured, Measurement, measure
from kernelgap.paper.claims.registry import claims, get, room_of
from kernelgap.paper.claims.store import Ledger
from kernelgap.runs import Progress, run_chunks
from kernelgap.runs.run_file import as_stored

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
            "room": room_of(self.claim),
            "source": self.claim.source,
            "statement": self.claim.statement,
            "stated": self.claim.stated,
            "measured": self.verdict.measured,
            "verdict": self.verdict.outcome,
            "reason": self.verdict.reason,
            "code": self.claim.location,
            "seconds": self.seconds,
            "numbers": self.numbers,
        }


@dataclass(frozen=True)
class Findings:
    """What came of the claims that were asked for, in the order in which they are listed."""

    scale: str
    seed: int
    folder: Path
    found: tuple[Finding, ...]

    def count(self, outcome: str) -> int:
        return sum(finding.verdict.outcome == outcome for finding in self.found)

    @property
    def sentence(self) -> str:
        holds, fails, undecided = (self.count(outcome) for outcome in ("holds", "fails", "undecided"))
        known = f"{holds} hold, {fails} fail and {undecided} are undecided"
        return f"Of {len(self.found)} claims {known} at scale {self.scale}."


def run_claims(
    names: Iterable[str] = (),
    scale: str = "quick",
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    seed: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
) -> Findings:
    """Measure the claims with these ids (default: all) and judge them.

    What is measured is kept in ``out`` (default ``runs/claims-SCALE``) as it comes, and is not measured again unless
    the claim's code was changed. One whose measurement broke is undecided, with the error as its reason.
    """
    check_scale(scale)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise InputError(f"seed must be a whole number from 0 to 2^32 - 1, not {shown(seed)}.")
    chosen = [get(name) for name in dict.fromkeys(names)] or list(claims().values())
    folder = Path(out) if out is not None else Path("runs") / (f"claims-{scale}" + (f"-seed{seed}" if seed else ""))
    work = [Measurement(claim.id, scale, seed) for claim in chosen]
    ordered = sorted(work, key=lambda m: -m.cost)
    with Ledger.open(folder) as ledger:
        ledger.describe(
            {"experiment": "claims", "scale": scale, "seed": seed, "kernelgap version": version("kernelgap")}
        )
        ledger.note({"chunks": sorted(m.id for m in work)})  # what this start is about, for whoever looks
        with console.progress(f"claims ({scale})") as show:
            tell = on_progress or (lambda p: show(p.share, f"{p.chunks_done} of {p.chunks} claims"))
            failures = run_chunks(ordered, ledger, do=measure, workers=workers, cluster=cluster, on_progress=tell)
        measured = ledger.measured()
    errors = {failure.chunk: failure.error for failure in failures}
    with as_stored(folder, "what was measured"):
        return Findings(scale, seed, folder, tuple(_judged(m, measured, errors) for m in work))


def read_findings(folder: str | Path) -> Findings:
    """What was measured in a folder, judged again: claims that were not measured there are left out."""
    with Ledger.reading(folder) as ledger:
        description, measured = ledger.description(), ledger.measured()
    with as_stored(folder, "what was measured"):
        scale, seed = str(description.get("scale", "quick")), int(description.get("seed", 0))
        work = [Measurement(name, scale, seed) for name in claims()]
        found = tuple(_judged(m, measured, {}) for m in work if m.id in measured)
    if not found:
        raise InputError(f"Nothing that is still current was measured in '{folder}': run 'kernelgap claims' first.")
    return Findings(scale, seed, Path(folder), found)


def _judged(measurement: Measurement, measured: dict[str, Measured], errors: dict[str, str]) -> Finding:
    claim = get(measurement.claim)
    if measurement.id not in measured:
        why = errors.get(measurement.id, "it was not measured")
        return Finding(claim, Verdict("undecided", "not measured", f"Measuring it failed: {why}"), None, None)
    kept = measured[measurement.id]
    numbers = kept.read()
    return Finding(claim, claim.judge(numbers), kept.seconds, numbers)
