"""Where a learning curve gets down to an error: within what was measured, or along a power law beyond it."""

import numpy as np
from jaxtyping import Float

from kernelgap.audit.statistics.comparison import LARGEST, logarithms


def reach(
    samples: tuple[int, ...], errors: Float[np.ndarray, "curves sizes"], target: Float[np.ndarray, " curves"]
) -> Float[np.ndarray, " curves"]:
    """The number of samples at which each curve is down at its target; infinite where it never is, or after 10^12.

    Between two sizes the running minimum is a line in log N - log error. Beyond the last one the power law
    error = c N^-b holds that fits the last sizes (the later half, at least 3) best in logarithms.
    """
    sizes = np.log(samples)
    logs, goal = logarithms(errors), logarithms(target)
    within = _within(sizes, np.minimum.accumulate(logs, axis=1), goal)
    return np.where(np.isnan(within), _beyond(sizes, logs, goal), within)


def _within(sizes: np.ndarray, running: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """NaN where the target is not reached; the smallest size where it is reached from the start."""
    there = running <= goal[:, None]
    after = np.where(there.any(axis=1), np.maximum(there.argmax(axis=1), 1), 1)
    each = np.arange(len(running))
    start, end = running[each, after - 1], running[each, after]
    fall = np.where(start > end, start - end, 1.0)
    share = np.where(there[:, 0], 0.0, np.clip((start - goal) / fall, 0.0, 1.0))
    found = np.exp(sizes[after - 1] + share * (sizes[after] - sizes[after - 1]))
    return np.where(there.any(axis=1), found, np.nan)


def _beyond(sizes: np.ndarray, logs: np.ndarray, goal: np.ndarray) -> np.ndarray:
    last = fitted_sizes(len(sizes))
    x, y = sizes[-last:] - sizes[-last:].mean(), logs[:, -last:]
    slope = (y @ x) / (x @ x)
    falling = slope < -1e-9
    steps = (goal - y.mean(axis=1)) / np.where(falling, slope, -1.0)
    found = np.maximum(sizes[-last:].mean() + steps, sizes[-1])
    top = np.log(LARGEST)
    return np.where(falling & (found <= top), np.exp(np.minimum(found, top)), np.inf)


def fitted_sizes(sizes: int) -> int:
    """How many of the last sizes the power law goes through."""
    return min(sizes, max(3, (sizes + 1) // 2))
