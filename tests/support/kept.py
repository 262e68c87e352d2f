"""A tiny experiment with five seeds, as references are made of."""

from kernelgap.paper.figures import Grid, KernelLines
from support.tiny import on_hard, small

GRIDS = (Grid("3resnet", "all", (4, 5), (0.01, 0.02), (0.0,)), KernelLines(("ck2",), (0.01, 1.0)))
kept = on_hard("kept", quick=small(GRIDS, 5), three=small(GRIDS[:1], 3))
