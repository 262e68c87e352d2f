"""The experiments by name."""

from kernelgap.errors import unknown
from kernelgap.experiments.experiment import Experiment
from kernelgap.experiments.fig2 import fig2a, fig2b

EXPERIMENTS: dict[str, Experiment] = {e.name: e for e in (fig2a, fig2b)}


def get(name: str) -> Experiment:
    """An experiment by name."""
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]
