"""The claims as a kind of run: each is measured, and judged when it is read."""

from collections.abc import Iterable
from pathlib import Path

from kernelgap.paper.claims.claim import check_scale
from kernelgap.paper.claims.measurement import ClaimChunk, ClaimStore, measure
from kernelgap.paper.claims.registry import claims as all_claims
from kernelgap.paper.claims.registry import get
from kernelgap.paper.claims.result import read_claims
from kernelgap.paper.figures.reference import Reference
from kernelgap.paper.kept_file import RESULTS
from kernelgap.runs.kind import SHARED_CODE, Kind, Plan
from kernelgap.runs.start import default_folder

# References that claims judge at scale full: where one has changed, claims are measured again
KEPT = tuple(str(path.relative_to(RESULTS.parents[1])) for path in sorted(RESULTS.glob(f"*/{Reference.FILE}")))


def plan_claims(name: str, scale: str, seed: int, out: Path | None, claims: Iterable[str] = ()) -> Plan:
    """The claims with these ids, or all of them; the longest first."""
    check_scale(scale)
    chosen = [get(claim) for claim in dict.fromkeys(claims)] or list(all_claims().values())
    work = sorted((ClaimChunk(claim.id, scale, seed) for claim in chosen), key=lambda each: -each.cost)
    return Plan(
        folder=out or default_folder(name, scale, seed),
        description={"experiment": name, "scale": scale, "seed": seed},
        notes={"chunks": sorted(each.id for each in work)},  # what this start is about
        chunks=work,
        title=f"{name} ({scale})",
    )


KIND = Kind(
    command="claims",
    store=ClaimStore,
    work=measure,
    read=read_claims,
    page="kernelgap.reports.claims.page:write_claims_page",
    code=(
        *(*SHARED_CODE, "npz_file.py", "tensor_file.py"),
        *("problems", "networks", "training", "kernels", "regression", "certificates", "curves", "models"),
        *("runs/trials", "images", "paper", *KEPT),
    ),
    plan=plan_claims,
    failures_are_results=True,
)
