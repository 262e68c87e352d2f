"""How a contestant is measured: get ready, say so, wait for the start, do the work, say how long it took."""

import json
import sys
import time
from collections.abc import Callable


def perform(work: Callable[[], None]) -> None:
    """Do the work once to warm up (compilation, caches), then once more on the clock."""
    began = time.perf_counter()
    work()
    first = time.perf_counter() - began
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.perf_counter()
    work()
    print(json.dumps({"seconds": time.perf_counter() - began, "first": first}), flush=True)
