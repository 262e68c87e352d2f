"""Read a certificate that may have been made by anyone: bounded, strict, and in its one form only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from jaxtyping import Int8
from pydantic import ValidationError

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.fixed_point import FixedPointNetwork
from kernelgap.certificates.exact.fixed_point.network import LAYOUTS, Grid
from kernelgap.certificates.exact.fixed_point.target import OUT_BITS
from kernelgap.certificates.files.claim import VERSION, CertifiedClaim
from kernelgap.certificates.files.format1.claim import Claim1
from kernelgap.certificates.files.format1.reading import read_format1
from kernelgap.certificates.files.format2.claim import Claim2
from kernelgap.certificates.files.format2.reading import Certificate2, read_format2
from kernelgap.certificates.files.limits import bounded_kernel, bounded_network, bounded_problem, check_floors
from kernelgap.certificates.files.parts import (
    CLAIM,
    INPUTS,
    WEIGHTS,
    WITNESSES,
    check_entries,
    read_inputs,
    read_networks,
    read_witnesses,
    shapes_of,
)
from kernelgap.certificates.files.sealed import read_sealed
from kernelgap.certificates.floors.witness import Witness
from kernelgap.errors import InputError
from kernelgap.problems import ParityProblem

MOST_CLAIM = 2**22  # bytes of claim.json
PARTS = [CLAIM, WEIGHTS, INPUTS, WITNESSES]
C = TypeVar("C", CertifiedClaim, Claim2, Claim1)


@dataclass(frozen=True)
class Certificate:
    """What a file holds, none of it believed: it has the form of a certificate, and no size that is out of bounds."""

    claim: CertifiedClaim
    problem: ParityProblem
    networks: tuple[FixedPointNetwork, ...]
    inputs: tuple[Int8[np.ndarray, "samples d"], ...]
    witnesses: tuple[Witness, ...]


def read_certificate(path: str | Path) -> Certificate | Certificate2:
    """The content of a certificate; a file that is none, or of another form, is refused with the reason."""
    parts = read_sealed(path)
    try:
        for name in (CLAIM, WEIGHTS, INPUTS):
            if name not in parts:
                raise InputError(f"it is no certificate, it has no {name}.")
        if len(parts[CLAIM]) > MOST_CLAIM:
            raise InputError(f"{CLAIM} is larger than any certificate's.")
        check_entries(CLAIM, parts[CLAIM])
        if _version(parts[CLAIM]) == 1:
            return read_format1(parts, _claim(Claim1, parts[CLAIM]))
        if _version(parts[CLAIM]) == 2:
            return read_format2(parts, _claim(Claim2, parts[CLAIM]))
        claim = _claim(CertifiedClaim, parts[CLAIM])
        if list(parts) != PARTS:
            raise InputError("it has other parts than a certificate has.")
        return _certificate(claim, parts)
    except InputError as error:
        raise InputError(f"'{path}' is refused: {error}") from None


def _certificate(claim: CertifiedClaim, parts: Mapping[str, bytes]) -> Certificate:
    problem = bounded_problem(claim.problem)
    cube = cube_of(problem)
    if cube is None:
        raise InputError(f"the inputs of {problem.spec} are not the points of a cube.")
    check_floors(len(claim.floors), claim.samples)
    for floor in claim.floors:
        bounded_kernel(floor.kernel, claim.samples)
        if floor.inputs >= len(claim.networks):
            raise InputError(f"the floor of {floor.kernel} is about the inputs of a network that is not there.")
    name, count = claim.network.name, len(claim.networks)
    if name not in LAYOUTS:
        raise InputError(f"a network of a certificate is one of {', '.join(LAYOUTS)}, not '{name}'.")
    bounded_network(name, problem, claim.network.width, count)
    if claim.network.bits.out != OUT_BITS:
        raise InputError(f"outputs of a certificate have units of 2^-{OUT_BITS}, not 2^-{claim.network.bits.out}.")
    bits = claim.network.bits
    if "V" not in LAYOUTS[name] and bits.V:
        raise InputError(f"a {name} has no V whose bits could be {bits.V}.")
    shapes = shapes_of(name, claim.network.width, cube.d, problem.outputs)
    networks = read_networks(parts[WEIGHTS], name, Grid(bits.W, bits.A, bits.V), shapes, count)
    if not all(network.exact for network in networks):
        raise InputError("its fixed-point numbers are too large, or too coarse, to be evaluated without error.")
    inputs = read_inputs(parts[INPUTS], (claim.samples, cube.d), count)
    return Certificate(claim, problem, networks, inputs, read_witnesses(parts[WITNESSES], len(claim.floors)))


def _version(content: bytes) -> object:
    """The version that a claim states; the rest of it is looked at later."""
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError):
        return None
    version = fields.get("version") if isinstance(fields, dict) else None
    return None if isinstance(version, bool) else version


def _claim(kind: type[C], content: bytes) -> C:
    try:
        claim = kind.model_validate_json(content)
    except ValidationError as error:
        raise InputError(f"{CLAIM} cannot be read: {_reason(error)}") from None
    if claim.as_json() != content:
        raise InputError(f"{CLAIM} is not written as a certificate writes it (keys given twice, or another layout).")
    return claim


def _reason(error: ValidationError) -> str:
    """One sentence about the first thing that is wrong; what it quotes is escaped and short."""
    errors = error.errors()
    first = next((each for each in errors if each["loc"] == ("version",)), errors[0])
    where = ".".join(str(part) for part in first["loc"])
    if where == "version":
        return (
            f"it is of another version than {VERSION}, the one that is written here, and 2 and 1, the ones before; "
            "make the certificate again with 'kernelgap certify run'."
        )
    if first["type"] == "missing":
        return f"{ascii(where)[1:-1]} is missing."
    if not where:
        return "it is no JSON object in UTF-8."
    quoted = ascii(first["input"])
    shown = quoted if len(quoted) <= 60 else f"{quoted[:60]}..."
    return f"{ascii(where)[1:-1][:100]} = {shown} is not possible: {first['msg']}."
