"""The paper's experiments, as data."""

from kernelgap.experiments.certified import certify_run
from kernelgap.experiments.conduct import run
from kernelgap.experiments.experiment import Experiment, Grid, KernelLines, RidgePaths, Scale
from kernelgap.experiments.registry import EXPERIMENTS, get

__all__ = ["EXPERIMENTS", "Experiment", "Grid", "KernelLines", "RidgePaths", "Scale", "certify_run", "get", "run"]
