"""How a contestant is measured: get ready, say so, wait for the start, do the work, say how long it took."""

import json
import sys
import time
from collections.abc import Callable


def perform(work: Callable[[], None], warm_up: Callable[[], None]) -> None:
    """Warm up (compilation, caches), then work on the clock. Prints seconds for both."""
    began = time.perf_counter()
    warm_up()
    warm = time.perf_counter() - began
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.perf_counter()
    work()
    print(json.dumps({"seconds": time.perf_counter() - began, "warm_up": warm}), flush=True)
