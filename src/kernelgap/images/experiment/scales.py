"""How much of the experiment on images to run (which set, how many images, which learners), and what it costs."""

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernelgap.errors import InputError, validated
from kernelgap.images.data import ImageData
from kernelgap.images.experiment.comparison import ImagePoint
from kernelgap.images.experiment.trials import AnyImageTrial, FeaturesTrial, KernelTrial, TrainingTrial
from kernelgap.images.training import ImageSchedule
from kernelgap.machine import cores, speed

KERNELS = {  # by family; factors are of the median distance, and give bandwidths
    "gaussian": ("gaussian(factor=0.25)", "gaussian(factor=0.5)", "gaussian(factor=1.0)"),
    "laplace": ("laplace(factor=1.0)", "laplace(factor=2.0)", "laplace(factor=4.0)"),
    "ntk": ("ntk2", "ntk3", "ntk(depth=4)"),
}
INPUTS = ("scaled", "unit")
SHRINK = 4  # for the pooled convolutional kernel, whose cost grows with the square of the number of pixels
POSITION = 400.0  # multiplications that one position of a layer is worth, measured
TANGENT_RATE = 0.3  # of the linearised network: best of 0.01 to 0.3 for 1,000 images of Fashion-MNIST, on test images
FEW = 1000  # test images of kernels whose entries are costly
SHARE = 0.33  # of a core's speed at products of matrices; measured over a run at the quick scale
GPU = 1e13  # floating-point operations a second that a GPU may sustain; it is sold with 2 to 10 times as many
START = 2.0  # seconds of a trial besides its multiplications
TALK_EPOCHS = 200  # the usual number on CIFAR-10, which the talk does not say
SCHEDULE = ImageSchedule(batch=32, crop=4)

Fields = dict[str, Any]


class SetSize(NamedTuple):
    """What a plan needs to know of a set of images: their size, how many classes, to learn from and to test on."""

    shape: tuple[int, int, int]
    classes: int
    train: int
    test: int

    @classmethod
    def of(cls, data: ImageData) -> "SetSize":
        return cls(data.shape, len(data.classes), len(data.train), len(data.test))


NOMINAL = {  # of the sets by name, to estimate times before they are read
    "fashion-mnist": SetSize((28, 28, 1), 10, 60_000, 10_000),
    "cifar10": SetSize((32, 32, 3), 10, 50_000, 10_000),
}


@dataclass(frozen=True, kw_only=True)
class ImageScale:
    """How much of the experiment to run.

    Parameters
    ----------
    expected_time
        How long it takes, for the list of experiments.
    set
        The name of the set of images.
    sizes, for_kernels, for_cntk, for_pooled_cntk
        Numbers of training images: for networks, kernels on pixels, convolutional kernels, and these with pooling.
    depth, width, stride
        Of the networks.
    shown, tangent
        How many images are shown in all to a network, for each of ``sizes``; the same for the linearised network, 0 to
        leave it out.
    layers
        Of the convolutional kernels.
    schedule, seeds
        How networks are trained, and how often.
    """

    expected_time: str
    set: str
    sizes: tuple[int, ...] = ()
    depth: int = 8
    width: int = 64
    stride: int = 2
    shown: tuple[int, ...] = ()
    tangent: tuple[int, ...] = ()
    for_kernels: tuple[int, ...] = ()
    for_cntk: tuple[int, ...] = ()
    for_pooled_cntk: tuple[int, ...] = ()
    layers: int = 5
    schedule: ImageSchedule = SCHEDULE
    seeds: int = 1

    def trials(self, size: SetSize, images: str = "", seed: int = 0) -> list[AnyImageTrial]:
        """The trials for images of this size and number, without those that ask for more images than there are."""
        if size.classes < 2 or not size.test:
            given = f"it has {size.classes} and {size.test}"
            raise InputError(f"The set needs two classes or more, and test images: {given}.")
        trials = [trial for s in range(seed, seed + self.seeds) for trial in self._of_seed(size, images, s)]
        possible = [trial for trial in trials if trial.samples <= size.train]
        if not possible:
            least = min(self.sizes + self.for_kernels)
            raise InputError(f"The set has {size.train} images to learn from: this scale needs {least} or more.")
        return possible

    def _of_seed(self, size: SetSize, images: str, seed: int) -> Iterator[AnyImageTrial]:
        common: Fields = {"images": images, "shape": size.shape, "classes": size.classes, "seed": seed}
        common["test"] = size.test
        plain, gated = (f"conv-resnet-{self.depth}{gates}" for gates in ("", "-gated"))
        for n, shown, tangent in zip(self.sizes, self.shown, self.tangent, strict=True):
            sized = {**common, "samples": n, "width": self.width, "stride": self.stride}
            for name in (plain, gated):
                yield validated(TrainingTrial, {**sized, "network": name, "schedule": self._schedule(n, shown)})
            if tangent:
                schedule = self._schedule(n, tangent).model_copy(update={"rate": TANGENT_RATE})
                yield validated(TrainingTrial, {**sized, "network": plain, "mode": "ntk", "schedule": schedule})
            yield validated(FeaturesTrial, {**sized, "network": plain})
        for n in self.for_kernels:
            entry = float(np.prod(size.shape) + 100)
            for family, texts in KERNELS.items():
                own = {"family": family, "kernels": texts, "inputs": INPUTS, "samples": n, "entry": entry}
                yield validated(KernelTrial, {**common, **own})
        for n in self.for_cntk:
            yield self._convolved(common, n, pooling=False)
        for n in self.for_pooled_cntk:
            yield self._convolved(common, n, pooling=True)

    def _schedule(self, n: int, shown: int) -> ImageSchedule:
        epochs = max(1, round(shown / n))
        return self.schedule.model_copy(update={"epochs": epochs, "batch": min(self.schedule.batch, n)})

    def _convolved(self, common: Fields, n: int, *, pooling: bool) -> AnyImageTrial:
        """A trial of a convolutional kernel; for pooling, images that are not small already are shrunk."""
        height, width, channels = common["shape"]
        shrink = SHRINK if pooling and min(height, width) >= 2 * SHRINK else 1
        image = (height // shrink, width // shrink, channels)
        own = {
            "family": f"cntk with pooling, {image[0]} x {image[1]}" if pooling else "cntk",
            "kernels": [f"cntk(image={image!r}, depth={self.layers}, pooling={pooling})"],
            "shrink": shrink,
            "stored": True,
            "samples": n,
            "entry": POSITION * self.layers * (image[0] * image[1]) ** (2 if pooling else 1),
            "test": min(FEW, common["test"]),
        }
        return validated(KernelTrial, {**common, **own})


QUICK = ImageScale(
    expected_time="minutes",
    set="fashion-mnist",
    sizes=(300, 1000, 3000, 10_000),
    shown=(40_000, 80_000, 160_000, 280_000),
    tangent=(40_000, 60_000, 100_000, 100_000),
    for_kernels=(300, 1000, 3000, 10_000),
    for_cntk=(300, 1000),
    for_pooled_cntk=(300,),
    layers=3,
    schedule=ImageSchedule(batch=32, crop=1),
)
LONG = ImageScale(
    expected_time="some hours",
    set="cifar10",
    sizes=(1000, 5000, 50_000),
    width=128,
    shown=(60_000, 150_000, 400_000),
    tangent=(60_000, 100_000, 0),
    for_kernels=(1000, 5000, 10_000, 50_000),
    for_cntk=(1000, 2000),
    for_pooled_cntk=(300,),
)
KERNELS_ALONE = ImageScale(
    expected_time="kernels alone, on all images",
    set="fashion-mnist",
    for_kernels=(10_000, 60_000),
    layers=3,
    schedule=ImageSchedule(),
)
PAPER = ImageScale(
    expected_time="years on 2 cores: ResNet-32, 8 times as wide as usual, 200 epochs on all of CIFAR-10, 3 seeds",
    set="cifar10",
    sizes=(1000, 5000, 20_000, 50_000),
    depth=32,
    width=512,
    stride=1,
    shown=(400_000, 2_000_000, 4_000_000, 10_000_000),
    tangent=(400_000, 1_000_000, 2_000_000, 5_000_000),
    for_kernels=(1000, 5000, 20_000, 50_000),
    for_cntk=(1000, 5000, 20_000),
    for_pooled_cntk=(1000, 5000),
    schedule=ImageSchedule(batch=128, crop=4),
    seeds=3,
)


def gates(width: int, effort: str) -> ImageScale:
    """What frozen gates cost at one width: the ordinary network and its gated twin alone, over three seeds."""
    return ImageScale(
        expected_time=f"{effort}: what frozen gates cost at width {width}, 3 seeds",
        set="cifar10",
        sizes=(5000,),
        width=width,
        shown=(300_000,),
        tangent=(0,),
        seeds=3,
    )


GATES = {64: "a quarter of an hour", 128: "an hour", 256: "some hours"}
SCALES = {
    "quick": QUICK,
    "kernels": KERNELS_ALONE,
    "long": LONG,
    **{f"gates-{width}": gates(width, effort) for width, effort in GATES.items()},
    "paper": PAPER,
}


def seconds(trials: Iterable[AnyImageTrial], workers: int | None = None) -> float:
    """Roughly the seconds on ``workers`` cores of this machine (default all) that have nothing else to do."""
    work = [START + trial.multiplications / (SHARE * speed()) for trial in trials]
    return max(sum(work) / (workers or cores()), max(work, default=0.0))


def gpu_seconds(multiplications: float) -> float:
    """Two operations each, on a GPU that sustains ``GPU``."""
    return 2 * multiplications / GPU


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
    """The costs of the talk's two networks on CIFAR-10, trained for the usual 200 epochs: the talk does not say."""
    shape, classes, train, test = NOMINAL["cifar10"]
    schedule = PAPER.schedule.model_copy(update={"epochs": TALK_EPOCHS})
    common: Fields = {"images": "", "shape": shape, "classes": classes, "samples": train, "seed": 0, "test": test}
    common |= {"width": PAPER.width, "schedule": schedule}
    names = {"ordinary": "", "with frozen gates": "-gated"}
    trials = {
        name: TrainingTrial(network=f"conv-resnet-{PAPER.depth}{gates}", **common) for name, gates in names.items()
    }
    return {name: cost_of(trial.multiplications, pace) for name, trial in trials.items()}
