"""Compute a certificate again, from nothing but its file."""

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from kernelgap import console, networks, problems
from kernelgap.certificates.bound import any_kernel
from kernelgap.certificates.certificate import CLAIM, INPUTS, WEIGHTS, Claim
from kernelgap.certificates.every_point import TrainedNetwork, exact_risk
from kernelgap.certificates.gap import kernel_gap
from kernelgap.certificates.oracle import OracleRisk, oracle_risk, prepare_on_cube
from kernelgap.certificates.sealed import read_sealed
from kernelgap.errors import InputError, validated
from kernelgap.problems import Problem


@dataclass(frozen=True)
class Check:
    """One statement of a certificate, and what came out."""

    what: str
    stated: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Verdict:
    """What holds of a certificate."""

    claim: Claim
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        return all(check.holds for check in self.checks)


def verify(path: str | Path, *, resume: str | Path | None = None) -> Verdict:
    """Recompute all that the file claims. A file that was changed, or that is no certificate, is refused.

    The network is evaluated at every point of the cube again; ``resume`` keeps what is done of it.
    """
    claim, weights, signs = _read(path)
    problem = problems.get(claim.problem)
    trained = _network(path, claim, weights, problem)
    X, _ = problem.sample(claim.samples, claim.seed)
    _, on_cube = prepare_on_cube(problem, "linear", X)
    same = bool(signs.shape == on_cube.signs.shape and np.array_equal(signs, on_cube.signs))
    checks = [
        Check(
            "The training inputs are the problem's own",
            f"{claim.samples} inputs of seed {claim.seed}",
            "the same" if same else "others",
            same,
        ),
        _same("The threshold", claim.threshold, float(problem.threshold)),
    ]
    checks += _bound_checks(claim, problem)
    with console.progress("floors") as show:
        for i, floor in enumerate(claim.floors):
            show(i / len(claim.floors), floor.kernel)
            found = oracle_risk(problem, floor.kernel, X, rigorous=True).interval
            checks.append(
                Check(
                    f"No weights get {floor.kernel} under",
                    f"[{floor.low:.12g}, {floor.high:.12g}]",
                    f"[{found[0]:.12g}, {found[1]:.12g}]",
                    floor.low <= found[1] and found[0] <= floor.high and floor.high - floor.low < 1e-9,
                )
            )
    risk = exact_risk(problem, trained, resume=resume)
    allowed = claim.network.rounding + risk.rounding + 1e-12
    checks.append(
        Check(
            f"The network's risk over {claim.network.points:,} points",
            f"{claim.network.risk:.9g} +/- {claim.network.rounding:.1g}",
            f"{risk.risk:.9g} +/- {risk.rounding:.1g}",
            risk.points == claim.network.points and abs(risk.risk - claim.network.risk) <= allowed,
        )
    )
    checks.append(_sentence_check(claim, problem))
    return Verdict(claim, tuple(checks))


def _sentence_check(claim: Claim, problem: Problem) -> Check:
    """The sentence says what the numbers say."""
    floors = [
        OracleRisk(f.kernel, claim.problem, claim.samples, claim.threshold, f.low, (f.low, f.high), "proof")
        for f in claim.floors
    ]
    reached = claim.network.risk + claim.network.rounding
    found = kernel_gap(problem, claim.samples, reached, method=claim.network.method, floors=floors).sentence
    same = claim.sentence == found
    return Check("The sentence says what the numbers say", "as above", "the same" if same else found, same)


def _bound_checks(claim: Claim, problem: Problem) -> list[Check]:
    bound = any_kernel(problem, claim.samples)
    needed = bound.samples_for(claim.network.risk + claim.network.rounding)
    return [
        _same("The size of the family", claim.any_kernel.family_size, bound.family_size),
        _same("The mean risk of any kernel", claim.any_kernel.mean_risk, str(bound.exact_mean_risk)),
        _same("Samples that any kernel needs for the same risk", claim.any_kernel.samples_for_same_risk, needed),
    ]


def _same(what: str, stated: object, found: object) -> Check:
    return Check(what, _text(stated), _text(found), stated == found)


def _text(value: object) -> str:
    if isinstance(value, str) and "/" in value:
        return f"{value} = {float(Fraction(value)):.9g}"
    return f"{value:,}" if isinstance(value, int) else f"{value}"


def _read(path: str | Path) -> tuple[Claim, dict[str, np.ndarray], np.ndarray]:
    parts = read_sealed(path)
    missing = [name for name in (CLAIM, WEIGHTS, INPUTS) if name not in parts]
    if missing:
        raise InputError(f"'{path}' is no certificate: it has no {missing[0]}.")
    try:
        fields = json.loads(parts[CLAIM])
        if not isinstance(fields, dict):
            raise InputError(f"'{path}' is refused: {CLAIM} is not an object.")
        claim = validated(Claim, fields)
        weights, inputs = load(parts[WEIGHTS]), load(parts[INPUTS])
        return claim, weights, inputs["signs"].astype(float)
    except (UnicodeDecodeError, json.JSONDecodeError, SafetensorError, KeyError) as error:
        raise InputError(f"'{path}' is refused: it cannot be read ({error}).") from None
    except InputError as error:
        raise InputError(f"'{path}' is refused: {error}") from None


def _network(path: str | Path, claim: Claim, weights: dict[str, np.ndarray], problem: Problem) -> TrainedNetwork:
    """The network of the file, if its weights are what the network has."""
    network = networks.get(claim.network.name)
    offset = weights.pop("offset", np.zeros(0))
    width = len(weights["b1"]) if "b1" in weights else 0
    expected = {name: w.shape for name, w in network.weights(problem.d, problem.outputs, max(width, 1)).items()}
    found = {name: w.shape for name, w in weights.items()}
    finite = all(np.isfinite(w).all() for w in weights.values()) and np.isfinite(offset).all()
    if found != expected or offset.shape != (problem.outputs,) or not finite:
        raise InputError(f"'{path}' is refused: its weights are not those of a {network.name} for this problem.")
    return TrainedNetwork(network, weights, claim.network.scale, offset)
