"""Read a certificate that may have been made by anyone: bounded, strict, and in its one form only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.every_point import TrainedNetwork
from kernelgap.certificates.files.certificate import CLAIM, INPUTS, VERSION, WEIGHTS, Claim
from kernelgap.certificates.files.limits import bounded_kernel, bounded_network, bounded_problem, check_floors
from kernelgap.certificates.files.sealed import read_sealed
from kernelgap.errors import InputError
from kernelgap.problems import ParityProblem

MOST_CLAIM = 2**18  # bytes of claim.json
MOST_HEADER = 2**16  # bytes of a header of tensors


@dataclass(frozen=True)
class Certificate:
    """What a file holds, none of it believed: it has the form of a certificate, and no size that is out of bounds."""

    claim: Claim
    problem: ParityProblem
    trained: TrainedNetwork
    signs: Float[np.ndarray, "samples d"]


def read_certificate(path: str | Path) -> Certificate:
    """The content of a certificate; a file that is none, or of another form, is refused with the reason."""
    parts = read_sealed(path)
    try:
        for name in (CLAIM, WEIGHTS, INPUTS):
            if name not in parts:
                raise InputError(f"it is no certificate, it has no {name}.")
        if list(parts) != [CLAIM, WEIGHTS, INPUTS]:
            raise InputError("it has other parts than a certificate has.")
        claim = _claim(parts[CLAIM])
        problem = bounded_problem(claim.problem)
        check_floors(len(claim.floors), claim.samples)
        for floor in claim.floors:
            bounded_kernel(floor.kernel, claim.samples)
        trained = _network(claim, problem, parts[WEIGHTS])
        return Certificate(claim, problem, trained, _signs(claim, problem, parts[INPUTS]))
    except InputError as error:
        raise InputError(f"'{path}' is refused: {error}") from None


def _claim(content: bytes) -> Claim:
    if len(content) > MOST_CLAIM:
        raise InputError(f"{CLAIM} is larger than any certificate's.")
    try:
        claim = Claim.model_validate_json(content)
    except ValidationError as error:
        raise InputError(f"{CLAIM} cannot be read: {_reason(error)}") from None
    if claim.as_json() != content:
        raise InputError(f"{CLAIM} is not written as a certificate writes it (keys given twice, or another layout).")
    return claim


def _reason(error: ValidationError) -> str:
    """One sentence about the first thing that is wrong; what it quotes is escaped and short."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if where == "version":
        return (
            f"it is of another version than {VERSION}, the one that is read here; make the certificate again with "
            "'kernelgap certify run'."
        )
    if first["type"] == "missing":
        return f"{ascii(where)[1:-1]} is missing."
    if not where:
        return "it is no JSON object in UTF-8."
    quoted = ascii(first["input"])
    shown = quoted if len(quoted) <= 60 else f"{quoted[:60]}..."
    return f"{ascii(where)[1:-1][:100]} = {shown} is not possible: {first['msg']}."


def _network(claim: Claim, problem: ParityProblem, content: bytes) -> TrainedNetwork:
    """The network of the file, if its weights are what the network has."""
    network = bounded_network(claim.network.name, problem, claim.network.width)
    expected = {n: w.shape for n, w in network.weights(problem.d, problem.outputs, claim.network.width).items()}
    weights = _tensors(WEIGHTS, content, {**expected, "offset": (problem.outputs,)}, np.float32)
    if not all(np.isfinite(w).all() for w in weights.values()):
        raise InputError("a weight is infinite, or no number.")
    offset = weights.pop("offset")
    return TrainedNetwork(network, weights, claim.network.scale, offset)


def _signs(claim: Claim, problem: ParityProblem, content: bytes) -> Float[np.ndarray, "samples d"]:
    cube = cube_of(problem)
    if cube is None:
        raise InputError(f"the inputs of {problem.spec} are not the points of a cube.")
    signs = _tensors(INPUTS, content, {"signs": (claim.samples, cube.d)}, np.int8)["signs"]
    if not (np.abs(signs) == 1).all():
        raise InputError(f"the training inputs in {INPUTS} are not signs.")
    return signs.astype(float)


def _tensors(
    part: str, content: bytes, expected: Mapping[str, tuple[int, ...]], dtype: type[np.generic]
) -> dict[str, np.ndarray]:
    """Tensors of these names, shapes and type, and nothing beside them. The header is looked at before the data."""
    wrong = InputError(f"the tensors in {part} are not those that this certificate must have.")
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > min(MOST_HEADER, len(content) - 8):
        raise wrong
    try:
        header = json.loads(content[8 : 8 + size].decode("utf-8"), object_pairs_hook=_once)
        if not isinstance(header, dict) or set(header) != set(expected):
            raise wrong
        tensors = load(content)
    except (UnicodeDecodeError, ValueError, RecursionError, SafetensorError, KeyError, TypeError, AttributeError):
        raise wrong from None
    layout = {name: (tensor.shape, tensor.dtype) for name, tensor in tensors.items()}
    if layout != {name: (shape, np.dtype(dtype)) for name, shape in expected.items()}:
        raise wrong
    return {name: np.array(tensor) for name, tensor in tensors.items()}


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)
