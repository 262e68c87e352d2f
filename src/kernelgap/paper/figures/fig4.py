"""Figure 4 (and 1): SGD does not find the solutions of small norm that exist (sec. 8.2).

A parity of 6 coordinates, a two-layer network of which only W is trained. Built solutions stand beside what SGD finds:
``trained`` as the paper builds them, ``vertices`` written down by hand. W starts at N(0, 1/m), as in section 8.1.
"""

from kernelgap.paper.figures.experiment import Built, Experiment, Grid, Scale, one_two_five
from kernelgap.training import Schedule

NETWORK = "2layer-signs"
NORMS = (6e-5, 1e-4, 4e-4)  # decays that lead to the three norms of section 8.2: about 13.8, 12.5 and 9.7 sqrt(d)
PAPER_WIDTHS = (200, 500, 1000, 2000, 5000)
PAPER_RATES, PAPER_DECAYS = one_two_five(1e-3, 10.0), one_two_five(1e-6, 1e-2)


Numbers = tuple[float, ...]


def grids(widths: tuple[int, ...], rates: Numbers, decays: Numbers, *built: int) -> tuple[Grid | Built, ...]:
    """SGD over a grid, and the built solutions at the widths ``built``."""
    solutions = (Built(recipe, built, NORMS) for recipe in ("trained", "vertices"))
    return (Grid(NETWORK, "hidden", widths, rates, decays), *solutions)


fig4a = Experiment(
    name="fig4a",
    title="6-sparse parity, d = 40, N = 5000: Frobenius norm against train and test error",
    source="Figure 4(a), Figure 1",
    problem="parity(d=40, k=6)",
    samples=5000,
    x="norm",
    aliases=("fig1",),
    scales={
        "quick": Scale(
            grids((200, 500, 1000), (0.5, 2.0, 5.0, 10.0), (1e-6, 1e-5, 5e-5, 2e-4), 200, 1000),
            seeds=3,
            effort="minutes: widths to 1000, 200 epochs",
            schedule=Schedule(epochs=200),
        ),
        "paper": Scale(
            grids((*PAPER_WIDTHS, 10_000), PAPER_RATES, PAPER_DECAYS, *PAPER_WIDTHS, 10_000),
            seeds=3,
            effort="weeks: widths to 10,000",
        ),
    },
)

fig4b = Experiment(
    name="fig4b",
    title="6-sparse parity, d = 100, N = 50000: Frobenius norm against train and test error",
    source="Figure 4(b)",
    problem="parity(d=100, k=6)",
    samples=50_000,
    x="norm",
    scales={
        "quick": Scale(
            grids((200, 500), (1.0, 5.0), (1e-6, 1e-5, 1e-4), 200, 1000),
            seeds=3,
            effort="minutes: widths to 500, 30 epochs",
            schedule=Schedule(epochs=30, batch=100),
        ),
        "paper": Scale(
            grids(PAPER_WIDTHS, PAPER_RATES, PAPER_DECAYS, *PAPER_WIDTHS),
            seeds=3,
            effort="months: widths to 5000",
            schedule=Schedule(batch=100),
        ),
    },
)
