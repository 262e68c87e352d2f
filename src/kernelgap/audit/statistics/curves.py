"""Each contender's error over the numbers of samples."""

import numpy as np

from kernelgap.audit.statistics.answer import Curve
from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.results import Results


def curves(results: Results, bootstrap: Bootstrap, *, chosen_by: Results) -> tuple[Curve, ...]:
    """One for each contender, by name; validation errors over all seeds that were finished."""
    return tuple(_curve(results, bootstrap, name, chosen_by) for name in sorted(results.contenders))


def _curve(results: Results, bootstrap: Bootstrap, name: str, chosen_by: Results) -> Curve:
    entries = sorted((e for e in results.entries if e.contender == name), key=lambda e: e.samples)
    errors = [bootstrap.error(entry) for entry in entries]
    accuracies = [found for entry in entries if (found := bootstrap.accuracy(entry)) is not None]
    return Curve(
        contender=name,
        family=entries[0].family,
        samples=tuple(entry.samples for entry in entries),
        errors=tuple(error.interval(within=(0, np.inf)) for error in errors),
        by_seed=tuple(error.by_seed for error in errors),
        validation=tuple(float(np.mean(chosen_by.entry(name, entry.samples).validation)) for entry in entries),
        accuracy=tuple(a.interval(within=(0, 1)) for a in accuracies) if len(accuracies) == len(entries) else None,
    )
