"""How much of the experiment on images to run: which set, how many images, which networks and kernels."""

from collections.abc import Iterator
from dataclasses import dataclass

from kernelgap.errors import InputError
from kernelgap.experiments.images.trials import AnyImageTrial, FeaturesTrial, KernelTrial, TrainingTrial
from kernelgap.problems.images import ImageData
from kernelgap.training.images import ImageSchedule

FACTORS = (0.125, 0.25, 0.5, 1.0)  # of the median distance: bandwidths
DEPTHS = (2, 3, 5)  # layers of fully connected networks, whose tangent kernels are compared
SHRINK = 4  # for the pooled convolutional kernel, whose cost grows with the square of the number of pixels
FEW = 2000  # test images of kernels whose entries are costly


@dataclass(frozen=True)
class ImageScale:
    """``shown`` is how many times an image is shown to a network, in all, for each of ``sizes``; ``tangent`` the same
    for the linearised network. ``convolved`` are the sizes for the convolutional kernels, without and with pooling.
    """

    effort: str
    set: str
    sizes: tuple[int, ...]
    depth: int
    width: int
    shown: tuple[int, ...]
    tangent: tuple[int, ...]
    convolved: tuple[tuple[int, ...], tuple[int, ...]]
    layers: int
    schedule: ImageSchedule
    most_for_kernels: int = 10_000
    seeds: int = 1

    def trials(self, data: ImageData, images: str, seed: int) -> list[AnyImageTrial]:
        """All, for images of this size and number; those that ask for more images than there are, are left out."""
        found = [trial for s in range(seed, seed + self.seeds) for trial in self._of_seed(data, images, s)]
        possible = [trial for trial in found if trial.samples <= len(data.train)]
        if not possible:
            least = min(self.sizes)
            raise InputError(f"The set has {len(data.train)} images to learn from: this scale needs {least} or more.")
        return possible

    def _of_seed(self, data: ImageData, images: str, seed: int) -> Iterator[AnyImageTrial]:
        common = {
            "images": images,
            "shape": data.shape,
            "classes": len(data.classes),
            "seed": seed,
            "test": len(data.test),
        }
        names = [f"conv-resnet-{self.depth}{gated}" for gated in ("", "-gated")]
        for n, shown, tangent in zip(self.sizes, self.shown, self.tangent, strict=True):
            for name in names:
                schedule = self._schedule(n, shown)
                yield TrainingTrial(network=name, width=self.width, samples=n, schedule=schedule, **common)
            if tangent:
                schedule = self._schedule(n, tangent)
                yield TrainingTrial(
                    network=names[0], width=self.width, mode="ntk", samples=n, schedule=schedule, **common
                )
            yield FeaturesTrial(network=names[0], width=self.width, samples=n, **common)
            if n <= self.most_for_kernels:
                yield from self._kernels(n, common)
        yield from self._convolved(common)

    def _schedule(self, n: int, shown: int) -> ImageSchedule:
        epochs = max(1, round(shown / n))
        return self.schedule.model_copy(update={"epochs": epochs, "batch": min(self.schedule.batch, n)})

    def _kernels(self, n: int, common: dict[str, object]) -> Iterator[AnyImageTrial]:
        height, width, channels = common["shape"]  # type: ignore[misc]
        entry = float(height * width * channels + 100)
        families = {
            "gaussian": [f"gaussian(factor={factor})" for factor in FACTORS],
            "laplace": [f"laplace(factor={factor})" for factor in FACTORS],
            "ntk": [f"ntk{layers}" for layers in DEPTHS],
        }
        for family, texts in families.items():
            yield KernelTrial(family=family, kernels=texts, samples=n, entry=entry, **common)

    def _convolved(self, common: dict[str, object]) -> Iterator[AnyImageTrial]:
        height, width, channels = common["shape"]  # type: ignore[misc]
        common = {**common, "test": min(FEW, int(str(common["test"])))}
        for pooling, sizes in enumerate(self.convolved):
            shrink = SHRINK if pooling else 1
            image = (height // shrink, width // shrink, channels)
            positions = image[0] * image[1]
            text = f"cntk(image={image!r}, depth={self.layers}, pooling={bool(pooling)})"
            family = f"cntk with pooling, {image[0]} x {image[1]}" if pooling else "cntk"
            entry = 100.0 * self.layers * positions ** (2 if pooling else 1)
            for n in sizes:
                yield KernelTrial(
                    family=family, kernels=[text], shrink=shrink, stored=True, samples=n, entry=entry, **common
                )


QUICK = ImageScale(
    effort="minutes",
    set="fashion-mnist",
    sizes=(300, 1000, 3000, 10_000),
    depth=8,
    width=32,
    shown=(40_000, 60_000, 100_000, 160_000),
    tangent=(40_000, 40_000, 60_000, 60_000),
    convolved=((300, 1000), (300, 1000)),
    layers=3,
    schedule=ImageSchedule(batch=32, crop=1),
)
LONG = ImageScale(
    effort="hours",
    set="cifar10",
    sizes=(1000, 5000, 10_000, 50_000),
    depth=8,
    width=64,
    shown=(100_000, 200_000, 300_000, 750_000),
    tangent=(50_000, 100_000, 100_000, 0),
    convolved=((1000, 5000), (1000,)),
    layers=5,
    schedule=ImageSchedule(batch=64, crop=4),
)
PAPER = ImageScale(
    effort="years on 2 cores: the talk's ResNet-32, 8 times as wide, on all of CIFAR-10, 200 epochs, 3 seeds",
    set="cifar10",
    sizes=(1000, 5000, 20_000, 50_000),
    depth=32,
    width=512,
    shown=(400_000, 2_000_000, 4_000_000, 10_000_000),
    tangent=(400_000, 1_000_000, 2_000_000, 5_000_000),
    convolved=((1000, 5000, 20_000), (1000, 5000)),
    layers=5,
    schedule=ImageSchedule(batch=128, crop=4),
    most_for_kernels=50_000,
    seeds=3,
)
SCALES = {"quick": QUICK, "long": LONG, "paper": PAPER}
