"""Figure 4 (and 1): SGD does not find the solutions of small norm that exist (sec. 8.2).

A parity of 6 coordinates, a two-layer network of which only W is trained. Built solutions stand beside what SGD finds:
``trained`` as the paper builds them, ``vertices`` written down by hand. W starts at N(0, 1/m), as in section 8.1.
"""

from kernelgap.paper.figures.experiment import Built, Experiment, Grid, Scale, Search
from kernelgap.paper.figures.fig2 import UNSEEN
from kernelgap.training import Schedule
from kernelgap.training.search import Space

NETWORK = "2layer-signs"
NORMS = (6e-5, 1e-4, 4e-4)  # decays that lead to the three norms of section 8.2: about 13.8, 12.5 and 9.7 sqrt(d)
COARSE = Space(rates=(0.05, 0.5, 5.0, 20.0), decays=(1e-6, 1e-5, 1e-4, 1e-3), seeds=2)


Numbers = tuple[float, ...]


def grids(widths: tuple[int, ...], rates: Numbers, decays: Numbers, *built: int) -> tuple[Grid | Built, ...]:
    """SGD over a grid, and the built solutions at the widths ``built``."""
    return (Grid(NETWORK, "hidden", widths, rates, decays), *solutions(*built))


def searched(widths: tuple[int, ...], also: tuple[int, ...]) -> tuple[Search | Built, ...]:
    """SGD at the settings that a search finds, and the built solutions at the same widths."""
    return (Search(NETWORK, "hidden", widths, COARSE, also), *solutions(*widths, *also))


def solutions(*widths: int) -> tuple[Built, ...]:
    return tuple(Built(recipe, widths, NORMS) for recipe in ("trained", "vertices"))


def parity(
    name: str, source: str, d: int, samples: int, scales: dict[str, Scale], aliases: tuple[str, ...] = ()
) -> Experiment:
    """Norms of what learns a parity of 6 of d coordinates."""
    title = f"6-sparse parity, d = {d}, N = {samples}: Frobenius norm against train and test error"
    about = {"name": name, "title": title, "source": source, "problem": f"parity(d={d}, k=6)"}
    return Experiment(**about, samples=samples, x="norm", scales=scales, aliases=aliases)


fig4a = parity(
    "fig4a",
    "Figure 4(a), Figure 1",
    d=40,
    samples=5000,
    aliases=("fig1",),
    scales={
        "quick": Scale(
            grids((200, 500, 1000), (0.5, 2.0, 5.0, 10.0), (1e-6, 1e-5, 5e-5, 2e-4), 200, 1000),
            seeds=3,
            first_seed=UNSEEN,
            expected_time="minutes: widths to 1000, 200 epochs",
            schedule=Schedule(epochs=200),
        ),
        "paper": Scale(
            searched((200, 500, 1000, 2000, 5000), (10_000, 20_000)),
            seeds=5,
            expected_time="two hours: widths to 5000 searched, to 20,000 with what was found",
        ),
        "widest": Scale(
            searched((5000,), (100_000,)),
            seeds=5,
            expected_time="hours: the source's largest width, 100,000, with what is found at 5000",
        ),
    },
)

fig4b = parity(
    "fig4b",
    "Figure 4(b)",
    d=100,
    samples=50_000,
    scales={
        "quick": Scale(
            grids((200, 500), (1.0, 5.0), (1e-6, 1e-5, 1e-4), 200, 1000),
            seeds=3,
            first_seed=UNSEEN,
            expected_time="minutes: widths to 500, 30 epochs",
            schedule=Schedule(epochs=30, batch=100),
        ),
        "paper": Scale(
            searched((200, 500), (1000, 2000)),
            seeds=5,
            expected_time="hours: widths to 500 searched, to 2000 with what was found",
            schedule=Schedule(batch=100),
        ),
    },
)
