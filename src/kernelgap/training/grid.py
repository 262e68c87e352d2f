"""A whole grid of rates and decays, trained together from one start on the same batches."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from kernelgap.errors import InputError
from kernelgap.networks import Params, check_normalised
from kernelgap.training.engine import Engine, Stretch, XlaEngine
from kernelgap.training.losses import WeightedLoss
from kernelgap.training.modes import Layers, TrainableModel
from kernelgap.training.native import native_engine
from kernelgap.training.schedule import (
    Arrays,
    Sample,
    Schedule,
    as_samples,
    data_orders,
    evaluation_epochs,
    evaluation_times,
)
from kernelgap.training.sgd import State, outputs

Weights = dict[str, np.ndarray]  # on the host, as results are kept

HOPELESS = 1e6  # a member whose training error exceeds this many times |y|^2 has diverged


@dataclass(frozen=True)
class Predictor:
    """One trained member as a function of inputs (n, d).

    Parameters
    ----------
    model
        What was trained.
    trained, frozen
        Its weights by name: those that training changes, and those that stay at the start.
    """

    model: TrainableModel
    trained: Weights
    frozen: Weights

    def __call__(self, X: np.ndarray) -> Float[np.ndarray, "n k"]:
        return outputs(self.model, self.trained, self.frozen, np.asarray(X))


@dataclass(frozen=True)
class GridResult:
    """What came of each member. Errors are means of |y - out(x)|^2 over rows; those of a diverged member are inf.

    Attributes
    ----------
    rates, decays
        The learning rate and the weight decay of each member.
    epochs
        When errors were taken.
    curves
        Errors of each member at these epochs, by the name of the sample: "train" and those to evaluate. "base", if
        asked for, is how far the first block's output is from the base signal.
    standard_errors
        Of the last errors on each sample.
    diverged_at
        The epoch at which a member was seen to have diverged, -1 for the others.
    model
        What was trained.
    trained, frozen
        Weights by name: those of each member, stacked, and those that all share and that stay at the start.
    """

    rates: Float[np.ndarray, " members"]
    decays: Float[np.ndarray, " members"]
    epochs: Int[np.ndarray, " times"]
    curves: dict[str, Float[np.ndarray, "members times"]]
    standard_errors: dict[str, Float[np.ndarray, " members"]]
    diverged_at: Int[np.ndarray, " members"]
    model: TrainableModel
    trained: Weights
    frozen: Weights

    @property
    def diverged(self) -> np.ndarray:
        """Which members diverged."""
        return self.diverged_at >= 0

    def final(self, name: str) -> Float[np.ndarray, " members"]:
        """Errors on one of the samples after the last epoch."""
        return self.curves[name][:, -1]

    def predictor(self, member: int) -> Predictor:
        return _member(self.model, self.trained, self.frozen, member)


def _member(model: TrainableModel, trained: Params, frozen: Params, member: int) -> Predictor:
    own = {name: np.array(weights[member]) for name, weights in trained.items()}
    return Predictor(model, own, {name: np.asarray(weights) for name, weights in frozen.items()})


def train_grid(
    model: TrainableModel,
    params: Params,
    rates: Sequence[float],
    decays: Sequence[float],
    train: Arrays,
    *,
    schedule: Schedule,
    seed: Sequence[int],
    evaluate: Mapping[str, Arrays] | None = None,
    base: Arrays | None = None,
    epochs: Sequence[int] | None = None,
    watch: Callable[[int, Callable[[int], Predictor]], object] | None = None,
    trained_from: Params | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> GridResult:
    """Train member i with ``rates[i]`` and ``decays[i]``, all from the same start on the same batches.

    Members run in groups, of the living ones those of fastest rate first: those that diverge share groups, and the
    groups that are not needed any more are not run. Two- and three-layer ReLU networks are trained by compiled loops
    of our own where the machine has a compiler, whatever else by XLA.

    Parameters
    ----------
    model, params
        What is trained, and the start.
    rates, decays
        A learning rate and a weight decay for each member.
    train
        The training sample (X, Y).
    schedule, seed
        How long and in which batches; what decides the order of the data.
    evaluate
        Samples (X, Y) by name, on which errors are taken as on the training sample ("train").
    base
        Inputs with the base signal there. How far the first block's output is from it becomes the curve "base", for a
        network that has a first block (``records_first_output``).
    epochs
        When errors are taken, besides the start and the end; by default dense at first, then at every eighth.
    watch
        Is called with each of these epochs, and a function that gives a member as it is then. True ends training.
    trained_from
        Where the trained weights start, if not where the model splits ``params``.
    on_progress
        Is called with the share done.

    Returns
    -------
    GridResult
        Curves, standard errors and weights of every member.
    """
    check_normalised(model.network)
    for taken in {"train", "base"} & set(evaluate or {}):
        raise InputError(f'"{taken}" is the name of a curve already: give the sample to evaluate another name.')
    if base is not None and not records_first_output(model):
        name = model.network.name
        raise InputError(f"{name} has no first block whose output could be compared with the base signal.")
    samples = as_samples({"train": train, **(evaluate or {})})
    signal = None if base is None else as_samples({"base": base})["base"]
    schedule.check_samples(samples["train"].x.shape[0])
    _check_columns(model, params, samples["train"])
    _check_members(rates, decays)
    chosen = evaluation_epochs(schedule.epochs) if epochs is None else epochs
    times = sorted({0, *evaluation_times(chosen, schedule.epochs, "Errors can be taken at epochs")})
    trained, frozen = model.split(params)
    trained = trained if trained_from is None else trained_from
    samples = {name: Sample(np.asarray(model.prepare(frozen, jnp.asarray(s.x))), s.y) for name, s in samples.items()}

    weights = sum(w.size for w in trained.values())
    engine: Engine = native_engine(model, frozen, schedule) or XlaEngine(model, frozen, schedule, weights, len(rates))
    members = _Members(engine, samples, signal, np.asarray(rates, float), np.asarray(decays, float), times)
    state = _at_rest(trained, len(rates))
    n, longest = len(samples["train"].x), max(b - a for a, b in itertools.pairwise(times))
    for time, stop in enumerate(times):
        first = times[time - 1] if time else stop
        orders = data_orders(seed, range(first, stop), n, rows=longest)
        for group in members.groups(engine.group_size(len(rates))):
            if stop > first:
                stretch = Stretch(members.rates[group], members.decays[group], orders, first, stop)
                engine.advance(state, group, samples["train"], stretch)
            members.measure(state, group, time)
            if on_progress is not None:
                on_progress(members.share_done())
        if watch is not None and watch(stop, lambda member: _member(model, state.trained, frozen, member)) is True:
            times = times[: time + 1]
            break
    return GridResult(
        rates=members.rates,
        decays=members.decays,
        epochs=np.array(times),
        curves={name: curve[:, : len(times)] for name, curve in members.curves.items()},
        standard_errors=members.standard_errors,
        diverged_at=members.diverged_at,
        model=model,
        trained=jax.tree.map(np.asarray, dict(state.trained)),
        frozen=jax.tree.map(np.asarray, dict(frozen)),
    )


def records_first_output(model: TrainableModel) -> bool:
    """Whether the model is a network itself, not linearised, with a first residual block."""
    return isinstance(model, Layers) and model.network.first_output is not None


def _at_rest(trained: Params, members: int) -> State:
    """Every member at the same start, with momentum 0, on the host."""
    stacked = {name: np.repeat(np.asarray(w)[None], members, axis=0) for name, w in trained.items()}
    return State(stacked, {name: np.zeros_like(w) for name, w in stacked.items()})


class _Members:
    """The members' errors over time, how far each has come, and which have diverged."""

    def __init__(
        self,
        engine: Engine,
        samples: dict[str, Sample],
        base: Sample | None,
        rates: np.ndarray,
        decays: np.ndarray,
        times: list[int],
    ) -> None:
        self.engine = engine
        self.sample = Sample(*(np.concatenate(parts) for parts in zip(*samples.values(), strict=True)))
        ends = np.cumsum([s.x.shape[0] for s in samples.values()])
        self.rows = {n: slice(end - s.x.shape[0], end) for (n, s), end in zip(samples.items(), ends, strict=True)}
        self.rates, self.decays, self.times, self.base = rates, decays, times, base
        names = [*samples, *([] if base is None else ["base"])]
        self.curves = {name: np.full((len(rates), len(times)), np.inf) for name in names}
        self.standard_errors = {name: np.full(len(rates), np.inf) for name in samples}
        self.diverged_at = np.full(len(rates), -1)
        self.reached = np.zeros(len(rates))
        size = float(np.mean(np.sum(np.asarray(samples["train"].y, float) ** 2, axis=1)))
        self.hopeless = HOPELESS * (size or 1.0)  # labels that are all 0 have no size of their own

    def groups(self, size: int) -> list[list[int]]:
        """The living members, fastest rate first, in groups."""
        living = sorted(np.flatnonzero(self.diverged_at < 0).tolist(), key=lambda i: (-self.rates[i], i))
        return [living[i : i + size] for i in range(0, len(living), size)]

    def measure(self, state: State, group: list[int], time: int) -> None:
        """Take the errors of a group that has reached ``time``, and mark members that have diverged."""
        with np.errstate(invalid="ignore", over="ignore"):
            errors = self.engine.squared_errors(state, group, self.sample)
            for name, rows in self.rows.items():
                self.curves[name][group, time] = errors[:, rows].mean(axis=1)
                self.standard_errors[name][group] = standard_error(errors[:, rows])
            if self.base is not None:
                distances = self.engine.squared_errors(state, group, self.base, first=True)
                self.curves["base"][group, time] = distances.mean(axis=1)
        self.reached[group] = self.times[time]
        for member in group:
            error = self.curves["train"][member, time]
            if not np.isfinite(error) or error > self.hopeless:
                self.diverged_at[member] = self.times[time]
                self.reached[member] = self.times[-1]
                for name in self.curves:
                    self.curves[name][member, time] = np.inf
                for name in self.rows:
                    self.standard_errors[name][member] = np.inf

    def share_done(self) -> float:
        return float(self.reached.mean() / self.times[-1])


def standard_error(errors: np.ndarray) -> np.ndarray:
    """The standard error of the mean over rows; infinite for a single row."""
    n = errors.shape[1]
    return errors.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(errors), np.inf)


def _check_members(rates: Sequence[float], decays: Sequence[float]) -> None:
    if len(rates) != len(decays) or not len(rates):
        raise InputError(f"A grid needs as many rates as decays, at least one, not {len(rates)} and {len(decays)}.")
    for rate, decay in zip(rates, decays, strict=True):
        if not (np.isfinite(rate) and rate > 0):
            raise InputError(f"A rate must be a positive number, not {rate}.")
        if not (np.isfinite(decay) and decay >= 0):
            raise InputError(f"A weight decay must be a number that is not negative, not {decay}.")


def _check_columns(model: TrainableModel, params: Params, sample: Sample) -> None:
    d, k = model.network.takes(params)
    columns = sample.x.shape[1], sample.y.shape[1] - isinstance(model, WeightedLoss)
    if columns != (d, k):
        given = f"X has {columns[0]} columns and Y {columns[1]}"
        raise InputError(f"The network takes {d} inputs to {k} outputs, but {given}.")
