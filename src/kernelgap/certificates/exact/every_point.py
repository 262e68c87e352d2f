"""The risk of a predictor over every point of the cube: no test sample, no sampling error.

Points are visited in rows of 2^11 that share their upper coordinates. For a network these act on the first layer like a
bias, so that each row costs the product with the lower coordinates alone. All is in float64; the interval is proved:
with r the computed distance of an output from its target, and E a bound on its rounding at every point (``rounding``),
the mean of |r|^2 is off by at most 2 |E| sqrt(mean |r|^2) + |E|^2, and by the rounding of the sums.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from scipy.special import ndtri

from kernelgap.atomic_file import atomically
from kernelgap.certificates.exact.compiled_rows import compiled_rows
from kernelgap.certificates.exact.cube import Cube, cube_of
from kernelgap.certificates.exact.rounding import TINY, UNIT, UP, gamma, output_error
from kernelgap.display import Card, Displayed
from kernelgap.errors import InputError
from kernelgap.fingerprint import fingerprint
from kernelgap.machine import require_memory
from kernelgap.models import NetworkModel
from kernelgap.networks import Network, Params
from kernelgap.problems import FourierProblem, Problem
from kernelgap.problems.problem import Seed
from kernelgap.progress import Progress, silent
from kernelgap.training import Predictor
from kernelgap.training.modes import Layers

MOST_DIMENSIONS = 30
LOWER = 11  # coordinates within a row of points
AT_ONCE = 2**21  # points between two looks at the clock
TERMS = 2**12  # more than the terms of a target, and the further additions of a sum over the cube
SAMPLE = 2**14
CONFIDENCE = 0.99
BYTES = 2**28  # of a network's activations at a time
PIECE = 2**16  # points for which a predictor is called at once

RowSums = Callable[[int, int], Float[np.ndarray, " rows"]]  # squared errors, summed over each of these rows of points


@dataclass(frozen=True, repr=False)
class ExactRisk(Displayed):
    """E |H - f|^2 over all points, beside the usual estimate on a test sample.

    Attributes
    ----------
    risk, points
        The mean, and over how many points.
    rounding
        How far float64 can have moved the risk, proved; 0 where the predictor's own numbers count.
    estimate, interval, sample
        On a test sample of this size, with a 99% interval.
    threshold
        The risk of knowing F alone.
    """

    risk: float
    points: int
    rounding: float
    estimate: float
    interval: tuple[float, float]
    sample: int
    threshold: float

    def _card(self) -> Card:
        facts = {"risk": self.risk, "threshold": self.threshold, "points": self.points, "rounding": self.rounding}
        estimate = f"{self.estimate:.4g} ({self.interval[0]:.4g} to {self.interval[1]:.4g}) on {self.sample:,} points"
        return Card("exact risk", "", facts | {"estimate": estimate})

    @property
    def proved(self) -> tuple[float, float]:
        """What contains the risk: of a network, by proof."""
        return max(0.0, self.risk - self.rounding), self.risk + self.rounding


@dataclass(frozen=True)
class TrainedNetwork:
    """A network with its weights: scale out(x) + offset.

    Parameters
    ----------
    network, params
        The network, and all of its weights by name.
    scale, offset
        What outputs are multiplied by at the end, and what is then added to each.
    """

    network: Network
    params: Params
    scale: float = 1.0
    offset: Float[np.ndarray, " k"] | float = 0.0

    def __call__(self, X: np.ndarray) -> Float[np.ndarray, "n k"]:
        """Outputs in float64."""
        with jax.enable_x64(True):
            params = {name: jnp.asarray(w, dtype=jnp.float64) for name, w in self.params.items()}
            step = len(X) if len(X) <= 64 else self.points_at_once
            pieces = [
                np.asarray(self.network.apply(params, jnp.asarray(X[start : start + step], dtype=jnp.float64)))
                for start in range(0, max(1, len(X)), max(1, step))
            ]
            return np.concatenate(pieces) * self.scale + self.offset

    @property
    def points_at_once(self) -> int:
        """A power of 2: for how many points all that ``apply`` computes takes at most ``BYTES``."""
        inputs, _ = self.network.takes(self.params)

        def numbers(points: int) -> int:
            program = jax.make_jaxpr(self.network.apply)(self.params, np.zeros((points, inputs), dtype=np.float32))
            return sum(math.prod(out.aval.shape) for equation in program.eqns for out in equation.outvars)

        each = max(1, (numbers(16) - numbers(8)) // 8)
        return 2 ** (max(1, BYTES // (8 * each)).bit_length() - 1)


def exact_risk(
    problem: Problem,
    predictor: Any,
    *,
    resume: str | Path | None = None,
    seed: Seed = 0,
    on_progress: Progress = silent,
) -> ExactRisk:
    """The risk of a predictor over every point of the problem's cube, up to d = 30.

    Parameters
    ----------
    problem
        A problem whose inputs are the points of a cube.
    predictor
        Something with ``predict``, or a function of inputs (n, d); of a network the rounding is proved.
    resume
        A file that keeps what is done, so that an interrupted evaluation goes on.
    seed
        Draws the test sample for the estimate beside.
    on_progress
        Takes the share done and what is being done.

    Returns
    -------
    ExactRisk
    """
    cube = cube_of(problem)
    if cube is None:
        raise InputError(f"The inputs of {problem.name} are not the points of a cube: every point cannot be visited.")
    if cube.d > MOST_DIMENSIONS:
        raise InputError(f"2^{cube.d} points are too many to visit: at most 2^{MOST_DIMENSIONS}.")
    of_network = as_network(predictor)
    call = of_network if of_network is not None else _as_function(predictor)
    lower = min(LOWER, cube.d)
    if of_network is not None:
        weights = 8 * sum(math.prod(np.shape(w)) for w in of_network.params.values())
        what = f"The exact risk of {of_network.network.name} with {weights // 8:,} weights"
        require_memory(3 * BYTES + 2 * weights, what, "Take a smaller width.")
        lower = min(lower, of_network.points_at_once.bit_length() - 1)
    # coordinates fold into the first bias unless gates see them too, or W sees several patches
    folds = of_network is not None and not of_network.network.gates and of_network.network.patches == 1
    if of_network is not None and folds and isinstance(problem, FourierProblem):
        sums = _in_pieces(_network_rows(problem, cube, of_network, lower), of_network.points_at_once)
    else:
        sums = _in_pieces(_rows(problem, cube, call, lower), max(1, PIECE >> lower))
    with np.errstate(over="ignore", invalid="ignore"):
        total = _visit_all(sums, 2 ** (cube.d - lower), 2**lower, _digest(problem, call), resume, on_progress)
        X, _ = problem.sample(SAMPLE, seed)
        errors = ((problem.target(X) - _outputs(call, X, problem.outputs)) ** 2).sum(axis=1)
        times = float(ndtri(0.5 + CONFIDENCE / 2)) * float(errors.std(ddof=1)) / SAMPLE**0.5
    return ExactRisk(
        risk=total / 2**cube.d,
        points=2**cube.d,
        rounding=0.0 if of_network is None else _rounding(problem, cube, of_network, total / 2**cube.d),
        estimate=float(errors.mean()),
        interval=(float(errors.mean()) - times, float(errors.mean()) + times),
        sample=SAMPLE,
        threshold=float(problem.threshold),
    )


def as_network(predictor: Any) -> TrainedNetwork | None:
    """The network within a trained member, a model or a fitted regressor, where it is one (and not linearised)."""
    if isinstance(predictor, TrainedNetwork):
        return predictor
    if isinstance(predictor, Predictor):
        params = {**predictor.trained, **predictor.frozen}
        return TrainedNetwork(predictor.model.network, params) if isinstance(predictor.model, Layers) else None
    model = getattr(predictor, "model_", predictor)
    if not isinstance(model, NetworkModel) or model.trained:
        return None
    return TrainedNetwork(model.network, model.weights, model.scale, model.offset)


def _rows(problem: Problem, cube: Cube, call: Callable[..., Any], lower: int) -> RowSums:
    """For any function: it sees the points themselves."""

    def sums(first: int, stop: int) -> Float[np.ndarray, " rows"]:
        X = cube.points(first << lower, stop << lower)
        errors = (problem.target(X) - _outputs(call, X, problem.outputs)) ** 2
        return errors.reshape(stop - first, -1).sum(axis=1)

    return sums


def _in_pieces(sums: RowSums, most: int) -> RowSums:
    """The same, at most so many rows at a time."""

    def pieces(first: int, stop: int) -> Float[np.ndarray, " rows"]:
        starts = range(first, stop, most)
        return np.concatenate([sums(start, min(stop, start + most)) for start in starts])

    return pieces


def _network_rows(problem: FourierProblem, cube: Cube, trained: TrainedNetwork, lower: int) -> RowSums:
    """For a network: compiled, the upper coordinates folded into the first bias."""
    target = problem.target_fourier
    members = np.zeros((len(target.index_sets), cube.d), dtype=int)
    for row, index_set in zip(members, target.index_sets, strict=True):
        row[list(index_set)] = 1
    signs = np.sign(cube.points(0, 2**lower)[:, :lower])
    fixed = {
        "x": cube.scale * signs,
        "parities": np.where((signs < 0) @ members[:, :lower].T % 2, -1.0, 1.0),
        "coefficients": np.asarray(target.coefficients, dtype=np.float64),
    }
    params = {name: np.asarray(w, dtype=np.float64) for name, w in trained.params.items()}
    offset = np.asarray(trained.offset, dtype=np.float64)
    compiled = compiled_rows(
        trained.network, params, float(trained.scale), np.broadcast_to(offset, problem.outputs), **fixed
    )

    def sums(first: int, stop: int) -> Float[np.ndarray, " rows"]:
        negative = (np.arange(first, stop)[:, None] >> np.arange(cube.d - lower)) & 1
        upper = cube.scale * (1.0 - 2.0 * negative)
        flips = np.where(negative @ members[:, lower:].T % 2, -1.0, 1.0)
        if compiled is not None:
            return compiled(upper, flips)
        with jax.enable_x64(True):
            return np.asarray(_row_sums(trained.network, params, float(trained.scale), offset, fixed, upper, flips))

    return sums


@partial(jax.jit, static_argnames="network")
def _row_sums(
    network: Network,
    params: Params,
    scale: float,
    offset: Float[jax.Array, "..."],
    fixed: dict[str, jax.Array],
    upper: Float[jax.Array, "rows high"],
    flips: Float[jax.Array, "rows sets"],
) -> Float[jax.Array, " rows"]:
    lower = fixed["x"].shape[1]
    W = params["W"]

    def row(at: tuple[jax.Array, jax.Array]) -> jax.Array:
        high, flip = at
        bias = params.get("b1", 0.0) + W[:, lower : lower + high.shape[0]] @ high
        outputs = network.apply({**params, "W": W[:, :lower], "b1": bias}, fixed["x"]) * scale + offset
        target = (fixed["parities"] * flip) @ fixed["coefficients"]
        return jnp.sum((target - outputs) ** 2)

    return jax.lax.map(row, (upper, flips))


def _visit_all(
    sums: RowSums, rows: int, points: int, digest: str, resume: str | Path | None, on_progress: Progress
) -> float:
    """Add up all rows, a stretch at a time; what is done is in the file, if there is one."""
    stretch = max(1, AT_ONCE // points)
    starts = range(0, rows, stretch)
    done = _read(resume, digest, len(starts))
    for i, first in enumerate(starts):
        if np.isnan(done[i]):
            done[i] = sums(first, min(rows, first + stretch)).sum()
            _write(resume, digest, done)
        share = (i + 1) / len(starts)
        on_progress(share, f"{5 * int(20 * share)}% of {rows * points:,} points")
    return float(done.sum())


def _read(resume: str | Path | None, digest: str, count: int) -> Float[np.ndarray, " stretches"]:
    if resume is None or not Path(resume).exists():
        return np.full(count, np.nan)
    advice = "move it away, or choose another file."
    try:
        record = json.loads(Path(resume).read_text())
        if record["of"] == digest and len(record["sums"]) == count:
            return np.array([np.nan if value is None else float.fromhex(value) for value in record["sums"]])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"'{resume}' is not a record of an evaluation: {advice}") from None
    raise InputError(f"'{resume}' belongs to another evaluation: {advice}")


def _write(resume: str | Path | None, digest: str, done: Float[np.ndarray, " stretches"]) -> None:
    if resume is not None:
        sums = [None if np.isnan(value) else float(value).hex() for value in done]
        with atomically(resume) as partial_file:
            partial_file.write_text(json.dumps({"of": digest, "sums": sums}))


def _digest(problem: Problem, call: Callable[..., Any]) -> str:
    """Tells predictors apart by what they predict at a few points."""
    X, _ = problem.sample(64, 0)
    outputs = _outputs(call, X, problem.outputs)
    return fingerprint(repr(problem), np.round(outputs, 6))


def _rounding(problem: Problem, cube: Cube, trained: TrainedNetwork, risk: float) -> float:
    """How far the computed risk can be from the exact one; infinite where that cannot be said."""
    x = np.concatenate([np.full(cube.d, cube.scale), np.zeros(cube.width - cube.d)])
    size, error = output_error(trained.network, trained.params, x, 4 * UNIT * x)
    with np.errstate(all="ignore"):
        size, error = abs(trained.scale) * size, abs(trained.scale) * error
        # what rounding of a target is relative to: its parities; of other targets, the problem's own numbers count
        coefficients = problem.target_fourier.coefficients if isinstance(problem, FourierProblem) else np.zeros((1, 1))
        target = np.abs(coefficients).sum(axis=0)
        # scaling and offset; the target's own sum of parities, its coefficients rounded
        error = error + 16 * UNIT * (size + np.abs(trained.offset)) + gamma(TERMS) * target
        square = float((error**2).sum()) * UP + TINY
        sums = gamma(AT_ONCE + TERMS) * risk  # differences, squares, and additions in any order
        rounding = (2 * (square * (risk + sums)) ** 0.5 + square + sums) * UP
    return rounding if np.isfinite(rounding) else float("inf")


def _as_function(predictor: Any) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(predictor, "predict", predictor)
    if not callable(function):
        raise InputError("A predictor has a method predict, or is a function of inputs (n, d).")
    return function


def _outputs(call: Callable[..., Any], X: np.ndarray, outputs: int) -> Float[np.ndarray, "n k"]:
    values = np.asarray(call(X), dtype=float)
    if values.ndim == 1:
        values = values[:, None]
    if values.shape != (len(X), outputs):
        raise InputError(f"The predictor gives the shape {values.shape} for {len(X)} inputs of {outputs} outputs.")
    return values
