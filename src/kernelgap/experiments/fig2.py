"""Figure 2: three-layer ResNet against fully connected networks, all layers trained (a) or hidden layers only (b).

The paper searches {1, 2, 5} x 10^k; so does scale "paper". Scale "quick" searches where that search ends up, but finer:
the ResNet learns the composite signal best within a fifth of the largest stable rate (about 0.1 with all layers
trained), and there the error changes severalfold between neighbouring rates, decays and seeds.
"""

from kernelgap.experiments.experiment import Experiment, Grid, Scale, one_two_five

ALL_WIDTHS = (20, 50, 100, 200, 500, 1000)
PAPER_WIDTHS = (20, 50, 100, 200, 500, 1000, 2000, 5000)
PAPER_WIDTHS_FULL = (20, 50, 100, 200, 500, 1000, 2000)  # the 3layer network has an m x m matrix

fig2a = Experiment(
    name="fig2a",
    title="All layers trained, N = 500: test error against width",
    source="Figure 2(a)",
    problem="sec8",
    samples=500,
    scales={
        "quick": Scale(
            (
                Grid("3resnet", "all", (20, 50, 100, 200), (0.05, 0.08, 0.09, 0.1), (0.003, 0.004, 0.005, 0.007)),
                Grid("3resnet", "all", (500, 1000), (0.09, 0.095, 0.1), (0.0025, 0.003, 0.0035)),
                Grid("3layer", "all", (20, 50, 100, 200, 500), (0.05, 0.1, 0.12), (0.001, 0.002, 0.005)),
                Grid("2layer", "all", ALL_WIDTHS, (0.05, 0.1, 0.2), (0.01, 0.02, 0.05, 0.1)),
            ),
            seeds=1,
            effort="minutes",
        ),
        "paper": Scale(
            (
                Grid("3resnet", "all", PAPER_WIDTHS, one_two_five(2e-3, 0.5), one_two_five(1e-4, 2e-2)),
                Grid("3layer", "all", PAPER_WIDTHS_FULL, one_two_five(2e-3, 0.5), one_two_five(1e-4, 5e-2)),
                Grid("2layer", "all", PAPER_WIDTHS, one_two_five(2e-3, 0.5), one_two_five(1e-4, 1e-1)),
            ),
            seeds=3,
            effort="days",
        ),
    },
)

fig2b = Experiment(
    name="fig2b",
    title="Hidden layers trained, N = 1000: test error against width",
    source="Figure 2(b)",
    problem="sec8",
    samples=1000,
    scales={
        "quick": Scale(
            (
                Grid("3resnet", "hidden", ALL_WIDTHS, (0.2, 0.5, 1.0), (0.0002, 0.0005, 0.001, 0.002)),
                Grid("3layer", "hidden", (20, 50, 100, 200), (0.2, 0.5), (0.001, 0.005)),
                Grid("2layer", "hidden", ALL_WIDTHS, (0.5, 1.0, 2.0), (0.001, 0.002)),
            ),
            seeds=1,
            effort="minutes",
        ),
        "paper": Scale(
            (
                Grid("3resnet", "hidden", PAPER_WIDTHS, one_two_five(2e-2, 2.0), one_two_five(1e-5, 5e-3)),
                Grid("3layer", "hidden", PAPER_WIDTHS_FULL, one_two_five(2e-2, 2.0), one_two_five(1e-5, 1e-2)),
                Grid("2layer", "hidden", PAPER_WIDTHS, one_two_five(2e-2, 5.0), one_two_five(1e-5, 1e-2)),
            ),
            seeds=3,
            effort="days",
        ),
    },
)
