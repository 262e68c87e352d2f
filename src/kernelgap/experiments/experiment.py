"""An experiment as data: which methods, with what to search, on which problem, at which scale."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from kernelgap.errors import unknown
from kernelgap.sweeps import AnyTrial, make_ridge_trial, make_trial
from kernelgap.training import Schedule

SCHEDULE = Schedule()  # the paper's


@dataclass(frozen=True)
class Grid:
    """A network trained by SGD over widths, with the rates and decays that are searched at each width."""

    network: str
    mode: str
    widths: tuple[int, ...]
    rates: tuple[float, ...]
    decays: tuple[float, ...]

    def trials(self, schedule: Schedule, common: dict[str, object]) -> Iterator[AnyTrial]:
        for width, rate, decay in product(self.widths, self.rates, self.decays):
            yield make_trial(
                network=self.network, mode=self.mode, width=width, rate=rate, decay=decay, schedule=schedule, **common
            )


@dataclass(frozen=True)
class RidgePaths:
    """The conjugate (last) or tangent (ntk) kernel of a network over widths, solved exactly for each ridge."""

    network: str
    mode: str
    widths: tuple[int, ...]
    ridges: tuple[float, ...]

    def trials(self, schedule: Schedule, common: dict[str, object]) -> Iterator[AnyTrial]:
        for width, ridge in product(self.widths, self.ridges):
            yield make_ridge_trial(network=self.network, mode=self.mode, width=width, ridge=ridge, **common)


@dataclass(frozen=True)
class KernelLines:
    """Kernels, solved exactly for each ridge. They have no width: flat lines in a figure over widths."""

    kernels: tuple[str, ...]
    ridges: tuple[float, ...]

    def trials(self, schedule: Schedule, common: dict[str, object]) -> Iterator[AnyTrial]:
        for kernel, ridge in product(self.kernels, self.ridges):
            yield make_ridge_trial(kernel=kernel, ridge=ridge, **common)


@dataclass(frozen=True)
class Scale:
    """How much of an experiment to run: its grids, how many seeds, how long to train, and a word on the effort."""

    grids: tuple[Grid | RidgePaths | KernelLines, ...]
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

    def trials(self, scale: str, seed: int) -> Iterator[AnyTrial]:
        """Every trial at this scale, with seeds counted from ``seed``."""
        chosen = self.scale(scale)
        for grid, s in product(chosen.grids, range(seed, seed + chosen.seeds)):
            common: dict[str, object] = {
                "problem": self.problem,
                "samples": self.samples,
                "seed": s,
                "validation_samples": chosen.validation_samples,
                "test_samples": chosen.test_samples,
            }
            yield from grid.trials(chosen.schedule, common)


def one_two_five(low: float, high: float) -> tuple[float, ...]:
    """The paper's grid {1, 2, 5} x 10^k, from low to high."""
    values = [float(f"{digit}e{power}") for power in range(-9, 10) for digit in (1, 2, 5)]
    return tuple(v for v in values if low <= v <= high)
