"""kernelgap: the ridge chosen from the whole path, or given."""

import json
import sys

import numpy as np
from inputs import BANDWIDTH, FOLDS, RIDGES, regression
from stage import perform

from kernelgap import KernelRegressor

task = json.loads(sys.argv[1])
X, Y, new = regression(task["samples"])
kernel = f"gaussian(bandwidth={BANDWIDTH!r})"
ridge, selection = task.get("ridge", RIDGES), task.get("selection", "holdout")
model = KernelRegressor(kernel, ridge=ridge, selection=selection, folds=FOLDS, random_state=0)
perform(lambda: model.fit(X, Y), warm_up=lambda: model.fit(X[:100], Y[:100]))
if task["save"]:
    np.savez(task["save"], ridge=model.ridge_, predictions=model.predict(new))
