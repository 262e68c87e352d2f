"""Compute a certificate again, from nothing but its file.

A statement holds only if the whole of the verifier's own interval supports it, and that interval is finite and narrow.
Nothing that the file says about its own accuracy is taken. What a file cannot show is not among the checks: it is
listed as taken on trust.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.every_point import exact_risk
from kernelgap.certificates.files.certificate import NARROW, NARROW_FLOOR, Claim, FloorClaim, narrow
from kernelgap.certificates.files.reading import Certificate, read_certificate
from kernelgap.certificates.floors.bound import FIXED_BEFOREHAND, UNIFORM, any_kernel
from kernelgap.certificates.floors.oracle import oracle_risk
from kernelgap.problems import ParityProblem
from kernelgap.progress import Progress, part, silent

SHOWN = ("rate", "decay", "epochs", "batch")  # of the training


@dataclass(frozen=True)
class Check:
    """One statement of a certificate, and what came out.

    Attributes
    ----------
    what
        What the statement is about.
    stated, found
        What the certificate says, and what the verifier computed.
    holds
        Whether the computation supports the statement.
    """

    what: str
    stated: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Verdict:
    """What holds of a certificate, and what it asks to be believed.

    Attributes
    ----------
    claim
        All that the certificate states.
    checks
        Each statement that was computed again.
    trusted
        What cannot be computed from the file, a sentence each.
    """

    claim: Claim
    checks: tuple[Check, ...]
    trusted: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return all(check.holds for check in self.checks)


def verify(path: str | Path, *, resume: str | Path | None = None, on_progress: Progress = silent) -> Verdict:
    """Recompute all that the file claims.

    Parameters
    ----------
    path
        The certificate.
    resume
        A file that keeps what is done of the evaluation at every point of the cube.
    on_progress
        Takes the share done and what is being done.

    Returns
    -------
    Verdict
        Each statement with what came out, and what the file asks to be believed.

    Raises
    ------
    InputError
        If the file was changed, or is no certificate.
    """
    certificate = read_certificate(path)
    claim, problem = certificate.claim, certificate.problem
    X, _ = problem.sample(claim.samples, claim.seed)
    cube = cube_of(problem)
    own = None if cube is None else cube.signs(X)
    same = own is not None and np.array_equal(certificate.signs, own)
    stated = f"{claim.samples} inputs of seed {claim.seed}"
    checks = [
        Check("The training inputs are the problem's own", stated, "the same" if same else "others", same),
        _same("The threshold", claim.threshold, float(problem.threshold)),
        _description_check(claim),
        *_bound_checks(claim, problem),
    ]
    for i, floor in enumerate(claim.floors):
        on_progress(0.5 * i / len(claim.floors), f"floor of {floor.kernel}")
        checks.append(_floor_check(floor, problem, X))
    checks.append(_risk_check(certificate, resume, part(on_progress, 0.5, 1.0)))
    return Verdict(claim, tuple(checks), trusted(claim))


def trusted(claim: Claim) -> tuple[str, ...]:
    """What cannot be computed from the file."""
    layers = {"all": "all layers were", "hidden": "the hidden layers alone were", None: "it was"}[claim.network.mode]
    settings = ", ".join(f"{name} {value}" for name, value in claim.network.training.items() if name in SHOWN)
    settings = f" ({settings})" if settings else ""
    return (
        f"That the network learned from these {claim.samples:,} inputs and their labels, and from nothing else.",
        f"How it was trained: that {layers} trained{settings}. Try it: kernelgap verify --retrain.",
        f"What the bound for any kernel rests on: {UNIFORM.statement} {FIXED_BEFOREHAND['scalar'].statement}",
        f"What it was made with: {', '.join(f'{name} {text}' for name, text in claim.versions.items())}.",
    )


def _floor_check(floor: FloorClaim, problem: ParityProblem, X: np.ndarray) -> Check:
    """The proved interval lies within the stated one, which is narrow."""
    low, high = oracle_risk(problem, floor.kernel, X, rigorous=True).interval
    most = NARROW_FLOOR * problem.target_fourier.squared_norm()
    return Check(
        f"No weights get {floor.kernel} under",
        _interval(floor.low, floor.high, 15),
        _interval(low, high, 15),
        floor.low <= low <= high <= floor.high and floor.high - floor.low <= most,
    )


def _risk_check(certificate: Certificate, resume: str | Path | None, on_progress: Progress) -> Check:
    """The proved interval lies within the stated one; both are narrow against the threshold."""
    claim = certificate.claim.network
    risk = exact_risk(certificate.problem, certificate.trained, resume=resume, on_progress=on_progress)
    low, high = risk.proved
    return Check(
        f"The network's risk over {claim.points:,} points",
        _interval(claim.low, claim.high, 9),
        _interval(low, high, 9) + ("" if narrow(risk) else ": too wide to tell"),
        risk.points == claim.points
        and narrow(risk)
        and claim.low <= low <= high <= claim.high
        and claim.high - claim.low <= 2 * NARROW * risk.threshold,
    )


def _description_check(claim: Claim) -> Check:
    """Where the description of the training repeats what the certificate states, it says the same."""
    network = claim.network
    own: dict[str, object] = {"problem": claim.problem, "samples": claim.samples, "n": claim.samples}
    own |= {"seed": claim.seed, "network": network.name, "mode": network.mode, "width": network.width}
    training = network.training
    others = [name for name in own if name in training and training[name] != own[name]]
    found = f"it has {others[0]} {training[others[0]]}, not {own[others[0]]}" if others else "the same"
    return Check("The description of the training fits the claim", "the same", found, not others)


def _bound_checks(claim: Claim, problem: ParityProblem) -> list[Check]:
    bound, stated = any_kernel(problem, claim.samples), claim.any_kernel
    needed = bound.samples_for(claim.network.high)
    matrix = any_kernel(problem, claim.samples, kernel="matrix").samples_for(claim.network.high)
    return [
        _same("The size of the family", stated.family_size, bound.family_size),
        _same("The mean risk of any scalar kernel fixed beforehand", stated.mean_risk, str(bound.exact_mean_risk)),
        _same("Samples that any such kernel needs for the same risk", stated.samples_for_same_risk, needed),
        _same("... and any matrix-valued one", stated.matrix_valued_samples_for_same_risk, matrix),
    ]


def _same(what: str, stated: object, found: object) -> Check:
    return Check(what, _text(stated), _text(found), stated == found)


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value}"


def _interval(low: float, high: float, digits: int) -> str:
    return f"[{low:.{digits}g}, {high:.{digits}g}]"
