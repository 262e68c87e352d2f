"""The paper's experiments, as data."""

from kernelgap.experiments.experiment import Experiment, Grid, Scale
from kernelgap.experiments.registry import EXPERIMENTS, get
from kernelgap.experiments.run import run

__all__ = ["EXPERIMENTS", "Experiment", "Grid", "Scale", "get", "run"]
