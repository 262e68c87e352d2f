"""How a contestant is measured: get ready, say so, wait for the start, do the work, say how long it took."""

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def perform(work: Callable[[], Result], warm_up: Callable[[], object], repeats: int = 1) -> Result:
    """Warm up (compilation, caches), then work on the clock. Prints seconds for both and the peak memory in MiB.

    Of several repeats the median counts; the last one's result is given back.
    """
    began = time.perf_counter()
    warm_up()
    warm = time.perf_counter() - began
    print("ready", flush=True)
    sys.stdin.readline()
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - began)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    print(json.dumps({"seconds": statistics.median(seconds), "warm_up": warm, "memory": memory}), flush=True)
    return result
