"""Results made by hand."""

from collections.abc import Sequence

import numpy as np

from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.comparison import PairedErrors, paired_errors
from kernelgap.audit.statistics.results import Entry, Family, Results

SEEDS = (0, 1, 2)


def entry(
    contender: str,
    family: Family,
    errors: np.ndarray,
    *,
    samples: int = 100,
    seeds: tuple[int, ...] | None = None,
    validation: float | None = None,
    wrong: np.ndarray | None = None,
) -> Entry:
    """Validation agrees with the test rows unless it is given."""
    seeds = tuple(range(len(errors))) if seeds is None else seeds
    held_out = errors.mean(axis=1) if validation is None else np.full(len(errors), validation)
    return Entry(contender, family, samples, seeds, held_out, errors, wrong)


def steady(mean: float, *, rows: int = 200, seeds: int = 3, spread: float = 0.1, salt: int = 0) -> np.ndarray:
    """Errors about a mean, the same for seed and salt; a mean of exactly this over all."""
    drawn = 1 + spread * np.random.default_rng([salt, rows, seeds]).standard_normal((seeds, rows))
    return mean * drawn / drawn.mean()


def results(*entries: Entry, constant: float = 1.0) -> Results:
    seeds, rows = len(entries[0].errors), entries[0].errors.shape[1]
    return Results(tuple(entries), steady(constant, rows=rows, seeds=seeds, salt=99))


def pair(kernel: float, network: float, **how: float) -> Results:
    return results(
        entry("ntk3", "kernel", steady(kernel, salt=1, **how)),
        entry("3resnet", "network", steady(network, salt=2, **how)),
    )


def met(found: Results) -> PairedErrors:
    return paired_errors(found, Bootstrap(found, seed=0, resamples=1000))


def power_law(contender: str, family: Family, sizes: Sequence[int], c: float, b: float, salt: int = 0) -> list[Entry]:
    """Errors c N^-b, without any noise where salt is 0."""
    spread = 0.05 if salt else 0.0
    return [
        entry(contender, family, steady(c * n**-b, spread=spread, salt=salt + i), samples=n)
        for i, n in enumerate(sizes)
    ]
