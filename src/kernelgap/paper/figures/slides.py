"""The talk's experiments: eight outputs with two different parities among them, N = 1000, over width (a) and beta (b).

The slides do not say which layers were trained: the ResNet is trained both ways in (a), as all are in Figure 2 (b).
"""

from kernelgap.paper.figures.experiment import Grid
from kernelgap.paper.figures.fig2 import of_two_scales
from kernelgap.paper.figures.fig3 import BETAS

WIDTHS = (20, 50, 100, 200, 500)

slides_a = of_two_scales(
    "slides_a",
    "slides (a)",
    "The talk's target",
    Grid("3resnet", "hidden", WIDTHS, (0.5, 1.0), (0.0005, 0.001, 0.002)),
    Grid("3resnet", "all", WIDTHS, (0.05, 0.1), (0.003, 0.005, 0.01)),
    Grid("3layer", "hidden", (20, 50, 100), (0.2, 0.5), (0.001, 0.005)),
    Grid("2layer", "hidden", WIDTHS, (0.5, 1.0), (0.001, 0.002)),
    samples=1000,
    problem="slides",
)
slides_b = of_two_scales(
    "slides_b",
    "slides (b)",
    "The talk's target, all layers trained",
    Grid("3resnet", "all", (50, 100, 200), (0.05, 0.1), (0.001, 0.002, 0.003, 0.005), BETAS),
    samples=1000,
    problem="slides",
    betas=BETAS,
)
