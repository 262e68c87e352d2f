"""Tiny runs of every kind. As a program it is the kernelgap command with these added."""

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLAIMS = ("lemma.d2", "lemma.d1", "fact.c4", "complexity.cs", "target.hard")
AUDITED = {"gaussian": "kernel", "ck2": "kernel", "2layer": "network", "ridge": "baseline", "trees": "baseline"}


@dataclass(frozen=True)
class Kind:
    """How a run of a kind is asked for; ``sources`` in an argument stands for the folder of its images or table."""

    name: str
    arguments: tuple[str, ...]

    def command(self, sources: Path, out: Path, *more: str) -> list[str]:
        told = [argument.replace("SOURCES", str(sources)) for argument in self.arguments]
        return [sys.executable, "-m", "fuzz.kinds", *told, "--out", str(out), *more]


KINDS = {
    kind.name: kind
    for kind in (
        Kind("figure", ("run", "tiny")),
        Kind("study", ("run", "map", "--scale", "tiny")),
        Kind("claims", ("claims", *CLAIMS)),
        Kind("images", ("run", "images", "--scale", "tiny", "--data", "SOURCES/tiny.npz")),
        Kind("audit", ("audit", "SOURCES/table.csv", "--target", "y", "--budget", "2h")),
    )
}


def start(command: list[str], **options: object) -> subprocess.Popen[str]:
    """In a process group of its own, so that all of it can be ended."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)}
    told = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    return subprocess.Popen(command, **{**told, "env": environment, **options})  # type: ignore[call-overload]


def write_sources(folder: Path) -> None:
    """The images and the table that the runs are about."""
    import numpy as np

    from kernelgap.images.data import ImageData, Images, write_npz

    rng = np.random.default_rng(0)
    labels = np.arange(110) % 2
    images = rng.integers(0, 150, (110, 8, 8, 1))
    images[labels == 0, :4] += 30
    images[labels == 1, 4:] += 30
    parts = [Images.of(images[s].astype(np.uint8), labels[s], ("upper", "lower")) for s in (slice(60), slice(60, 110))]
    write_npz(ImageData(*parts), folder / "tiny.npz")
    X = rng.normal(size=(120, 3))
    y = 3 * X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=120)
    colours = rng.choice(["red", "green"], 120)
    rows = [",".join((*map(repr, map(float, x)), c, repr(float(t)))) for x, c, t in zip(X, colours, y, strict=True)]
    (folder / "table.csv").write_text("\n".join(["a,b,c,colour,y", *rows]) + "\n")


def add() -> None:
    """Make them known to this process."""
    from kernelgap.audit import plan
    from kernelgap.audit import run as audit_run
    from kernelgap.audit.contenders import registry
    from kernelgap.audit.plan import SearchSize
    from kernelgap.images.experiment.scales import NOMINAL, SCALES, ImageScale, SetSize
    from kernelgap.images.training import ImageSchedule
    from kernelgap.paper.figures import EXPERIMENTS, Experiment, Grid, KernelLines, RidgePaths, Scale, Search
    from kernelgap.paper.studies import STUDIES
    from kernelgap.paper.studies.leap_map import leap_map, map_scale
    from kernelgap.training import Schedule
    from kernelgap.training.search import Space

    grids = (
        Grid("3resnet", "all", (4, 5), (0.01, 0.02), (0.0, 1e-3)),
        Grid("2layer", "hidden", (4, 5), (0.05, 1e4), (1e-3,)),
        Search("3resnet", "hidden", (4, 5), Space(rates=(0.01, 0.1), decays=(1e-3,), seeds=2), also=(6,)),
        RidgePaths("3resnet", "last", (4,), (0.01, 1.0)),
        KernelLines(("ck2", "gaussian(factor=0.5)"), (0.01, 1.0)),
    )
    scale = Scale(grids, 1, "seconds", Schedule(epochs=8, batch=10), validation_samples=50, test_samples=50)
    EXPERIMENTS["tiny"] = Experiment(
        name="tiny",
        title="tiny",
        source="fuzz",
        problem="hard(d=6, k=2, alpha=0.3)",
        samples=20,
        scales={"quick": scale},
    )
    sizes = {"width": 8, "most": 2000, "starts": 2, "tuning": 1}
    STUDIES["map"] = replace(leap_map, scales={"tiny": map_scale(d=6, degrees=2, time="seconds", **sizes)})
    NOMINAL["tiny"] = SetSize((8, 8, 1), 2, 60, 50)
    SCALES["tiny"] = ImageScale(
        expected_time="seconds",
        set="tiny",
        sizes=(20,),
        depth=8,
        width=4,
        stride=2,
        shown=(60,),
        tangent=(0,),
        for_kernels=(40,),
        for_cntk=(20,),
        for_pooled_cntk=(),
        layers=2,
        schedule=ImageSchedule(batch=10, crop=1),
    )
    for module in (registry, audit_run, plan):
        module.FAMILIES = AUDITED  # type: ignore[attr-defined]
    plan.RUNGS = (SearchSize(4, 2, 2),) * 2  # type: ignore[assignment]
    plan.PASSES = 10


if __name__ == "__main__":
    from kernelgap.cli import main

    add()
    main()
