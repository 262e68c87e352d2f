"""Kept verdicts on all claims at a scale, and a run beside them.

They are a file of the package, ``paper/results/claims-SCALE/claims.json``. It is small: of each claim the verdict with
its reason, what was measured in brief, and the numbers where they are few.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from kernelgap.atomic_file import atomically
from kernelgap.errors import InputError, validated
from kernelgap.paper.claims.claim import SCALES, Outcome
from kernelgap.paper.claims.registry import OWN, claims, section_of
from kernelgap.paper.kept_file import LARGEST, RESULTS, KeptFile

if TYPE_CHECKING:
    from kernelgap.paper.claims.result import ClaimsRun

DIGITS = 4  # of a number that is kept
NUMBERS = 1200  # characters of a claim's numbers; more are left out, and the brief measurement stands for them


class KeptVerdict(BaseModel):
    """What came of one claim; ``numbers`` is None where they are many."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str
    identity: bool
    verdict: Outcome
    measured: str
    reason: str
    numbers: dict[str, Any] | None = None


class KeptClaims(KeptFile):
    """The verdicts of a run on all claims.

    Attributes
    ----------
    scale, seed
        What was run.
    version, code, date, environment
        What made it: kernelgap's version, a digest of the code that the numbers depend on, the day (UTC) of the last
        measurement, versions and kind of machine.
    claims
        The verdicts, in the order in which claims are listed.
    """

    FILE, ENTRIES, CALLED = "claims.json", "claims", "list of verdicts"

    scale: Literal["quick", "full"]
    seed: Annotated[int, Field(ge=0)]
    version: str
    code: str
    date: str
    environment: dict[str, str]
    claims: Annotated[list[KeptVerdict], Field(min_length=1)]

    def count(self, outcome: Outcome) -> int:
        return sum(claim.verdict == outcome for claim in self.claims)


def folder_of(scale: str, root: Path | None = None) -> Path:
    """Where the verdicts at a scale are kept."""
    return (RESULTS if root is None else root) / f"claims-{scale}"


def keep_claims(run: "ClaimsRun", root: str | Path) -> Path:
    """Keep the verdicts of a run; the same run gives the same bytes.

    Parameters
    ----------
    run
        A finished run on all claims.
    root
        The folder of kept results; the run's own becomes ``root/claims-SCALE``.

    Returns
    -------
    Path
        That folder, with ``claims.json``, of 200 kB at most.

    Raises
    ------
    InputError
        If the run is not finished, does not have every claim, or does not say what made it; if the file would be
        larger, or cannot be written.
    """
    _check(run)
    verdicts = [
        {
            "id": finding.claim.id,
            "identity": finding.claim.identity,
            "verdict": finding.verdict.outcome,
            "measured": finding.verdict.measured,
            "reason": finding.verdict.reason,
            "numbers": _few(finding.numbers),
        }
        for finding in run.findings
        if section_of(finding.claim) != OWN
    ]
    about = {name: getattr(run, name) for name in ("scale", "seed", "version", "code", "environment")}
    kept = validated(KeptClaims, {**about, "date": run.times.finished.max().date().isoformat(), "claims": verdicts})
    content = kept.as_text().encode()
    if len(content) > LARGEST:
        raise InputError(f"The verdicts of '{run.folder}' would take {len(content):,} bytes, {LARGEST:,} are the most.")
    folder = folder_of(run.scale, Path(root))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder '{folder}' cannot be made: {error.strerror}.") from None
    with atomically(folder / KeptClaims.FILE) as partial:
        partial.write_bytes(content)
    return folder


def _check(run: "ClaimsRun") -> None:
    """Refuse what does not have the verdicts on all claims."""
    finished = len(run.times)
    if run.failures or finished < run.planned:
        raise InputError(f"'{run.folder}' is not finished ({finished} of {run.planned} claims): go on with it first.")
    there = {finding.claim.id for finding in run.findings}
    missing = [name for name, claim in claims().items() if section_of(claim) != OWN and name not in there]
    if missing:
        raise InputError(
            f"'{run.folder}' does not have every claim, {len(missing)} are missing, such as {missing[0]}: run "
            f"'kernelgap claims --scale {run.scale}' without names first."
        )
    if run.version is None or run.code is None or not run.environment:
        raise InputError(f"'{run.folder}' does not say with which version and code it was made: run it anew.")


def _few(numbers: dict[str, Any] | None) -> dict[str, Any] | None:
    """The numbers to some digits, or None if they are many."""
    if numbers is None:
        return None
    short = json.loads(json.dumps(numbers), parse_float=lambda text: float(f"{float(text):.{DIGITS}g}"))
    return dict(short) if len(json.dumps(short)) <= NUMBERS else None


def read_kept_claims(folder: str | Path) -> KeptClaims:
    """The verdicts that are kept in a folder.

    Parameters
    ----------
    folder
        Where ``kernelgap report DIR --keep`` wrote them.

    Raises
    ------
    InputError
        If there are none, or they are damaged.
    """
    return KeptClaims.read(folder)


def all_kept_claims(root: Path | None = None) -> list[KeptClaims]:
    """Those of each scale for which there are some."""
    folders = [folder_of(scale, root) for scale in SCALES]
    return [read_kept_claims(folder) for folder in folders if (folder / KeptClaims.FILE).is_file()]


@dataclass(frozen=True)
class Changed:
    """A claim whose verdict is not the kept one."""

    id: str
    kept: Outcome
    now: Outcome


@dataclass(frozen=True)
class BesideKept:
    """A run beside the kept verdicts of its scale.

    Attributes
    ----------
    sentence
        What came of it, in short; or why the kept verdicts were refused.
    same
        How many verdicts are the kept ones.
    changed
        The other claims that both have.
    """

    sentence: str
    same: int = 0
    changed: Sequence[Changed] = ()

    def as_record(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        changed = [{"id": each.id, "kept": each.kept, "now": each.now} for each in self.changed]
        return {"sentence": self.sentence, "same": self.same, "changed": changed}


def beside_kept(run: "ClaimsRun") -> BesideKept | None:
    """A run beside the kept verdicts of its scale; None if there are none."""
    folder = folder_of(run.scale)
    if run.scale not in SCALES or not folder.is_dir():
        return None
    try:
        kept = read_kept_claims(folder)
    except InputError as error:
        return BesideKept(str(error))
    known = {claim.id: claim.verdict for claim in kept.claims}
    both = [(f.claim.id, known[f.claim.id], f.verdict.outcome) for f in run.findings if f.claim.id in known]
    changed = [Changed(*each) for each in both if each[1] != each[2]]
    return BesideKept(_sentence(run, kept, len(both), changed), len(both) - len(changed), changed)


def _sentence(run: "ClaimsRun", kept: KeptClaims, both: int, changed: Sequence[Changed]) -> str:
    made = f"seed {kept.seed}, kernelgap {kept.version}, {kept.date}"
    text = f"Beside the kept verdicts ({made}): {both - len(changed)} of {both} are the same."
    if changed:
        text += f" Changed: {', '.join(f'{each.id} {each.now} (kept: {each.kept})' for each in changed)}."
    if kept.code != run.code:
        text += f" The kept ones were made with another version of the code (kernelgap {kept.version})."
    return text
