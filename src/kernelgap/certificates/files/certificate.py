"""A certificate: networks, what they reach on average, and what no kernel reaches, in a file that anyone can check."""

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from pydantic import ValidationError

from kernelgap.certificates.confidence import upper_limit
from kernelgap.certificates.exact.cube import Cube, cube_of
from kernelgap.certificates.exact.every_point import TrainedNetwork, as_network
from kernelgap.certificates.exact.fixed_point import fixed_point_risk, round_networks, target_of
from kernelgap.certificates.exact.fixed_point.target import OUT_BITS
from kernelgap.certificates.files import limits
from kernelgap.certificates.files.claim import (
    MOST_NETWORKS,
    BitsClaim,
    CertifiedClaim,
    FloorClaim,
    NetworkClaim,
    StartClaim,
)
from kernelgap.certificates.files.limits import MOST_SAMPLES, bounded_problem
from kernelgap.certificates.files.parts import (
    CLAIM,
    INPUTS,
    WEIGHTS,
    WITNESSES,
    write_inputs,
    write_networks,
    write_witnesses,
)
from kernelgap.certificates.files.sealed import write_sealed
from kernelgap.certificates.files.statements import bound_claim, mean_claim, mean_of, target_claim, threshold_of
from kernelgap.certificates.floors.family import exact_number
from kernelgap.certificates.floors.witness import Witness, find_witness
from kernelgap.errors import InputError, first_mistake
from kernelgap.kernels import Kernel
from kernelgap.kernels import get as get_kernel
from kernelgap.problems import ParityProblem, Problem
from kernelgap.progress import Progress, part, silent

PACKAGES = ("kernelgap", "python-flint", "jax", "numpy", "scipy", "safetensors")
CONFIDENCE = 0.95

NARROW_FLOOR = 1e-9  # width of a kernel's floor, of |H|^2
SPARE_FLOOR = 1e-12  # a floor is stated wider by this, of |H|^2, so that other evaluations fit in; proofs are tighter


def certify(
    path: str | Path,
    problem: Problem,
    predictors: Any,
    *,
    samples: int,
    seeds: int | Sequence[int] = 0,
    kernels: Sequence[Kernel | str] = (),
    method: str | None = None,
    training: Mapping[str, object] | None = None,
    confidence: float = CONFIDENCE,
    resume: str | Path | None = None,
    on_progress: Progress = silent,
) -> CertifiedClaim:
    """Compute what there is to claim and write the file.

    The networks are rounded to fixed-point numbers; the rounded ones, with outputs clipped to the range of the target,
    are the certified ones. Their risks over all points are exact.

    Parameters
    ----------
    path
        The file.
    problem, predictors
        The problem, and one network or several of one kind and width, each trained on ``problem.sample(samples, seed)``
        with its own seed.
    samples, seeds
        The number of training inputs, and for each network the seed that draws them, and its start.
    kernels
        Kernels, each of which gets a proved floor on the inputs of the first network.
    method
        The network's name with the layers that were trained, such as 3resnet(all).
    training
        The training in plain values, the same for all networks: recorded, not checked, and what ``retrain`` goes by.
    confidence
        Of the upper limit for the mean over all starts.
    resume
        The start of the names of files that keep what is done of the 2^d evaluations of each network.
    on_progress
        Takes the share done and what is being done.

    Returns
    -------
    CertifiedClaim
        What the certificate states.

    Raises
    ------
    InputError
        If a network has no form in fixed-point numbers, or something cannot be written into a certificate.
    """
    written = bounded_problem(problem.spec)
    trained, drawn_by = _networks(predictors), _seeds(seeds)
    if len(trained) != len(drawn_by):
        raise InputError(f"{len(trained)} networks need as many seeds, not {len(drawn_by)}.")
    if isinstance(samples, bool) or not isinstance(samples, int) or not 1 <= samples <= MOST_SAMPLES:
        raise InputError(f"A certificate is about 1 to {MOST_SAMPLES:,} samples, not {samples!r}.")
    sure = exact_number("confidence", confidence, "a number between 0 and 1", lambda value: 0 < value < 1)
    limits.check_floors(len(kernels), samples)
    width = _width(trained, written)
    name = trained[0].network.name
    limits.bounded_network(name, written, width, len(trained))
    cube, target = cube_of(written), target_of(written)
    assert cube is not None
    rounded = round_networks(trained, cube)
    inputs = [_signs(written, cube, samples, seed) for seed in drawn_by]
    floors, witnesses = _floors(written, kernels, cube, inputs[0], samples, drawn_by[0], part(on_progress, 0.0, 0.3))
    risks = []
    for i, network in enumerate(rounded):
        count = len(rounded)
        show = numbered(part(on_progress, 0.3 + 0.7 * i / count, 0.3 + 0.7 * (i + 1) / count), i, count)
        risks.append(fixed_point_risk(target, network, resume=resume_file(resume, i), on_progress=show))
    mean = mean_of(risks)
    upper = upper_limit(risks, target.loss_bound, sure)
    grid = rounded[0].grid
    try:
        claim = CertifiedClaim(
            problem=written.spec,
            target=target_claim(written),
            samples=samples,
            threshold=str(threshold_of(target)),
            network=NetworkClaim(
                name=name,
                mode=_mode(method, name),
                width=width,
                bits=BitsClaim(W=grid.W, A=grid.A, V=grid.V, out=OUT_BITS),
                training=json.loads(json.dumps(dict(training or {}))),
            ),
            networks=tuple(
                StartClaim(seed=seed, start=seed, risk=str(risk)) for seed, risk in zip(drawn_by, risks, strict=True)
            ),
            mean=mean_claim(mean, sure, target.loss_bound, upper),
            any_kernel=bound_claim(written, samples, mean, upper),
            floors=floors,
            versions={**{package: version(package) for package in PACKAGES}, "python": platform.python_version()},
        )
    except (ValidationError, TypeError) as error:
        what = first_mistake(error) if isinstance(error, ValidationError) else f"{error}."
        raise InputError(f"This cannot be written into a certificate: {what}") from None
    parts = {CLAIM: claim.as_json(), WEIGHTS: write_networks(rounded), INPUTS: write_inputs(inputs)}
    write_sealed(path, {**parts, WITNESSES: write_witnesses(witnesses)})
    return claim


def resume_file(resume: str | Path | None, network: int) -> Path | None:
    """Where the evaluation of a network is kept."""
    return None if resume is None else Path(f"{resume}.{network}")


def _networks(predictors: Any) -> list[TrainedNetwork]:
    several = list(predictors) if isinstance(predictors, list | tuple) else [predictors]
    trained = [each for each in map(as_network, several) if each is not None]
    if not several or len(trained) != len(several):
        raise InputError("A certificate is about trained networks: fitted regressors, or trained members of grids.")
    if len(trained) > MOST_NETWORKS:
        raise InputError(f"A certificate holds at most {MOST_NETWORKS:,} networks, not {len(trained):,}.")
    if len({each.network.name for each in trained}) > 1:
        raise InputError("The networks of a certificate are of one kind, because it states their mean.")
    return trained


def _seeds(seeds: int | Sequence[int]) -> list[int]:
    several = list(seeds) if isinstance(seeds, Sequence) else [seeds]
    for seed in several:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < limits.MOST_SEED:
            raise InputError(f"A seed of a certificate is a whole number from 0 to 2^32 - 1, not {seed!r}.")
    if len(set(several)) < len(several):
        raise InputError("Each network of a certificate has a seed of its own, because its starts are independent.")
    return [int(seed) for seed in several]


def _signs(problem: ParityProblem, cube: Cube, samples: int, seed: int) -> Float[np.ndarray, "n d"]:
    signs = cube.signs(problem.sample(samples, seed)[0])
    assert signs is not None, "inputs of such a problem are points of its cube"
    return signs


def _floors(
    problem: ParityProblem,
    kernels: Sequence[Kernel | str],
    cube: Cube,
    signs: Float[np.ndarray, "n d"],
    samples: int,
    seed: int,
    on_progress: Progress,
) -> tuple[tuple[FloorClaim, ...], list[Witness]]:
    """A proved floor for each kernel, stated a little wider than it was found, with its witness."""
    spare = SPARE_FLOOR * float(target_of(problem).squared_norm)
    X, _ = problem.sample(samples, seed)
    floors, witnesses = [], []
    for i, kernel in enumerate(kernels):
        given = get_kernel(kernel) if isinstance(kernel, str) else kernel
        fitted = limits.bounded_kernel(given.fit(X).spec, samples)
        show = part(on_progress, i / len(kernels), (i + 1) / len(kernels))
        on_progress(i / len(kernels), f"floor of {fitted.spec}")
        witness, (low, high) = find_witness(problem, fitted, cube, signs, show)
        floors.append(FloorClaim(kernel=fitted.spec, inputs=0, low=float(low) - spare, high=float(high) + spare))
        witnesses.append(witness)
    return tuple(floors), witnesses


def numbered(on_progress: Progress, i: int, count: int) -> Progress:
    """Progress that says which of several networks is evaluated."""
    if count == 1:
        return on_progress
    return lambda share, activity: on_progress(share, f"network {i + 1} of {count}: {activity}")


def _width(networks: Sequence[TrainedNetwork], problem: ParityProblem) -> int:
    """The width at which the networks have weights of these shapes."""
    network = networks[0].network
    widths = set()
    for trained in networks:
        shapes = {name: tuple(np.shape(w)) for name, w in trained.params.items()}
        width = shapes.get("W", (0,))[0]
        table = network.weights(problem.d, problem.outputs, width) if 1 <= width <= limits.MOST_WIDTH else {}
        if {name: w.shape for name, w in table.items()} != shapes:
            raise InputError(f"These weights are not those of a {network.name} for {problem.name}.")
        widths.add(width)
    if len(widths) > 1:
        raise InputError("The networks of a certificate have one width, because it states their mean.")
    return widths.pop()


def _mode(method: str | None, name: str) -> Literal["all", "hidden"] | None:
    modes: dict[str | None, Literal["all", "hidden"] | None] = {None: None, name: None}
    modes |= {f"{name}(all)": "all", f"{name}(hidden)": "hidden"}
    if method not in modes:
        raise InputError(f"The method of a certificate is {name}(all) or {name}(hidden), not {method!r}.")
    return modes[method]
