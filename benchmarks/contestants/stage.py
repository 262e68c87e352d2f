"""How a contestant is measured: get ready, say so, wait for the start, do the work, say how long it took."""

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")


def perform(work: Callable[[], Result], warm_up: Callable[[], object], repeats: int = 1) -> Result:
    """Warm up (compilation, caches), then work on the clock. Prints seconds for both and the peak memory in MiB.

    Of several repeats the median counts; the last one's result is given back. A float counts what was done: it is
    printed too.
    """
    began = time.perf_counter()
    warm_up()
    warm = time.perf_counter() - began
    print("ready", flush=True)
    sys.stdin.readline()
    seconds, used = [], time.process_time()
    for _ in range(repeats):
        began = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - began)
    record = {"seconds": statistics.median(seconds), "processor": time.process_time() - used, "warm_up": warm}
    done = {"done": result} if isinstance(result, float) else {}
    print(json.dumps(record | done | {"memory": peak_memory()}), flush=True)
    return result


def peak_memory() -> float:
    """In MiB. On Linux not ru_maxrss, which starts at the memory of the process that started this one."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10
