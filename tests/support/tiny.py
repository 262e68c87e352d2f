"""Small experiments for the tests. Run as a program, it is the kernelgap command with these added."""

from kernelgap.paper.figures import EXPERIMENTS, Experiment, Grid, KernelLines, RidgePaths, Scale, Search
from kernelgap.paper.figures.experiment import AnyGrid
from kernelgap.training import Schedule
from kernelgap.training.search import Space

EXACT = (
    RidgePaths("3resnet", "last", (4, 5), (0.01, 1.0)),
    RidgePaths("2layer", "ntk", (4,), (0.01, 1.0)),
    KernelLines(("ck2", "gaussian(factor=0.5)", "gaussian(factor=2.0)"), (0.01, 1.0)),
)

DESCRIPTION = {
    "problem": "sec8",
    "network": "3resnet",
    "mode": "all",
    "width": 20,
    "samples": 500,
    "rate": 0.1,
    "decay": 1e-3,
    "seed": 0,
}


def experiment(name: str, widths: tuple[int, ...], epochs: int, exact: tuple = ()) -> Experiment:
    grids = (
        Grid("3resnet", "all", widths, (0.01, 0.02), (0.0, 1e-3)),
        Grid("2layer", "hidden", widths, (0.05, 1e4), (1e-3,)),
        *exact,
    )
    return on_hard(name, quick=small(grids, 1, epochs))


def on_hard(name: str, **scales: Scale) -> Experiment:
    about = {"name": name, "title": f"{name}, for tests", "source": "tests", "problem": "hard(d=6, k=2, alpha=0.3)"}
    return Experiment(**about, samples=20, scales=scales)


def small(grids: tuple[AnyGrid, ...], seeds: int, epochs: int = 8) -> Scale:
    return Scale(grids, seeds, "seconds", Schedule(epochs=epochs, batch=10), validation_samples=50, test_samples=50)


tiny = experiment("tiny", (4, 5), epochs=8, exact=EXACT)
long = experiment("long", (4, 5, 6, 300), epochs=40_000)
SPACE = Space(rates=(0.01, 0.1), decays=(1e-3,), seeds=2, least=(1e-3, 1e-4), most=(1.0, 1e-2))
searched = on_hard("searched", quick=small((Search("3resnet", "all", (4, 5), SPACE),), 2))


if __name__ == "__main__":
    from kernelgap.cli import main

    EXPERIMENTS.update(tiny=tiny, long=long, searched=searched)
    main()
