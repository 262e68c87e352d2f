"""The time and the machine of an audit: its budget, how busy the machine is, how many workers have room."""

import time
from math import inf

from kernelgap.durations import parse_duration
from kernelgap.errors import InputError
from kernelgap.machine import available_memory, cores

LEAST_BUDGET = 10.0  # seconds
MEASURED = 0.1  # seconds of one core that are spent on measuring the slowdown
MOST_SLOWDOWN = 8.0  # beyond it no plan is of any use
WORKER = 600 * 2**20  # bytes of a worker that has JAX and a small table


def seconds_of(budget: str | float) -> float:
    """A budget in seconds."""
    seconds = parse_duration(budget)
    if seconds is None or not LEAST_BUDGET <= seconds < inf:
        least, advice = f"{LEAST_BUDGET:g} seconds", "give seconds, or such as 90s, 5m or 1h30m"
        raise InputError(f"The budget is a length of time of at least {least}, not {budget!r}: {advice}.")
    return seconds


def measured_slowdown() -> float:
    """Elapsed time over processor time of this process: 1 on an idle machine, 3 if three share each core."""
    began, spent = time.perf_counter(), time.process_time()
    until = time.thread_time() + MEASURED
    while time.thread_time() < until:
        sum(range(1000))
    passed, used = time.perf_counter() - began, time.process_time() - spent
    return float(min(MOST_SLOWDOWN, max(1.0, passed / max(used, MEASURED))))


def affordable_workers() -> int:
    """One a core, and no more than the free memory holds."""
    return max(1, min(cores(), available_memory() // WORKER))
