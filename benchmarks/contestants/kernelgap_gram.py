"""kernelgap: the Gram matrix of a tangent kernel."""

import json
import sys

import numpy as np
from inputs import points
from stage import perform

from kernelgap import kernels

task = json.loads(sys.argv[1])
X = points(task["samples"], task["d"])
kernel = kernels.get(task["kernel"])
gram = perform(lambda: kernel(X), warm_up=lambda: kernel(X), repeats=task["repeats"])
if task["save"]:
    np.save(task["save"], gram)
