"""The empirical kernel gap: the samples that the best kernel needs to do as well as the network, over the network's."""

import math

import numpy as np

from kernelgap.audit.statistics.answer import Gap, GapKind, Interval
from kernelgap.audit.statistics.bootstrap import Bootstrap, Resampled, common_seeds, percentiles
from kernelgap.audit.statistics.comparison import Contest, logarithms
from kernelgap.audit.statistics.reach import fitted_sizes, reach
from kernelgap.audit.statistics.results import Results
from kernelgap.audit.statistics.wording import between, digits


def gap(results: Results, bootstrap: Bootstrap, contest: Contest) -> Gap:
    """At each number of samples the kernel that validation prefers; the target is the network's error in the contest.

    The interval comes from curves and target resampled together; all are stretched about their values, in logarithms,
    by as much as the one among them that needs it most (see ``Resampled``).

    Beyond the largest size only a lower end is stated. A few sizes do not tell an error that goes on falling from one
    that is about to level off, at a floor: with a floor the curve is convex in logarithms, the power law through its
    last sizes runs below it, and what it takes to reach the target is a bound from below. (An upper end from that power
    law would hold the true number 3 to 45 times in 100: ``tests/audit/answers/test_gap_coverage.py``.)
    """
    network, n = contest.network.contender, contest.samples
    kernels = [kernel for size in results.samples if (kernel := results.best(["kernel"], size)) is not None]
    sizes = tuple(kernel.samples for kernel in kernels)
    if not any(_above_zero(contest.constant - side) for side in (contest.kernel_error, contest.network_error)):
        return _none(n, "There is no kernel gap to speak of: neither kernel nor network is better than a constant.")
    if len(sizes) < 2:
        return _none(n, "The kernel gap takes kernels with at least 2 numbers of samples; there is 1.")
    seeds = common_seeds([*kernels, contest.network])
    curve = [bootstrap.error(kernel, seeds) for kernel in kernels]
    target = bootstrap.error(contest.network, seeds)
    stretch = max(found.stretch() for found in [*curve, target])
    errors = np.array([[found.value for found in curve]])
    value = float(reach(sizes, errors, np.array([target.value]))[0])
    draws = reach(sizes, np.stack([_wide(found, stretch) for found in curve], axis=1), _wide(target, stretch))
    kind = _kind(errors[0], target.value, value, draws)
    low = percentiles(value, draws).low
    if kind == "extrapolated":
        needed = Interval(low, low, math.inf)
    elif kind == "out of reach":
        needed = Interval(math.inf, low, math.inf)
    else:
        needed = percentiles(value, np.where(draws > sizes[-1], math.inf, draws))
    factor = Interval(needed.value / n, needed.low / n, needed.high / n)
    return Gap(kind, n, needed, factor, _sentence(kind, sizes, needed, factor, network, n))


def _none(samples: int, sentence: str) -> Gap:
    return Gap("none", samples, None, None, sentence)


def _above_zero(difference: Resampled) -> bool:
    return difference.value > 0 and difference.interval().low > 0


def _wide(found: Resampled, stretch: float) -> np.ndarray:
    value = logarithms(np.array(found.value))
    return np.exp(np.clip(value + stretch * (logarithms(found.draws) - value), -700, 700))


def _kind(errors: np.ndarray, target: float, value: float, draws: np.ndarray) -> GapKind:
    if errors[0] <= target:
        return "below"
    if errors.min() <= target:
        return "interpolated"
    median = float(np.quantile(draws, 0.5, method="higher"))
    return "extrapolated" if math.isfinite(value) and math.isfinite(median) else "out of reach"


def _sentence(
    kind: GapKind, sizes: tuple[int, ...], needed: Interval, factor: Interval, network: str, samples: int
) -> str:
    goal = f"to do as well as {network} does with {samples:,}"
    if kind == "below":
        return f"The best kernel needs {sizes[0]:,} samples or fewer {goal}: fewer were not tried."
    span = between(needed.low, needed.high)
    if kind == "interpolated":
        return (
            f"The best kernel needs about {digits(needed.value)} samples ({span}) {goal}: "
            f"{digits(factor.value)} times as many."
        )
    points = fitted_sizes(len(sizes))
    measured = f"measured up to {sizes[-1]:,} samples; beyond, a power law through the last {points} sizes"
    if points == 2:
        measured += ", which are all that there are: a guess"
    if needed.low < sizes[-1]:
        return (
            f"With up to {sizes[-1]:,} samples the best kernel was not seen {goal}; how many it needs cannot be told "
            f"from these errors (at least {digits(needed.low)})."
        )
    if kind == "extrapolated":
        return (
            f"Extrapolated: if its error falls no faster than before, the best kernel needs at least "
            f"{digits(needed.low)} samples {goal}, {digits(factor.low)} times as many; how many more, these sizes do "
            f"not tell ({measured})."
        )
    if math.isinf(needed.low):
        return f"Extrapolated: going by its curve, the best kernel never gets {goal} ({measured})."
    return (
        f"Extrapolated: the best kernel needs at least {digits(needed.low)} samples {goal}, {digits(factor.low)} times "
        f"as many; going by its curve it never gets there ({measured})."
    )
