"""A certificate: a network, what it reaches, and what no kernel reaches, in one file that anyone can compute again."""

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from safetensors.numpy import save

from kernelgap import console
from kernelgap.certificates.bound import any_kernel
from kernelgap.certificates.every_point import as_network, exact_risk
from kernelgap.certificates.gap import kernel_gap
from kernelgap.certificates.oracle import oracle_risk, prepare_on_cube
from kernelgap.certificates.sealed import write_sealed
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.problems import Problem

FORMAT = "kernelgap certificate"
VERSION = 1
CLAIM, WEIGHTS, INPUTS = "claim.json", "weights.safetensors", "inputs.safetensors"
PACKAGES = ("kernelgap", "python-flint", "jax", "numpy", "scipy", "safetensors")


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class NetworkClaim(Strict):
    """Which network the weights belong to, and what it reaches over every point of the cube."""

    name: str
    method: str
    scale: float
    risk: Annotated[float, Field(ge=0)]
    rounding: Annotated[float, Field(ge=0)]
    points: Annotated[int, Field(ge=1)]
    training: dict[str, Any]  # how it was trained; told, not checked


class BoundClaim(Strict):
    """The bound for any kernel, on average over the family: exact, as a fraction."""

    family_size: Annotated[int, Field(ge=1)]
    mean_risk: str
    samples_for_same_risk: Annotated[int, Field(ge=0)]


class FloorClaim(Strict):
    """What one kernel cannot get under with these inputs, even with weights that know the target."""

    kernel: str
    low: float
    high: float


class Claim(Strict):
    """All that a certificate states."""

    format: Literal["kernelgap certificate"] = "kernelgap certificate"
    version: Literal[1] = 1
    problem: str
    samples: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0)]
    threshold: float
    network: NetworkClaim
    any_kernel: BoundClaim
    floors: tuple[FloorClaim, ...]
    sentence: str
    versions: dict[str, str]


def certify(
    path: str | Path,
    problem: Problem,
    predictor: Any,
    *,
    samples: int,
    seed: int = 0,
    kernels: Sequence[Kernel | str] = (),
    method: str = "network",
    training: Mapping[str, object] | None = None,
    resume: str | Path | None = None,
) -> Claim:
    """Compute what there is to claim and write the file.

    ``predictor`` is a network that was trained on ``problem.sample(samples, seed)``; ``kernels`` get a proved floor
    each on the same inputs. ``resume`` is a file that keeps what is done of the 2^d evaluations.
    """
    trained = as_network(predictor)
    if trained is None:
        raise InputError("A certificate is about a trained network: a fitted regressor, or a trained member of a grid.")
    X, _ = problem.sample(samples, seed)
    floors = []
    with console.progress("floors") as show:
        for i, kernel in enumerate(kernels):
            show(i / len(kernels), kernel if isinstance(kernel, str) else kernel.spec)
            floors.append(oracle_risk(problem, kernel, X, rigorous=True))
    found = exact_risk(problem, trained, resume=resume)
    gap = kernel_gap(problem, samples, found.risk + found.rounding, method=method, floors=floors)
    bound = any_kernel(problem, samples)
    claim = Claim(
        problem=problem.spec,
        samples=samples,
        seed=seed,
        threshold=float(problem.threshold),
        network=NetworkClaim(
            name=trained.network.name,
            method=method,
            scale=trained.scale,
            risk=found.risk,
            rounding=found.rounding,
            points=found.points,
            training=dict(training or {}),
        ),
        any_kernel=BoundClaim(
            family_size=bound.family_size,
            mean_risk=str(bound.exact_mean_risk),
            samples_for_same_risk=gap.needed,
        ),
        floors=tuple(FloorClaim(kernel=f.kernel, low=f.interval[0], high=f.interval[1]) for f in floors),
        sentence=gap.sentence,
        versions={**{name: version(name) for name in PACKAGES}, "python": platform.python_version()},
    )
    outputs = problem.outputs
    weights = {name: np.ascontiguousarray(w, dtype=np.float32) for name, w in trained.params.items()}
    weights["offset"] = np.broadcast_to(np.asarray(trained.offset, dtype=np.float32), (outputs,)).copy()
    _, on_cube = prepare_on_cube(problem, "linear", X)
    write_sealed(
        path,
        {
            CLAIM: (json.dumps(claim.model_dump(mode="json"), indent=1, sort_keys=True) + "\n").encode(),
            WEIGHTS: save(weights),
            INPUTS: save({"signs": on_cube.signs.astype(np.int8)}),
        },
    )
    return claim
