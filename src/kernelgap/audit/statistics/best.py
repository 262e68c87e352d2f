"""The best model of all contenders on validation, which is the one to deploy, and what is not shown about it."""

import numpy as np

from kernelgap.audit.statistics.bootstrap import Bootstrap, common_seeds
from kernelgap.audit.statistics.results import BestModel, Results
from kernelgap.audit.statistics.verdict import clearly_less


def best_model(results: Results, bootstrap: Bootstrap, at_least: int) -> BestModel:
    """The contender with the least mean validation error, of those that learned from ``at_least`` so many samples."""
    entries = [entry for entry in results.entries if entry.samples >= at_least]
    best = min(entries, key=lambda entry: float(np.mean(entry.validation)))
    constant, accuracy = bootstrap.constant.value, bootstrap.accuracy(best)
    beside = sorted((e for e in entries if e.samples == best.samples), key=lambda e: float(np.mean(e.validation)))
    doubtful = []
    for other in beside:
        seeds = common_seeds([best, other])
        if other is not best and not clearly_less(
            bootstrap.error(best, seeds), bootstrap.error(other, seeds), constant
        ):
            doubtful.append(other.contender)
    return BestModel(
        contender=best.contender,
        family=best.family,
        samples=best.samples,
        tried=len(beside),
        error=bootstrap.error(best).interval(within=(0, np.inf)),
        accuracy=None if accuracy is None else accuracy.interval(within=(0, 1)),
        no_better_than=tuple(doubtful),
        beats_constant=clearly_less(bootstrap.error(best), bootstrap.constant, constant),
    )
