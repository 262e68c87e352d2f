"""Learning curves whose truth is known, measured as an audit measures them: on shared test rows, with few seeds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.comparison import paired_errors
from kernelgap.audit.statistics.gap import gap
from kernelgap.audit.statistics.results import Entry, Results


@dataclass(frozen=True)
class Truth:
    """A kernel with the error floor + N^-exponent, and a network with what the kernel has after ``times`` the samples.

    The last size has the error 1 + floor, so that a floor is a share of what is left to learn there. An infinite number
    of ``times`` is a network that is better than the floor by a tenth.
    """

    floor: float
    exponent: float
    times: float
    sizes: Sequence[int] = (100, 200, 400, 800)
    seeds: int = 3
    rows: int = 100
    noise: float = 0.1  # between seeds

    @property
    def samples(self) -> float:
        return self.times * self.sizes[-1]

    def error(self, samples: float) -> float:
        if math.isinf(samples):
            return 0.9 * self.floor
        return self.floor + (samples / self.sizes[-1]) ** -self.exponent


def stated(truth: Truth, seed: int) -> tuple[str, float, float]:
    """(kind, low, high) of the number of samples that the gap of one measurement states."""
    rng = np.random.default_rng(seed)
    hard = rng.gamma(1.0, size=truth.rows)  # squared errors of rows differ much, and alike for everybody

    def entry(name: str, family: str, samples: int, error: float) -> Entry:
        luck = np.exp(truth.noise * rng.standard_normal(truth.seeds) - truth.noise**2 / 2)
        own = rng.gamma(4.0, 1 / 4.0, size=(truth.seeds, truth.rows))
        errors = error * luck[:, None] * hard * own
        return Entry(name, family, samples, tuple(range(truth.seeds)), errors.mean(axis=1), errors)

    kernels = [entry("ntk3", "kernel", n, truth.error(n)) for n in truth.sizes]
    network = entry("3resnet", "network", truth.sizes[-1], truth.error(truth.samples))
    worst = 3 * truth.error(truth.sizes[0]) * hard[None, :] * np.ones((truth.seeds, 1))
    results = Results((*kernels, network), worst)
    bootstrap = Bootstrap(results, seed=seed, resamples=400)
    found = gap(results, bootstrap, paired_errors(results, bootstrap))
    if found.kernel_samples is None:
        return found.kind, 0.0, math.inf
    low = 0.0 if found.kind == "below" else found.kernel_samples.low
    return found.kind, low, found.kernel_samples.high


def coverage(truth: Truth, repetitions: int, seed: int = 0) -> float:
    """How often what is stated holds the true number."""
    found = [stated(truth, seed * 100_000 + i) for i in range(repetitions)]
    return float(np.mean([low <= truth.samples <= high for _, low, high in found]))
