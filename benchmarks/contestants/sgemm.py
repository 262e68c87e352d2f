"""The machine's own peak: float32 matrix products by the BLAS that NumPy brings."""

import json
import sys

import numpy as np
from stage import perform

task = json.loads(sys.argv[1])
a, b = (np.random.default_rng(i).random((1024, 1024), dtype=np.float32) for i in (0, 1))


def work() -> None:
    for _ in range(task["repeats"]):
        a @ b


perform(work, warm_up=work)
