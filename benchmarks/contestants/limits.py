"""One core's limits: multiplications with additions in registers, or passes over an array of ``bytes``."""

import ctypes
import json
import sys
from pathlib import Path

import numpy as np
from stage import perform

from kernelgap import native

task = json.loads(sys.argv[1])
library = native.load(Path(__file__).with_name("limits.cpp"))
if library is None:
    raise SystemExit("The limits are measured by compiled loops: install a C++ compiler.")
FLOATS = ctypes.POINTER(ctypes.c_float)
library.kernelgap_multiply_add.argtypes = [ctypes.c_int64, FLOATS]
library.kernelgap_pass.argtypes = [ctypes.c_int64, FLOATS, ctypes.c_int64]
library.kernelgap_multiply_add.restype = library.kernelgap_pass.restype = ctypes.c_double
data = np.ones(max(64, task.get("bytes", 0) // 4), dtype=np.float32)
pointer = data.ctypes.data_as(FLOATS)


def work() -> float:
    """Operations, or bytes."""
    if "bytes" in task:
        return library.kernelgap_pass(task["repeats"], pointer, data.size)
    return library.kernelgap_multiply_add(task["repeats"], pointer)


perform(work, warm_up=work)
