"""A tiny experiment with five seeds, as references are made of."""

from kernelgap.paper.figures import Experiment, Grid, KernelLines, Scale
from kernelgap.training import Schedule

GRIDS = (Grid("3resnet", "all", (4, 5), (0.01, 0.02), (0.0,)), KernelLines(("ck2",), (0.01, 1.0)))
SCHEDULE = Schedule(epochs=8, batch=10)

kept = Experiment(
    name="kept",
    title="a tiny figure, for tests",
    source="tests",
    problem="hard(d=6, k=2, alpha=0.3)",
    samples=20,
    scales={
        "quick": Scale(GRIDS, 5, "seconds", SCHEDULE, validation_samples=50, test_samples=50),
        "three": Scale(GRIDS[:1], 3, "seconds", SCHEDULE, validation_samples=50, test_samples=50),
    },
)
