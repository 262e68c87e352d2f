"""Run the experiment on images: read the set, plan, let everybody learn, and keep what comes of it."""

from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from kernelgap import console
from kernelgap.durations import format_estimate
from kernelgap.errors import InputError, unknown
from kernelgap.images.data import Images
from kernelgap.images.experiment.estimate import seconds
from kernelgap.images.experiment.piece import Piece, read_set, work
from kernelgap.images.experiment.result import ImageRun, read_image_run
from kernelgap.images.experiment.scales import NOMINAL, SCALES, ImageScale, SetSize
from kernelgap.images.experiment.store import ImageLedger
from kernelgap.runs import Progress, run_chunks

NAME = "images"
TITLE = "Accuracy on images against their number: kernels, a convolutional ResNet, and the same with frozen gates"
HOME = Path("runs") / "images"  # where scripts/fetch_images.py is told to put sets


def run_images(
    scale: str = "quick",
    out: str | Path | None = None,
    *,
    data: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    seed: int = 0,
    flips: bool = True,
    on_progress: Callable[[Progress], None] | None = None,
) -> ImageRun:
    """Run the experiment at a scale, on the images at ``data`` (default: where the script puts the scale's set).

    Networks see images mirrored half of the time; ``flips=False`` is for those that have a left and a right, such as
    digits. What is finished is kept in ``out`` (default ``runs/images-SCALE``), a training that is under way with it;
    the same call goes on from there.
    """
    chosen = get_scale(scale)
    path = _found(data, chosen.set)
    read_set.cache_clear()  # the file may be another since this process read it
    images, digest = read_set(path)
    if not flips:
        chosen = replace(chosen, schedule=chosen.schedule.model_copy(update={"flips": False}))
    trials = chosen.trials(SetSize.of(images), digest, seed)
    folder = Path(out) if out is not None else Path("runs") / (f"{NAME}-{scale}" + (f"-seed{seed}" if seed else ""))
    pieces = sorted(
        (Piece(trial, path, folder.absolute()) for trial in trials), key=lambda piece: (-piece.cost, piece.id)
    )
    with ImageLedger.open(folder) as ledger:
        ledger.describe(
            {
                "experiment": NAME,
                "scale": scale,
                "seed": seed,
                "images": digest,
                "kernelgap version": version("kernelgap"),
                "chunks": sorted(piece.id for piece in pieces),
            }
        )
        ledger.note(
            {
                "title": TITLE,
                "set": _name(path),
                "schedule": chosen.schedule.model_dump(),
                "shape": list(images.shape),
                "classes": list(images.classes),
                "train": len(images.train),
                "test": len(images.test),
                "planned": {piece.id: piece.label for piece in pieces},
                "network": {"depth": chosen.depth, "width": chosen.width},
            }
        )
        _tell_what_is_left_out(chosen, images.train)
        done = ledger.finished()
        left = [piece.trial for piece in pieces if piece.id not in done]
        if left and on_progress is None and cluster is None:
            estimate = format_estimate(seconds(left, workers))
            console.message(f"{NAME} ({scale}): about {estimate} on this machine when it is idle.")
        with console.progress(f"{NAME} ({scale})") as show:
            heard = on_progress or (lambda p: show(p.share, str(p)))
            failures = run_chunks(pieces, ledger, do=work, workers=workers, cluster=cluster, on_progress=heard)
    if len(failures) == len(pieces):
        raise InputError(f"All {len(pieces)} chunks failed; the first with: {failures[0].error}")
    return read_image_run(folder)


def _tell_what_is_left_out(scale: ImageScale, train: Images) -> None:
    beyond = [f"{n:,}" for n in scale.sizes if n > len(train)]
    if beyond:
        console.message(f"The set has {len(train):,} images to learn from, so {', '.join(beyond)} are left out.")


def get_scale(scale: str) -> ImageScale:
    if scale not in SCALES:
        raise unknown(f"scale of {NAME}", scale, SCALES)
    return SCALES[scale]


def estimated(scale: str) -> float:
    """Seconds on this machine when it is idle, with a set of the usual size."""
    chosen = get_scale(scale)
    return seconds(chosen.trials(NOMINAL[chosen.set]))


def _found(data: str | Path | None, name: str) -> Path:
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
