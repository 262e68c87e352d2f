"""Compute a certificate again, from nothing but its file.

Fractions are compared exactly. A floor holds if the whole of the verifier's own interval lies within the stated one,
which is narrow, and if the file's witness proves the same. What a file cannot show is not among the checks: it is
listed as taken on trust.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np

from kernelgap import kernels
from kernelgap.certificates.confidence import is_upper_limit
from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.fixed_point import ParityTarget, fixed_point_risk, target_of
from kernelgap.certificates.files.certificate import NARROW_FLOOR, numbered, resume_file
from kernelgap.certificates.files.checks import (
    Check,
    Verification,
    description_check,
    interval,
    same,
    trusted_training,
    trusted_versions,
)
from kernelgap.certificates.files.claim import CertifiedClaim
from kernelgap.certificates.files.format1.reading import Certificate1
from kernelgap.certificates.files.format1.verification import verify_format1
from kernelgap.certificates.files.format2.reading import Certificate2
from kernelgap.certificates.files.format2.verification import verify_format2
from kernelgap.certificates.files.reading import Certificate, read_certificate
from kernelgap.certificates.files.statements import (
    bound_claim,
    mean_of,
    start_hypothesis,
    target_claim,
    threshold_of,
)
from kernelgap.certificates.floors.bound import FIXED_BEFOREHAND
from kernelgap.certificates.floors.family import UNIFORM
from kernelgap.certificates.floors.oracle import oracle_risk
from kernelgap.certificates.floors.witness import check_witness
from kernelgap.networks import get as get_network
from kernelgap.progress import Progress, part, silent


def verify(path: str | Path, *, resume: str | Path | None = None, on_progress: Progress = silent) -> Verification:
    """Recompute all that the file claims.

    Parameters
    ----------
    path
        The certificate, of format 3 or of the older formats 2 and 1.
    resume
        The start of the names of files that keep what is done of the evaluation at every point of the cube.
    on_progress
        Takes the share done and what is being done.

    Returns
    -------
    Verification
        Each statement with what came out, and what the file asks to be believed.

    Raises
    ------
    InputError
        If the file was changed, or is no certificate.
    """
    certificate = read_certificate(path)
    if isinstance(certificate, Certificate1):
        return verify_format1(certificate, resume, on_progress)
    if isinstance(certificate, Certificate2):
        return verify_format2(certificate, resume, on_progress)
    claim, problem = certificate.claim, certificate.problem
    target = target_of(problem)
    described: dict[str, object] = {"problem": claim.problem, "samples": claim.samples, "n": claim.samples}
    described |= {name: getattr(claim.network, name) for name in ("mode", "width")} | {"network": claim.network.name}
    checks = [
        _target_check(certificate),
        same("The threshold", claim.threshold, str(threshold_of(target))),
        _inputs_check(certificate),
        _different_check(certificate),
        description_check(described, claim.network.training),
    ]
    for i in range(len(claim.floors)):
        on_progress(0.3 * i / len(claim.floors), f"floor of {claim.floors[i].kernel}")
        checks += _floor_checks(certificate, i)
    risks, count = [], len(certificate.networks)
    for i, network in enumerate(certificate.networks):
        show = numbered(part(on_progress, 0.3 + 0.7 * i / count, 0.3 + 0.7 * (i + 1) / count), i, count)
        risks.append(fixed_point_risk(target, network, resume=resume_file(resume, i), on_progress=show))
        checks.append(_risk_check(claim, i, risks[i], 2**target.d))
    checks += _mean_checks(claim, target, risks)
    checks += _bound_checks(certificate)
    return Verification(claim, tuple(checks), trusted(claim))


def trusted(claim: CertifiedClaim) -> tuple[str, ...]:
    """What cannot be computed from the file, and on what the statements rest."""
    several = len(claim.networks) > 1
    learned = "each network" if several else "the network"
    start = start_hypothesis(get_network(claim.network.name))
    law = "Checked" if start.checked else "Assumed"
    kinds = f"{FIXED_BEFOREHAND['scalar'].statement} {FIXED_BEFOREHAND['matrix'].statement}"
    candidates = claim.network.training.get("candidates")
    picked = ""
    if isinstance(candidates, int) and candidates > 1:
        picked = f" The setting was picked from {candidates:,} candidates on these seeds, it says."
    return (
        f"That {learned} learned from its {claim.samples:,} inputs and their labels, and from nothing else.",
        trusted_training(claim.network.mode, claim.network.training, several=several),
        f"That the starts are independent, and were fixed before their risks were seen: not the best of more.{picked}",
        f"That the starts were drawn as kernelgap draws them. {law} of its {claim.network.name}: {start.statement}",
        f"What the bounds for any kernel rest on: {UNIFORM.statement} {kinds}",
        trusted_versions(claim.versions),
    )


def _target_check(certificate: Certificate) -> Check:
    stated, found = certificate.claim.target, target_claim(certificate.problem)
    others = [name for name in type(found).model_fields if getattr(stated, name) != getattr(found, name)]
    text = f"other {', '.join(others)}" if others else "the same"
    return Check(f"The target is that of {certificate.claim.problem}", "the same", text, not others)


def _inputs_check(certificate: Certificate) -> Check:
    """Every network's inputs are those that the problem draws from its seed."""
    claim, problem = certificate.claim, certificate.problem
    cube = cube_of(problem)
    others = []
    for start, signs in zip(claim.networks, certificate.inputs, strict=True):
        own = None if cube is None else cube.signs(problem.sample(claim.samples, start.seed)[0])
        if own is None or not np.array_equal(signs, own):
            others.append(start.seed)
    seeds = [start.seed for start in claim.networks]
    of = f"seed {seeds[0]}" if len(seeds) == 1 else f"{len(seeds)} seeds"
    found = f"others, of seed {others[0]}" if others else "the same"
    return Check("The training inputs are the problem's own", f"{claim.samples:,} inputs of {of}", found, not others)


def _different_check(certificate: Certificate) -> Check:
    """No start counts twice."""
    claim, count = certificate.claim, len(certificate.networks)
    seeds, starts = ({getattr(each, name) for each in claim.networks} for name in ("seed", "start"))
    weights = {each.units for each in certificate.networks}
    found = min(len(seeds), len(starts), len(weights))
    return same("Different networks, each with seeds of its own", count, found)


def _floor_checks(certificate: Certificate, i: int) -> list[Check]:
    """The proved interval lies within the stated one, which is narrow; the witness proves the stated one too."""
    claim, problem, floor = certificate.claim, certificate.problem, certificate.claim.floors[i]
    X, _ = problem.sample(claim.samples, claim.networks[floor.inputs].seed)
    cube = cube_of(problem)
    assert cube is not None
    low, high = oracle_risk(problem, floor.kernel, X, rigorous=True).interval
    most = NARROW_FLOOR * float(target_of(problem).squared_norm)
    stated = interval(floor.low, floor.high, 15)
    signs = certificate.inputs[floor.inputs].astype(np.float64)
    kernel = kernels.get(floor.kernel)
    proves = check_witness(problem, kernel, cube, signs, certificate.witnesses[i], (floor.low, floor.high))
    return [
        Check(
            f"No weights get {floor.kernel} under",
            stated,
            interval(low, high, 15),
            floor.low <= low <= high <= floor.high and floor.high - floor.low <= most,
        ),
        Check("... as its witness proves", stated, "proved" if proves else "not proved", proves),
    ]


def _risk_check(claim: CertifiedClaim, i: int, risk: Fraction, points: int) -> Check:
    stated = Fraction(claim.networks[i].risk)
    of = "The network's risk" if len(claim.networks) == 1 else f"The risk of network {i + 1}"
    return _risks(f"{of} over {points:,} points", stated, risk)


def _mean_checks(claim: CertifiedClaim, target: ParityTarget, risks: list[Fraction]) -> list[Check]:
    upper, bound, confidence = (Fraction(getattr(claim.mean, name)) for name in ("upper", "loss_bound", "confidence"))
    supported = is_upper_limit(upper, risks, target.loss_bound, confidence)
    stated, mean = Fraction(claim.mean.risk), mean_of(risks)
    return [
        _risks("Their mean", stated, mean),
        same("The greatest risk that there can be", str(bound), str(target.loss_bound)),
        Check(
            f"The upper limit of the mean over all starts, confidence {100 * float(confidence):.6g}%",
            f"{float(upper):.9g}",
            "it follows" if supported else "it does not follow",
            supported,
        ),
    ]


def _bound_checks(certificate: Certificate) -> list[Check]:
    claim = certificate.claim
    mean, upper = Fraction(claim.mean.risk), Fraction(claim.mean.upper)
    stated, found = claim.any_kernel, bound_claim(certificate.problem, claim.samples, mean, upper)
    checks = [same("The size of the family", stated.family_size, found.family_size)]
    for kind in ("scalar", "matrix"):
        name = f"any {kind} kernel" if kind == "scalar" else "any matrix-valued kernel"
        ours, theirs = getattr(found, kind), getattr(stated, kind)
        checks += [
            same(f"The functions of {name}", theirs.functions, ours.functions),
            same(f"The mean risk of {name} fixed beforehand", theirs.mean_risk, ours.mean_risk),
            same(f"Samples that {name} needs for the mean", theirs.samples_for_mean, ours.samples_for_mean),
            same("... and for the upper limit", theirs.samples_for_upper, ours.samples_for_upper),
        ]
    return checks


def _risks(what: str, stated: Fraction, found: Fraction) -> Check:
    """Fractions with hundreds of digits, shown as numbers."""
    text, own = f"{float(stated):.12g}", f"{float(found):.12g}"
    if stated != found and text == own:
        own += ", another fraction"
    return Check(what, text, own, stated == found)
