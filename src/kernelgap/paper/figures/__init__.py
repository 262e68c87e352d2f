"""The paper's experiments, as data."""

from kernelgap.paper.figures.certified import certify_run
from kernelgap.paper.figures.experiment import Built, Experiment, Grid, KernelLines, RidgePaths, Scale
from kernelgap.paper.figures.file import read_experiment
from kernelgap.paper.figures.registry import EXPERIMENTS, get
from kernelgap.paper.figures.run import run

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
