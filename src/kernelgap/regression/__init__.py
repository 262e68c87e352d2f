"""Ridge paths, and linear regression over features."""

from kernelgap.regression.adaptive import Round, adaptive_rounds
from kernelgap.regression.features import FeaturePath, feature_path, lasso_path
from kernelgap.regression.iterative import (
    Convergence,
    IterativePath,
    IterativeSolver,
    NotConvergedWarning,
    RecomputedWarning,
    iterative_memory,
)
from kernelgap.regression.nystroem import (
    Nystroem,
    NystroemPath,
    choose_nystroem,
    most_landmarks,
    nystroem_features,
    nystroem_path,
)
from kernelgap.regression.products import Solutions, ridge_path_by_products
from kernelgap.regression.ridge import RidgePath, default_ridges, ridge_path
from kernelgap.regression.selection import SELECTIONS, ChosenRidge, RidgeErrors, at_edge, choose_ridge, judge_ridges
from kernelgap.regression.single import Solution, solve_ridge, solve_with_spectrum
from kernelgap.regression.spectrum import ConditionWarning, NotPositiveWarning, Spectrum
from kernelgap.regression.tiles import KernelGram, MatrixGram

__all__ = [
    "SELECTIONS", "ChosenRidge", "ConditionWarning", "Convergence", "FeaturePath", "IterativePath", "IterativeSolver",
    "KernelGram", "MatrixGram", "NotConvergedWarning", "NotPositiveWarning", "Nystroem", "NystroemPath",
    "RecomputedWarning", "RidgeErrors", "RidgePath", "Round", "Solution", "Solutions", "Spectrum", "adaptive_rounds",
    "at_edge", "choose_nystroem", "choose_ridge", "default_ridges", "feature_path", "iterative_memory", "judge_ridges",
    "lasso_path", "most_landmarks", "nystroem_features", "nystroem_path", "ridge_path", "ridge_path_by_products",
    "solve_ridge", "solve_with_spectrum",
]  # fmt: skip
