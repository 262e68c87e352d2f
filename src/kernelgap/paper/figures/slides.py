"""The talk's experiments: eight outputs with two different parities among them, N = 1000, over width (a) and beta (b).

The slides do not say which layers were trained: the ResNet is trained both ways in (a), as all are in Figure 2 (b).
"""

from kernelgap.paper.figures.experiment import Experiment, Grid, Scale, one_two_five
from kernelgap.paper.figures.fig2 import LINES, PAPER_WIDTHS, PAPER_WIDTHS_FULL, by_sgd, exact
from kernelgap.paper.figures.fig3 import BETAS

WIDTHS = (20, 50, 100, 200, 500)

slides_a = Experiment(
    name="slides_a",
    title="The talk's target, N = 1000: test error against width",
    source="slides (a)",
    problem="slides",
    samples=1000,
    scales={
        "quick": Scale(
            (
                Grid("3resnet", "hidden", WIDTHS, (0.5, 1.0), (0.0005, 0.001, 0.002)),
                Grid("3resnet", "all", WIDTHS, (0.05, 0.1), (0.003, 0.005, 0.01)),
                Grid("3layer", "hidden", (20, 50, 100), (0.2, 0.5), (0.001, 0.005)),
                Grid("2layer", "hidden", WIDTHS, (0.5, 1.0), (0.001, 0.002)),
                *exact("3resnet", WIDTHS),
                *exact("3layer", (20, 50, 100)),
                *exact("2layer", WIDTHS),
                LINES,
            ),
            seeds=1,
            effort="minutes",
        ),
        "paper": Scale(
            (
                Grid("3resnet", "hidden", PAPER_WIDTHS, one_two_five(2e-2, 2.0), one_two_five(1e-5, 5e-3)),
                Grid("3resnet", "all", PAPER_WIDTHS, one_two_five(2e-3, 0.5), one_two_five(1e-4, 2e-2)),
                Grid("3layer", "hidden", PAPER_WIDTHS_FULL, one_two_five(2e-2, 2.0), one_two_five(1e-5, 1e-2)),
                Grid("2layer", "hidden", PAPER_WIDTHS, one_two_five(2e-2, 5.0), one_two_five(1e-5, 1e-2)),
                *exact("3resnet", PAPER_WIDTHS),
                *exact("3layer", PAPER_WIDTHS_FULL),
                *exact("2layer", PAPER_WIDTHS),
                *by_sgd("3resnet", PAPER_WIDTHS),
                *by_sgd("3layer", PAPER_WIDTHS_FULL),
                *by_sgd("2layer", PAPER_WIDTHS),
                LINES,
            ),
            seeds=3,
            effort="days",
        ),
    },
)

slides_b = Experiment(
    name="slides_b",
    title="The talk's target, all layers trained, N = 1000: test error against beta",
    source="slides (b)",
    problem="slides",
    samples=1000,
    x="beta",
    scales={
        "quick": Scale(
            (Grid("3resnet", "all", (50, 100, 200), (0.05, 0.1), (0.001, 0.002, 0.003, 0.005), BETAS),),
            seeds=1,
            effort="minutes",
        ),
        "paper": Scale(
            (Grid("3resnet", "all", PAPER_WIDTHS, one_two_five(2e-3, 0.5), one_two_five(1e-4, 2e-2), BETAS),),
            seeds=3,
            effort="days",
        ),
    },
)
