"""The paper's experiments, as data."""

from kernelgap.paper.figures.certified import ENOUGH, certify_run
from kernelgap.paper.figures.experiment import Built, Experiment, Grid, KernelLines, RidgePaths, Scale, Search
from kernelgap.paper.figures.file import read_experiment
from kernelgap.paper.figures.reference import Reference, ReferenceComparison, compare, read_reference
from kernelgap.paper.figures.registry import EXPERIMENTS, get, register
from kernelgap.paper.figures.result import FigureRun, read_figure
from kernelgap.paper.figures.summary import best_of_methods, summarise, under_threshold

__all__ = ["EXPERIMENTS", "Built", "Experiment", "FigureRun", "Grid", "KernelLines", "Reference", "ReferenceComparison"]
__all__ += [
    "ENOUGH",
    "RidgePaths",
    "Scale",
    "Search",
    "best_of_methods",
    "certify_run",
    "compare",
    "get",
    "read_experiment",
    "read_figure",
]
__all__ += ["read_reference", "register", "summarise", "under_threshold"]
