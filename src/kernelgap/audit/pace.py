"""How fast this machine is at the moment: processes that wait for a core take longer than planned."""

import time

from kernelgap.machine import available_memory, cores

LOOK = 0.1  # seconds of one core
MOST = 8.0  # a pace beyond which no plan is of any use
WORKER = 600 * 2**20  # bytes of a worker that has JAX and a small table


def measured_pace() -> float:
    """How many times longer than its own time a process takes: 1 on an idle machine, 3 if three share each core."""
    began, spent = time.perf_counter(), time.process_time()
    until = time.thread_time() + LOOK
    while time.thread_time() < until:
        sum(range(1000))
    passed, used = time.perf_counter() - began, time.process_time() - spent
    return float(min(MOST, max(1.0, passed / max(used, LOOK))))


def affordable_workers() -> int:
    """One a core, and no more than the free memory holds."""
    return max(1, min(cores(), available_memory() // WORKER))
