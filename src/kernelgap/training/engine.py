"""Who does the arithmetic of training: programs of XLA for any model."""

from typing import NamedTuple, Protocol, runtime_checkable

import jax
import numpy as np
from jaxtyping import Float, Int32

from kernelgap.networks import Params
from kernelgap.training.modes import TrainableModel
from kernelgap.training.schedule import Sample, Schedule
from kernelgap.training.sgd import State, advance, squared_errors

CACHE = 2**21  # bytes of weights and momenta that a group of members may take, about what a core's cache holds
Members = list[int]


class Stretch(NamedTuple):
    """Some epochs of a group.

    Attributes
    ----------
    rates, decays
        Of each member of the group.
    orders
        The order of the data in each of the epochs; there may be more rows than epochs.
    first, stop
        The epochs first..stop-1.
    """

    rates: Float[np.ndarray, " group"]
    decays: Float[np.ndarray, " group"]
    orders: Int32[np.ndarray, "most n"]
    first: int
    stop: int


@runtime_checkable
class Engine(Protocol):
    """Trains and judges groups of members. ``state`` holds all members, on the host."""

    def group_size(self, members: int) -> int:
        """How many members train at once."""
        ...

    def advance(self, state: State, group: Members, sample: Sample, stretch: Stretch) -> None:
        """Train these members for some epochs, written back into ``state``."""
        ...

    def squared_errors(
        self, state: State, group: Members, sample: Sample, *, first: bool = False
    ) -> Float[np.ndarray, "group n"]:
        """|y - out(x)|^2 for each member and row; with ``first`` |y - out1(x)|^2."""
        ...


class XlaEngine:
    """Groups of equal size whose weights and momenta fit a core's cache, as one compiled program.

    A group that is short repeats a member as padding, so that the program serves all groups.
    """

    def __init__(self, model: TrainableModel, frozen: Params, schedule: Schedule, weights: int, members: int) -> None:
        self.model, self.frozen, self.schedule = model, frozen, schedule
        self.size = group_size(weights, members)

    def group_size(self, members: int) -> int:
        return self.size

    def _padded(self, group: Members) -> Members:
        return group + group[:1] * (self.size - len(group))

    def advance(self, state: State, group: Members, sample: Sample, stretch: Stretch) -> None:
        padded = self._padded(group)
        repeated = self._padded(list(range(len(group))))
        part = jax.tree.map(lambda w: w[padded], state)
        rates, decays = (a[repeated].astype(np.float32) for a in (stretch.rates, stretch.decays))
        part = advance(self.model, self.schedule, part, self.frozen, rates, decays, *sample, *stretch[2:])
        for all_members, new in zip(jax.tree.leaves(state), jax.tree.leaves(part), strict=True):
            all_members[group] = np.asarray(new)[: len(group)]

    def squared_errors(
        self, state: State, group: Members, sample: Sample, *, first: bool = False
    ) -> Float[np.ndarray, "group n"]:
        trained = {name: w[self._padded(group)] for name, w in state.trained.items()}
        return squared_errors(self.model, trained, self.frozen, sample, first=first)[: len(group)]


def group_size(weights: int, members: int) -> int:
    """How many members train at once: as many as the cache holds, in groups of equal size.

    Parameters
    ----------
    weights
        How many numbers are trained in each member.
    members
        How many members there are.

    Returns
    -------
    int
    """
    most = max(1, CACHE // (8 * weights))
    return -(-members // -(-members // most))
