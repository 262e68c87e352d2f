"""The experiment on images as a kind of run: read the set, and plan who learns from how many of them."""

from dataclasses import replace
from pathlib import Path

from kernelgap import console
from kernelgap.errors import InputError, unknown
from kernelgap.images.experiment.learners import ImageChunk, read_set, work
from kernelgap.images.experiment.result import ImageStore, conclude_images, read_images_run
from kernelgap.images.experiment.scales import NOMINAL, SCALES, ImageScale, SetSize, seconds
from kernelgap.runs.kind import SHARED_CODE, Kind, Plan
from kernelgap.runs.start import default_folder

NAME = "images"
TITLE = "Accuracy on images against their number: kernels, a convolutional ResNet, and the same with frozen gates"
HOME = Path("runs") / "images"  # where scripts/fetch_images.py is told to put sets


def plan_images(
    name: str, scale: str, seed: int, out: Path | None, data: str | Path | None = None, flips: bool = True
) -> Plan:
    """The trials at a scale, on the images at ``data`` (default: where the script puts the scale's set).

    Networks see images mirrored half of the time; ``flips=False`` is for those that have a left and a right, such as
    digits.
    """
    chosen = get_scale(scale)
    path = _path(data, chosen.set)
    read_set.cache_clear()  # the file may be another since this process read it
    images, digest = read_set(path)
    if not flips:
        chosen = replace(chosen, schedule=chosen.schedule.model_copy(update={"flips": False}))
    trials = chosen.trials(SetSize.of(images), digest, seed)
    folder = out or default_folder(name, scale, seed)
    chunks = [ImageChunk(trial, path, folder.absolute()) for trial in trials]
    chunks.sort(key=lambda chunk: (-chunk.cost, chunk.id))
    asked = {"experiment": name, "scale": scale, "seed": seed}
    sizes = sorted({*chosen.sizes, *chosen.for_kernels})
    beyond = [f"{n:,}" for n in sizes if n > len(images.train)]
    if beyond:
        console.message(f"The set has {len(images.train):,} images to learn from, so {', '.join(beyond)} are left out.")
    return Plan(
        folder=folder,
        description={**asked, "images": digest, "chunks": sorted(chunk.id for chunk in chunks)},
        notes={
            "title": TITLE,
            "set": _name(path),
            "schedule": chosen.schedule.model_dump(),
            "shape": list(images.shape),
            "classes": list(images.classes),
            "train": len(images.train),
            "test": len(images.test),
            "planned": {chunk.id: chunk.label for chunk in chunks},
            "network": {"depth": chosen.depth, "width": chosen.width},
        },
        chunks=chunks,
        title=f"{name} ({scale})",
        estimate=lambda left, workers: seconds([chunk.trial for chunk in left], workers),
    )


def get_scale(scale: str) -> ImageScale:
    if scale not in SCALES:
        raise unknown(f"scale of {NAME}", scale, SCALES)
    return SCALES[scale]


def estimated(scale: str) -> float:
    """The seconds of a scale on this machine when it is idle, with a set of the usual size.

    Parameters
    ----------
    scale
        A name such as "quick".
    """
    chosen = get_scale(scale)
    return seconds(chosen.trials(NOMINAL[chosen.set]))


def _path(data: str | Path | None, name: str) -> Path:
    path = Path(data) if data is not None else HOME / f"{name}.npz"
    if not path.exists():
        fetch = f"python scripts/fetch_images.py {name} --into {HOME}"
        other = "" if data is not None else f", or fetch them with the repository's script: {fetch}"
        what = f"give the path of your images with --data{other}"
        raise InputError(f"There are no images at '{path}': {what}.")
    return path.resolve()


def _name(path: Path) -> str:
    """What to call a set: its NPZ file without the ending, or the folder of its files."""
    if path.is_dir():
        return path.name
    return path.stem if path.suffix.lower() == ".npz" else path.parent.name


KIND = Kind(
    store=ImageStore,
    work=work,
    read=read_images_run,
    conclude=conclude_images,
    page="kernelgap.reports.images.page:write_images_page",
    code=(
        *(*SHARED_CODE, "npz_file.py", "tensor_file.py"),
        *("images", "networks", "training", "kernels", "regression"),
    ),
    plan=plan_images,
)
