"""Figure 2: three-layer ResNet, all layers trained (a) or hidden layers only (b), against other networks and kernels.

The paper searches {1, 2, 5} x 10^k; so does scale "paper". Scale "quick" searches where that search ends up, but finer:
the ResNet learns the composite signal best within a fifth of the largest stable rate (about 0.1 with all layers
trained), and there the error changes severalfold between neighbouring rates, decays and seeds.

The kernel methods are solved exactly, over a path of ridges: the conjugate kernel (last) and the tangent kernel (NTK)
of each network at each width, their limits of infinite width, and the classical kernels over a grid of bandwidths. At
scale "paper" (last) and (NTK) are trained by SGD too, as the paper did.
"""

from kernelgap.paper.figures.experiment import Experiment, Grid, KernelLines, RidgePaths, Scale, one_two_five

ALL_WIDTHS = (20, 50, 100, 200, 500, 1000)
PAPER_WIDTHS = (20, 50, 100, 200, 500, 1000, 2000, 5000)
PAPER_WIDTHS_FULL = (20, 50, 100, 200, 500, 1000, 2000)  # the 3layer network has an m x m matrix

RIDGES = one_two_five(1e-8, 10.0)  # relative to the mean of K(x,x)
TANGENT_RIDGES = one_two_five(1e-3, 10.0)  # smaller ones change little, and take many more products

# The limits of the networks with section 8.1's start have both biases; without them some come out a little better.
LIMITS = tuple(
    f"{name}{biases}"
    for name, both in {"ck2": False, "ck3": True, "ck3res": True, "ntk2": False, "ntk3": True, "ntk3res": True}.items()
    for biases in ("", "(bias=True, hidden_bias=True)" if both else "(bias=True)")
)
CLASSICAL = (
    *(f"{name}(factor={factor})" for name in ("gaussian", "laplace") for factor in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)),
    *(f"recursive(bias={bias}, depth={depth})" for bias in (False, True) for depth in (1, 2, 3)),
    "arcsin",
    "arcsin(bias=True)",
)
LINES = KernelLines((*LIMITS, *CLASSICAL), RIDGES)


def exact(network: str, widths: tuple[int, ...]) -> tuple[RidgePaths, RidgePaths]:
    """(last) and (NTK) of a network by ridge regression."""
    return RidgePaths(network, "last", widths, RIDGES), RidgePaths(network, "ntk", widths, TANGENT_RIDGES)


def by_sgd(network: str, widths: tuple[int, ...]) -> tuple[Grid, Grid]:
    """(last) and (NTK) of a network as the paper trained them. Both are stable up to rates of about 0.1."""
    rates, decays = one_two_five(1e-3, 0.2), one_two_five(1e-4, 0.1)
    return Grid(network, "last", widths, rates, decays), Grid(network, "ntk", widths, rates, decays)


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
                *exact("3resnet", ALL_WIDTHS),
                *exact("3layer", (20, 50, 100, 200, 500)),
                *exact("2layer", ALL_WIDTHS),
                LINES,
            ),
            seeds=1,
            effort="minutes",
        ),
        "paper": Scale(
            (
                Grid("3resnet", "all", PAPER_WIDTHS, one_two_five(2e-3, 0.5), one_two_five(1e-4, 2e-2)),
                Grid("3layer", "all", PAPER_WIDTHS_FULL, one_two_five(2e-3, 0.5), one_two_five(1e-4, 5e-2)),
                Grid("2layer", "all", PAPER_WIDTHS, one_two_five(2e-3, 0.5), one_two_five(1e-4, 1e-1)),
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
                *exact("3resnet", ALL_WIDTHS),
                *exact("3layer", (20, 50, 100, 200)),
                *exact("2layer", ALL_WIDTHS),
                LINES,
            ),
            seeds=1,
            effort="minutes",
        ),
        "paper": Scale(
            (
                Grid("3resnet", "hidden", PAPER_WIDTHS, one_two_five(2e-2, 2.0), one_two_five(1e-5, 5e-3)),
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
