"""How long a run on images takes: its multiplications over the speed of this machine's cores, and of a GPU."""

from collections.abc import Iterable

from kernelgap.images.experiment.trials import AnyImageTrial
from kernelgap.machine import cores, speed

SHARE = 0.33  # of a core's speed at products of matrices; measured over a run at the quick scale
GPU = 1e13  # floating-point operations a second that a GPU may sustain; it is sold with 2 to 10 times as many
START = 2.0  # seconds of a trial besides its multiplications


def seconds(trials: Iterable[AnyImageTrial], workers: int | None = None) -> float:
    """On ``workers`` cores of this machine (default all) that have nothing else to do; roughly."""
    work = [START + trial.multiplications / (SHARE * speed()) for trial in trials]
    return max(sum(work) / (workers or cores()), max(work, default=0.0))


def gpu_seconds(multiplications: float) -> float:
    """Two operations each, on a GPU that sustains ``GPU``."""
    return 2 * multiplications / GPU
