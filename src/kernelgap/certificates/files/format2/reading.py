"""The content of a certificate of format 2."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.every_point import TrainedNetwork
from kernelgap.certificates.files.format2.claim import Claim2
from kernelgap.certificates.files.limits import bounded_kernel, bounded_network, bounded_problem, check_floors
from kernelgap.certificates.files.parts import CLAIM, INPUTS, WEIGHTS, read_tensors
from kernelgap.errors import InputError
from kernelgap.problems import ParityProblem

PARTS = [CLAIM, WEIGHTS, INPUTS]


@dataclass(frozen=True)
class Certificate2:
    """What a file holds, none of it believed: it has the form of a certificate, and no size that is out of bounds."""

    claim: Claim2
    problem: ParityProblem
    trained: TrainedNetwork
    signs: Float[np.ndarray, "samples d"]
    room: float = field(default=0.0, kw_only=True)  # of |H|^2, beyond each end of an interval that it states


def read_format2(parts: Mapping[str, bytes], claim: Claim2) -> Certificate2:
    """The content of the parts."""
    if list(parts) != PARTS:
        raise InputError("it has other parts than a certificate of format 2 has.")
    problem = bounded_problem(claim.problem)
    check_floors(len(claim.floors), claim.samples)
    for floor in claim.floors:
        bounded_kernel(floor.kernel, claim.samples)
    trained = _network(claim, problem, parts[WEIGHTS])
    return Certificate2(claim, problem, trained, _signs(claim, problem, parts[INPUTS]))


def _network(claim: Claim2, problem: ParityProblem, content: bytes) -> TrainedNetwork:
    """The network of the file, if its weights are what the network has."""
    network = bounded_network(claim.network.name, problem, claim.network.width)
    expected = {n: w.shape for n, w in network.weights(problem.d, problem.outputs, claim.network.width).items()}
    weights = _tensors(WEIGHTS, content, {**expected, "offset": (problem.outputs,)}, np.float32)
    if not all(np.isfinite(w).all() for w in weights.values()):
        raise InputError("a weight is infinite, or no number.")
    offset = weights.pop("offset")
    return TrainedNetwork(network, weights, claim.network.scale, offset)


def _signs(claim: Claim2, problem: ParityProblem, content: bytes) -> Float[np.ndarray, "samples d"]:
    cube = cube_of(problem)
    if cube is None:
        raise InputError(f"the inputs of {problem.spec} are not the points of a cube.")
    signs = _tensors(INPUTS, content, {"signs": (claim.samples, cube.d)}, np.int8)["signs"]
    if not ((signs == 1) | (signs == -1)).all():
        raise InputError(f"the training inputs in {INPUTS} are not signs.")
    return signs.astype(float)


def _tensors(
    part: str, content: bytes, expected: Mapping[str, tuple[int, ...]], dtype: type[np.generic]
) -> dict[str, np.ndarray]:
    """Tensors of these names, shapes and type, and nothing beside them."""
    tensors = read_tensors(part, content, set(expected), set(expected))
    layout = {name: (tensor.shape, tensor.dtype) for name, tensor in tensors.items()}
    if layout != {name: (shape, np.dtype(dtype)) for name, shape in expected.items()}:
        raise InputError(f"the tensors in {part} are not those that this certificate must have.")
    return tensors
