"""An experiment as data: which networks, modes, widths, rates and decays, on which problem, at which scale."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from kernelgap.errors import unknown
from kernelgap.sweeps import Trial, make_trial
from kernelgap.training import Schedule

SCHEDULE = Schedule()  # the paper's


@dataclass(frozen=True)
class Grid:
    """One method over widths, with the rates and decays that are searched at each width."""

    network: str
    mode: str
    widths: tuple[int, ...]
    rates: tuple[float, ...]
    decays: tuple[float, ...]


@dataclass(frozen=True)
class Scale:
    """How much of an experiment to run: its grids, how many seeds, how long to train, and a word on the effort."""

    grids: tuple[Grid, ...]
    seeds: int
    effort: str
    schedule: Schedule = SCHEDULE
    validation_samples: int = 1000
    test_samples: int = 5000


@dataclass(frozen=True)
class Experiment:
    """A comparison of methods at a fixed number of samples."""

    name: str
    title: str
    source: str
    problem: str
    samples: int
    scales: dict[str, Scale]

    def scale(self, name: str) -> Scale:
        if name not in self.scales:
            raise unknown("scale", name, self.scales)
        return self.scales[name]

    def trials(self, scale: str, seed: int) -> Iterator[Trial]:
        """Every trial at this scale, with seeds counted from ``seed``."""
        chosen = self.scale(scale)
        for grid, s in product(chosen.grids, range(seed, seed + chosen.seeds)):
            for width, rate, decay in product(grid.widths, grid.rates, grid.decays):
                yield make_trial(
                    problem=self.problem,
                    network=grid.network,
                    mode=grid.mode,
                    width=width,
                    samples=self.samples,
                    rate=rate,
                    decay=decay,
                    seed=s,
                    schedule=chosen.schedule,
                    validation_samples=chosen.validation_samples,
                    test_samples=chosen.test_samples,
                )


def one_two_five(low: float, high: float) -> tuple[float, ...]:
    """The paper's grid {1, 2, 5} x 10^k, from low to high."""
    values = [float(f"{digit}e{power}") for power in range(-9, 10) for digit in (1, 2, 5)]
    return tuple(v for v in values if low <= v <= high)
