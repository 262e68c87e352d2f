"""Compute a certificate of format 2 again: a float64 interval for its network's risk, and proofs of its floors."""

from pathlib import Path

import numpy as np

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.every_point import exact_risk
from kernelgap.certificates.files.certificate import NARROW_FLOOR
from kernelgap.certificates.files.checks import (
    Check,
    Verification,
    description_check,
    interval,
    same,
    trusted_training,
    trusted_versions,
)
from kernelgap.certificates.files.format2.claim import NARROW, Claim2, FloorClaim2, narrow
from kernelgap.certificates.files.format2.reading import Certificate2
from kernelgap.certificates.floors.bound import FIXED_BEFOREHAND, any_kernel
from kernelgap.certificates.floors.family import UNIFORM
from kernelgap.certificates.floors.oracle import oracle_risk
from kernelgap.problems import ParityProblem
from kernelgap.progress import Progress, part


def verify_format2(certificate: Certificate2, resume: str | Path | None, on_progress: Progress) -> Verification:
    """Recompute all that the file claims."""
    claim, problem = certificate.claim, certificate.problem
    X, _ = problem.sample(claim.samples, claim.seed)
    cube = cube_of(problem)
    own = None if cube is None else cube.signs(X)
    equal = own is not None and np.array_equal(certificate.signs, own)
    stated = f"{claim.samples} inputs of seed {claim.seed}"
    network = claim.network
    described: dict[str, object] = {"problem": claim.problem, "samples": claim.samples, "n": claim.samples}
    described |= {"seed": claim.seed, "network": network.name, "mode": network.mode, "width": network.width}
    checks = [
        Check("The training inputs are the problem's own", stated, "the same" if equal else "others", equal),
        same("The threshold", claim.threshold, float(problem.threshold)),
        description_check(described, network.training),
        *_bound_checks(claim, problem),
    ]
    for i, floor in enumerate(claim.floors):
        on_progress(0.5 * i / len(claim.floors), f"floor of {floor.kernel}")
        checks.append(_floor_check(floor, problem, X, certificate.room))
    checks.append(_risk_check(certificate, resume, part(on_progress, 0.5, 1.0)))
    return Verification(claim, tuple(checks), _trusted(claim))


def _trusted(claim: Claim2) -> tuple[str, ...]:
    """What cannot be computed from the file."""
    return (
        "It is of format 2, the older one, about one network: whether its start was picked among many, no file shows.",
        f"That the network learned from these {claim.samples:,} inputs and their labels, and from nothing else.",
        trusted_training(claim.network.mode, claim.network.training, several=False),
        f"What the bound for any kernel rests on: {UNIFORM.statement} {FIXED_BEFOREHAND['scalar'].statement}",
        trusted_versions(claim.versions),
    )


def _floor_check(floor: FloorClaim2, problem: ParityProblem, X: np.ndarray, room: float) -> Check:
    """The proved interval lies within the stated one, which is narrow, and the room beside it."""
    low, high = oracle_risk(problem, floor.kernel, X, rigorous=True).interval
    norm = problem.target_fourier.squared_norm()
    most, spare = NARROW_FLOOR * norm, room * norm
    return Check(
        f"No weights get {floor.kernel} under",
        interval(floor.low, floor.high, 15),
        interval(low, high, 15),
        floor.low - spare <= low <= high <= floor.high + spare and floor.high - floor.low <= most,
    )


def _risk_check(certificate: Certificate2, resume: str | Path | None, on_progress: Progress) -> Check:
    """The proved interval lies within the stated one and the room beside it; all are narrow against the threshold."""
    claim, spare = certificate.claim.network, certificate.room * certificate.problem.target_fourier.squared_norm()
    risk = exact_risk(certificate.problem, certificate.trained, resume=resume, on_progress=on_progress)
    low, high = risk.proved
    return Check(
        f"The network's risk over {claim.points:,} points",
        interval(claim.low, claim.high, 9),
        interval(low, high, 9) + ("" if narrow(risk) else ": too wide to tell"),
        risk.points == claim.points
        and narrow(risk)
        and claim.low - spare <= low <= high <= claim.high + spare
        and claim.high - claim.low <= 2 * NARROW * risk.threshold,
    )


def _bound_checks(claim: Claim2, problem: ParityProblem) -> list[Check]:
    bound, stated = any_kernel(problem, claim.samples), claim.any_kernel
    needed = bound.samples_for(claim.network.high)
    matrix = any_kernel(problem, claim.samples, kernel="matrix").samples_for(claim.network.high)
    return [
        same("The size of the family", stated.family_size, bound.family_size),
        same("The mean risk of any scalar kernel fixed beforehand", stated.mean_risk, str(bound.exact_mean_risk)),
        same("Samples that any such kernel needs for the same risk", stated.samples_for_same_risk, needed),
        same("... and any matrix-valued one", stated.matrix_valued_samples_for_same_risk, matrix),
    ]
