"""The best kernel against the best network, on the same samples, test rows and seeds."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from kernelgap.audit.statistics.bootstrap import Bootstrap, Resampled, common_seeds, percentiles
from kernelgap.audit.statistics.results import BestPair, Entry, Interval, Results
from kernelgap.errors import InputError

SMALLEST = 1e-300  # stands for an error of 0 where a logarithm is taken
LARGEST = 1e12  # beyond it a ratio is called infinite


@dataclass(frozen=True, eq=False)
class PairedErrors:
    """Both sides with their errors in the same resamples."""

    kernel: Entry
    network: Entry
    seeds: tuple[int, ...]
    kernel_error: Resampled
    network_error: Resampled
    constant: Resampled
    accuracy_difference: Resampled | None
    units: str = "test rows"

    @property
    def samples(self) -> int:
        return self.kernel.samples

    @property
    def difference(self) -> Resampled:
        """Kernel less network: above 0 the network leads."""
        return self.kernel_error - self.network_error

    @property
    def validation_difference(self) -> float:
        """Kernel less network on the validation rows, by which the two were chosen."""
        kernel, network = (
            np.mean([entry.validation[entry.seeds.index(seed)] for seed in self.seeds])
            for entry in (self.kernel, self.network)
        )
        return float(kernel - network)

    @property
    def comparison(self) -> BestPair:
        accuracy = self.accuracy_difference
        return BestPair(
            kernel=self.kernel.contender,
            network=self.network.contender,
            samples=self.samples,
            kernel_error=self.kernel_error.interval(within=(0, np.inf)),
            network_error=self.network_error.interval(within=(0, np.inf)),
            difference=self.difference.interval(),
            by_seed=self.difference.by_seed if self.seeds else (),
            ratio=_ratio(self.kernel_error, self.network_error),
            accuracy_difference=None if accuracy is None else accuracy.interval(within=(-1, 1)),
        )


def best_pair(results: Results) -> tuple[Entry, Entry]:
    """(kernel, network), the best on validation with the most samples that both families have results for."""
    for samples in reversed(results.samples):
        kernel, network = results.best(["kernel"], samples), results.best(["network"], samples)
        if kernel is not None and network is not None:
            return kernel, network
    raise InputError("There is nothing to compare yet: no kernel and network have finished on the same samples.")


def on_shared_seeds(results: Results) -> Results:
    """The results in which all entries with the samples of the best pair have the seeds that these two share.

    So each has one error, wherever it is stated, and all that are compared learned from the same rows.
    """
    pair = best_pair(results)
    seeds = common_seeds(pair)
    entries = (_only(entry, seeds) if entry.samples == pair[0].samples else entry for entry in results.entries)
    return replace(results, entries=tuple(entries))


def _only(entry: Entry, seeds: tuple[int, ...]) -> Entry:
    places = [place for place, seed in enumerate(entry.seeds) if seed in seeds]
    if not places:
        return entry
    return replace(
        entry,
        seeds=tuple(entry.seeds[place] for place in places),
        validation=entry.validation[places],
        errors=entry.errors[places],
        wrong=None if entry.wrong is None else entry.wrong[places],
    )


def paired_errors(results: Results, bootstrap: Bootstrap, pair: tuple[Entry, Entry] | None = None) -> PairedErrors:
    """The errors of the best kernel and the best network, or of a pair that was chosen before."""
    kernel, network = (
        results.entry(entry.contender, entry.samples) for entry in (best_pair(results) if pair is None else pair)
    )
    seeds = common_seeds([kernel, network])
    ours, theirs = bootstrap.accuracy(network, seeds), bootstrap.accuracy(kernel, seeds)
    return PairedErrors(
        kernel=kernel,
        network=network,
        seeds=seeds,
        kernel_error=bootstrap.error(kernel, seeds),
        network_error=bootstrap.error(network, seeds),
        constant=bootstrap.constant,
        accuracy_difference=None if ours is None or theirs is None else ours - theirs,
        units=results.units,
    )


def logarithms(errors: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    return np.asarray(np.log(np.maximum(errors, SMALLEST)))


def _ratio(kernel: Resampled, network: Resampled) -> Interval:
    """The ratio of the errors, from the logarithms, with the stretch of the difference."""
    value = np.asarray(logarithms(np.array(kernel.value)) - logarithms(np.array(network.value)))
    draws = logarithms(kernel.draws) - logarithms(network.draws)
    stretched = value + (kernel - network).stretch() * (draws - value)
    return percentiles(float(_exp(value)), _exp(stretched))


def _exp(logarithm: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    top = np.log(LARGEST)
    return np.where(logarithm > top, np.inf, np.where(logarithm < -top, 0.0, np.exp(np.clip(logarithm, -top, top))))
