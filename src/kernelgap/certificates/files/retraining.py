"""Train again what a certificate describes, from several starts, and compare the risks.

A file cannot show from what its network learned. What can be tried is whether the training that it describes, on the
inputs that it names, gives risks of the kind that it certifies.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import jax
import numpy as np
from pydantic import Field
from scipy.special import ndtri

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.fixed_point import target_of
from kernelgap.certificates.exact.fixed_point.target import OUT_BITS
from kernelgap.certificates.files.claim import Strict
from kernelgap.certificates.files.format2.reading import Certificate2
from kernelgap.certificates.files.reading import Certificate, read_certificate
from kernelgap.errors import InputError, validated
from kernelgap.networks import Network
from kernelgap.networks import get as get_network
from kernelgap.problems import ParityProblem
from kernelgap.progress import Progress, silent
from kernelgap.training import Predictor, Schedule, get_model, train_grid

STARTS = 5
MOST_STARTS = 1000
FACTOR, MOST_FACTOR = 2.0, 10.0  # how far beyond the range over starts a risk may lie
MOST_EPOCHS = 10**6
MOST_WORK = 1e15  # weights x visits of samples, over all starts: days
ALL_POINTS = 2**14  # up to so many points of the cube are all visited; of more, so many are drawn
DRAWN = 2**16
CONFIDENCE = 0.99


@dataclass(frozen=True)
class Retraining:
    """Risks of the training that a certificate describes, start by start.

    ``certified`` is consistent with them if it meets their range, widened at both ends by the factor that the range
    itself spans, but by 2 at least and by 10 at most: one more start lies outside the plain range of 5 one time in 3,
    and a certificate of format 2 may be about the best of many. At least half of the starts must converge.

    Attributes
    ----------
    certified
        The mean of the certificate's risks, or the interval that one of format 2 states for its network's risk.
    seeds
        For each start, the seed of its weights and of the order of its data.
    risks
        For each start, its risk; infinite where training diverged.
    margins
        For each start, half of the 99% interval of its risk; 0 where all points were visited or training diverged.
    """

    certified: tuple[float, float]
    seeds: tuple[int, ...]  # of the weights and of the order of the data
    risks: tuple[float, ...]  # infinite where training diverged
    margins: tuple[float, ...]  # half of a 99% interval; 0 where all points were visited

    @property
    def finite(self) -> list[tuple[float, float]]:
        return [(r, m) for r, m in zip(self.risks, self.margins, strict=True) if np.isfinite(r)]

    @property
    def range(self) -> tuple[float, float] | None:
        """Over the starts that did not diverge."""
        if not self.finite:
            return None
        return max(0.0, min(r - m for r, m in self.finite)), max(r + m for r, m in self.finite)

    @property
    def allowed(self) -> tuple[float, float] | None:
        if self.range is None:
            return None
        low, high = self.range
        factor = min(max(FACTOR, high / low), MOST_FACTOR) if low > 0 else MOST_FACTOR
        return low / factor, high * factor

    @property
    def within_range(self) -> bool:
        return self.range is not None and _meet(self.certified, self.range)

    @property
    def consistent(self) -> bool:
        """Whether the stated training gives risks of that kind: at least half of its starts converge, and near it."""
        if self.allowed is None or 2 * len(self.finite) < len(self.risks):
            return False
        return _meet(self.certified, self.allowed)

    @property
    def sentence(self) -> str:
        count, high = len(self.risks), self.certified[1]
        if self.range is None or self.allowed is None:
            return f"The training that it describes diverged from each of {count} starts: it does not give {high:.3g}."
        lost = f" ({count - len(self.finite)} diverged)" if len(self.finite) < count else ""
        text = f"Trained again from {count} starts{lost}, risks are {self.range[0]:.3g} to {self.range[1]:.3g}"
        if self.within_range:
            where = "lies within that range"
        elif self.consistent:
            where = f"lies near it: from {self.allowed[0]:.3g} to {self.allowed[1]:.3g} would"
        else:
            return f"{text}: the training that it describes does not give risks like the certified one, {high:.3g}."
        return f"{text}; the certified one, {high:.3g}, {where}."


class Described(Strict):
    """What is needed to train again."""

    rate: Annotated[float, Field(gt=0, le=1e6)]
    decay: Annotated[float, Field(ge=0, le=1e6)]
    schedule: dict[str, bool | int | float]


def retrain(path: str | Path, starts: int = STARTS, *, on_progress: Progress = silent) -> Retraining:
    """Train as the certificate says, on its inputs, and compare the risks.

    Parameters
    ----------
    path
        The certificate.
    starts
        How many: from the seed that it names and the ones after it.
    on_progress
        Takes the share done and which start is being trained.

    Returns
    -------
    Retraining

    Raises
    ------
    InputError
        If the file is no certificate, or does not describe a training that can be repeated.
    """
    if isinstance(starts, bool) or not isinstance(starts, int) or not 1 <= starts <= MOST_STARTS:
        raise InputError(f"The number of starts must be from 1 to {MOST_STARTS:,}, not {starts!r}.")
    task = _task(path, read_certificate(path))
    size = task.network.size(inputs=task.problem.d, outputs=task.problem.outputs, width=task.width)
    if task.schedule.epochs > MOST_EPOCHS or size * task.samples * task.schedule.epochs * starts > MOST_WORK:
        raise InputError(
            f"'{path}' describes a training of {task.schedule.epochs:,} epochs, which would take days: take fewer "
            "starts, or do not ask for --retrain."
        )
    seeds = task.first(starts)
    risks, margins = [], []
    for i, (drawn, start) in enumerate(seeds):

        def show(share: float, i: int = i) -> None:
            on_progress((i + share) / starts, f"start {i + 1} of {starts}")

        show(0.0)
        predictor = _train(task, drawn, start, show)
        risk, margin = _risk(task, predictor, start) if predictor is not None else (np.inf, 0.0)
        risks.append(risk)
        margins.append(margin)
    return Retraining(task.certified, tuple(start for _, start in seeds), tuple(risks), tuple(margins))


@dataclass(frozen=True)
class _Task:
    """What a certificate describes: a training, and from which seeds."""

    problem: ParityProblem
    network: Network
    mode: str
    width: int
    samples: int
    seeds: tuple[tuple[int, int], ...]  # of the inputs and of the start, for each network
    described: Described
    schedule: Schedule
    certified: tuple[float, float]
    limits: tuple[float, ...] | None  # to which outputs are clipped
    same_inputs: bool  # whether all starts learn from the inputs of the first

    def first(self, count: int) -> list[tuple[int, int]]:
        """The certificate's own seeds, and after them the ones that follow."""
        after = max(max(pair) for pair in self.seeds)
        more = ((after + 1 + i) % 2**32 for i in range(count))
        drawn = self.seeds[0][0]
        following = [(drawn, seed) if self.same_inputs else (seed, seed) for seed in more]
        return [*self.seeds, *following][:count]


def _task(path: str | Path, certificate: Certificate | Certificate2) -> _Task:
    claim, problem = certificate.claim, certificate.problem
    training: Mapping[str, object] = claim.network.training
    if claim.network.mode is None:
        raise InputError(f"'{path}' does not say which layers were trained, so that it cannot be trained again.")
    for name in Described.model_fields:
        if name not in training:
            raise InputError(f"'{path}' cannot be trained again: its description of the training has no {name}.")
    try:
        described = validated(Described, {name: training[name] for name in Described.model_fields})
        schedule = Schedule.checked(**described.schedule)
        schedule.check_samples(claim.samples)
    except InputError as error:
        raise InputError(f"'{path}' cannot be trained again: {error}") from None
    about = (problem, get_network(claim.network.name), claim.network.mode, claim.network.width, claim.samples)
    if isinstance(certificate, Certificate2):
        old = certificate.claim
        certified = (old.network.low, old.network.high)
        return _Task(*about, ((old.seed, old.seed),), described, schedule, certified, None, same_inputs=True)
    mean = float(Fraction(certificate.claim.mean.risk))
    seeds = tuple((each.seed, each.start) for each in certificate.claim.networks)
    limits = tuple(limit / 2**OUT_BITS for limit in target_of(problem).limits)
    return _Task(*about, seeds, described, schedule, (mean, mean), limits, same_inputs=False)


def _train(task: _Task, drawn: int, start: int, on_progress: Callable[[float], None]) -> Predictor | None:
    """One start; None if it diverged. The order of the data has the seed [start, 3], as in a run."""
    problem = task.problem
    params = task.network.init(jax.random.key(start), inputs=problem.d, outputs=problem.outputs, width=task.width)
    grid = train_grid(
        get_model(task.network, task.mode),
        params,
        [task.described.rate],
        [task.described.decay],
        problem.sample(task.samples, drawn),
        schedule=task.schedule,
        seed=[start, 3],
        on_progress=on_progress,
    )
    return None if grid.diverged[0] else grid.predictor(0)


def _risk(task: _Task, predictor: Predictor, seed: int) -> tuple[float, float]:
    """The risk of a start and half of its 99% interval: over all points where they are few, else over drawn ones."""
    problem = task.problem
    cube = cube_of(problem)
    assert cube is not None
    if 2**cube.d <= ALL_POINTS:
        X, times = cube.points(0, 2**cube.d), 0.0
    else:
        X, times = problem.sample(DRAWN, [seed, 4])[0], float(ndtri(0.5 + CONFIDENCE / 2)) / DRAWN**0.5
    outputs = predictor(X)
    if task.limits is not None:
        outputs = np.clip(outputs, -np.array(task.limits), np.array(task.limits))
    errors = ((problem.target(X) - outputs) ** 2).sum(axis=1)
    return float(errors.mean()), times * float(errors.std(ddof=1))


def _meet(first: tuple[float, float], second: tuple[float, float]) -> bool:
    return first[0] <= second[1] and second[0] <= first[1]
