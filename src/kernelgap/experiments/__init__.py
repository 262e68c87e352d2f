"""The paper's experiments, as data."""

from kernelgap.experiments.certified import certify_run
from kernelgap.experiments.conduct import run
from kernelgap.experiments.experiment import Built, Experiment, Grid, KernelLines, RidgePaths, Scale
from kernelgap.experiments.file import read_experiment
from kernelgap.experiments.registry import EXPERIMENTS, get

__all__ = [
    "EXPERIMENTS",
    "Built",
    "Experiment",
    "Grid",
    "KernelLines",
    "RidgePaths",
    "Scale",
    "certify_run",
    "get",
    "read_experiment",
    "run",
]
