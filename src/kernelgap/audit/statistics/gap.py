"""The empirical kernel gap: the samples that the best kernel needs to do as well as the network, over the network's.

A learning curve reaches an error within the measured sizes, or along a power law beyond them.
"""

import math

import numpy as np
from jaxtyping import Float

from kernelgap.audit.statistics.bootstrap import Bootstrap, Resampled, common_seeds, percentiles
from kernelgap.audit.statistics.comparison import LARGEST, PairedErrors, logarithms
from kernelgap.audit.statistics.results import Gap, GapKind, Interval, Results
from kernelgap.audit.statistics.wording import between
from kernelgap.number_text import digits


def gap(results: Results, bootstrap: Bootstrap, paired: PairedErrors) -> Gap:
    """The gap between the network's error and the curve of the kernel that is best on validation at each size.

    The interval comes from curves and target resampled together; all are stretched about their values, in logarithms,
    by as much as the one among them that needs it most (see ``Resampled``).

    Beyond the largest size only a lower end is stated. A few sizes do not tell an error that goes on falling from one
    that is about to level off, at a floor: with a floor the curve is convex in logarithms, the power law through its
    last sizes runs below it, and what it takes to reach the target is a bound from below. (An upper end from that power
    law would hold the true number 3 to 45 times in 100: ``tests/audit/statistics/test_gap_coverage.py``.)
    """
    network, n = paired.network.contender, paired.samples
    kernels = [kernel for size in results.samples if (kernel := results.best(["kernel"], size)) is not None]
    sizes = tuple(kernel.samples for kernel in kernels)
    if not any(_above_zero(paired.constant - side) for side in (paired.kernel_error, paired.network_error)):
        sentence = "There is no kernel gap to speak of: neither kernel nor network is better than a constant."
        return Gap("none", n, None, None, sentence)
    if len(sizes) < 2:
        sentence = "The kernel gap takes kernels with at least 2 numbers of samples; there is 1."
        return Gap("none", n, None, None, sentence)
    seeds = common_seeds([*kernels, paired.network])
    curve = [bootstrap.error(kernel, seeds) for kernel in kernels]
    target = bootstrap.error(paired.network, seeds)
    stretch = max(error.stretch() for error in [*curve, target])
    errors = np.array([[error.value for error in curve]])
    value = float(reach(sizes, errors, np.array([target.value]))[0])
    draws = reach(sizes, np.stack([_stretched(error, stretch) for error in curve], axis=1), _stretched(target, stretch))
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


def _above_zero(difference: Resampled) -> bool:
    return difference.value > 0 and difference.interval().low > 0


def _stretched(error: Resampled, stretch: float) -> np.ndarray:
    """The draws, spread about the value in logarithms."""
    value = logarithms(np.array(error.value))
    return np.exp(np.clip(value + stretch * (logarithms(error.draws) - value), -700, 700))


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
        times = f"{digits(factor.value)} times as many"
        return f"The best kernel needs about {digits(needed.value)} samples ({span}) {goal}: {times}."
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


def reach(
    samples: tuple[int, ...], errors: Float[np.ndarray, "curves sizes"], target: Float[np.ndarray, " curves"]
) -> Float[np.ndarray, " curves"]:
    """The number of samples at which each curve reaches its target; infinite where it never does, or after 10^12.

    Between two sizes the running minimum is a line in log N - log error. Beyond the last one the power law
    error = c N^-b holds that fits the last sizes (the later half, at least 3) best in logarithms.
    """
    sizes = np.log(samples)
    logs, goal = logarithms(errors), logarithms(target)
    within = _within(sizes, np.minimum.accumulate(logs, axis=1), goal)
    return np.where(np.isnan(within), _beyond(sizes, logs, goal), within)


def _within(sizes: np.ndarray, running: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """NaN where the target is not reached; the smallest size where it is reached from the start."""
    reached = running <= goal[:, None]
    after = np.where(reached.any(axis=1), np.maximum(reached.argmax(axis=1), 1), 1)
    each = np.arange(len(running))
    start, end = running[each, after - 1], running[each, after]
    fall = np.where(start > end, start - end, 1.0)
    share = np.where(reached[:, 0], 0.0, np.clip((start - goal) / fall, 0.0, 1.0))
    samples = np.exp(sizes[after - 1] + share * (sizes[after] - sizes[after - 1]))
    return np.where(reached.any(axis=1), samples, np.nan)


def _beyond(sizes: np.ndarray, logs: np.ndarray, goal: np.ndarray) -> np.ndarray:
    last = fitted_sizes(len(sizes))
    x, y = sizes[-last:] - sizes[-last:].mean(), logs[:, -last:]
    slope = (y @ x) / (x @ x)
    falling = slope < -1e-9
    steps = (goal - y.mean(axis=1)) / np.where(falling, slope, -1.0)
    end = np.maximum(sizes[-last:].mean() + steps, sizes[-1])
    top = np.log(LARGEST)
    return np.where(falling & (end <= top), np.exp(np.minimum(end, top)), np.inf)


def fitted_sizes(sizes: int) -> int:
    """How many of the last sizes the power law goes through."""
    return min(sizes, max(3, (sizes + 1) // 2))
