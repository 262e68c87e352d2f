"""The paper's experiments, as data."""

from kernelgap.paper.figures.certified import certify_run
from kernelgap.paper.figures.experiment import Built, Experiment, Grid, KernelLines, RidgePaths, Scale, Search
from kernelgap.paper.figures.file import read_experiment
from kernelgap.paper.figures.registry import EXPERIMENTS, get, register
from kernelgap.paper.figures.result import FigureRun, read_figure
from kernelgap.paper.figures.summary import best_of_methods, summarise, under_threshold

__all__ = ["EXPERIMENTS", "Built", "Experiment", "FigureRun", "Grid", "KernelLines", "RidgePaths", "Scale", "Search"]
__all__ += ["best_of_methods", "certify_run", "get", "read_experiment", "read_figure", "register", "summarise"]
__all__ += ["under_threshold"]
