"""SGD in its variants; a whole grid of rates and decays trained at once."""

from kernelgap.training.grid import GridResult, Predictor, train_grid
from kernelgap.training.modes import DifferentiableModel, TrainableModel, get_model
from kernelgap.training.schedule import Arrays, Schedule, evaluation_epochs

__all__ = [
    "Arrays",
    "DifferentiableModel",
    "GridResult",
    "Predictor",
    "Schedule",
    "TrainableModel",
    "evaluation_epochs",
]
__all__ += ["get_model", "train_grid"]
