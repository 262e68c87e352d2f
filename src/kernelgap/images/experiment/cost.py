"""What a run on images takes, and what the talk's would: operations, the time of a GPU, and of a core."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from kernelgap.images.experiment.comparison import ImagePoint
from kernelgap.images.experiment.scales import PAPER
from kernelgap.images.experiment.trials import AnyImageTrial, TrainingTrial
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


TALK_SHAPE, TALK_CLASSES, TALK_IMAGES, TALK_TEST, TALK_EPOCHS = (32, 32, 3), 10, 50_000, 10_000, 200  # CIFAR-10


@dataclass(frozen=True)
class Cost:
    """``flops`` are two for each multiplication, ``gpu_seconds`` at ``GPU`` of them a second, ``core_seconds`` at the
    pace of a run's own trainings, None where there were none. Calculations, not measurements.
    """

    flops: float
    gpu_seconds: float
    core_seconds: float | None


def cost_of(multiplications: float, pace: float | None = None) -> Cost:
    core = None if pace is None else multiplications / pace
    return Cost(2 * multiplications, gpu_seconds(multiplications), core)


def pace_of(points: list[ImagePoint]) -> float | None:
    """Multiplications a second of a worker that trains, in the middle of a run's trainings."""
    trained = (p for p in points if p.shown and p.accuracy is not None and p.seconds > 0)
    paces = [p.multiplications / p.seconds for p in trained]
    return statistics.median(paces) if paces else None


def talk_costs(pace: float | None = None) -> dict[str, Cost]:
    """Of the talk's two networks on CIFAR-10, trained for the usual 200 epochs, which the talk does not say."""
    costs = {}
    for name, gates in (("ordinary", ""), ("with frozen gates", "-gated")):
        trial = TrainingTrial(
            images="",
            shape=TALK_SHAPE,
            classes=TALK_CLASSES,
            samples=TALK_IMAGES,
            seed=0,
            test=TALK_TEST,
            network=f"conv-resnet-{PAPER.depth}{gates}",
            width=PAPER.width,
            schedule=PAPER.schedule.model_copy(update={"epochs": TALK_EPOCHS}),
        )
        costs[name] = cost_of(trial.multiplications, pace)
    return costs
