"""Figure 3 and the talk's (b): the base signal must be strong enough for the composite one to be learned.

Rates and decays are searched for each beta on seeds of their own, by the search of the experiment at the paper's scale,
and five other seeds are judged: at scale quick for one width, at scale full for all of the experiment's. That nothing
is learned at some beta says as much as the search covers: so at scale quick nothing holds.
"""

from functools import partial

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.figures import (
    Part,
    at_edges,
    best,
    finite,
    how,
    lacking,
    points,
    spread,
    with_infinite,
)
from kernelgap.paper.figures import Search
from kernelgap.paper.figures.fig2 import COARSE
from kernelgap.paper.figures.fig3 import BETAS

QUICK_WIDTHS = (100,)


def quick(mode: str) -> tuple[Part, ...]:
    return (Search("3resnet", mode, QUICK_WIDTHS, COARSE[mode], betas=BETAS),)


QUICK = {"fig3a": quick("all"), "fig3b": quick("hidden"), "slides_b": quick("all")}


def measure(name: str, scale: str, seed: int) -> Numbers:
    return points(name, QUICK[name], scale, seed)


def judge(learned: float, not_learned: float, numbers: Numbers) -> Verdict:
    """With every seed under the threshold from one beta on, at the width with the least validation error; up to another
    beta over it with every seed at every width.

    What is learned where it should not be refutes it. What is not learned says as much as was searched.
    """
    line, every = numbers["threshold"], with_infinite(numbers["rows"])
    betas = sorted({row["beta"] for row in every})
    rows = [best(every, beta=beta) for beta in betas]
    measured = ", ".join(f"{row['beta']:g}: {spread(row)}" for row in rows)
    missing, wrong, open_ = lacking(numbers), set[float](), set[float]()
    for row in rows:
        if row["beta"] >= learned and row["greatest"] >= line:
            (wrong if row["least"] >= line and not missing else open_).add(row["beta"])
    weak = [row for row in every if row["beta"] <= not_learned]
    wrong |= {row["beta"] for row in weak if row["median"] < line}
    open_ |= {row["beta"] for row in weak if row["least"] < line}
    edges = at_edges([row for row in weak if row["learner"] == "network"])
    reason = f"Under the threshold {line:.3g} means that some of G(F) was learned; of the widths m = "
    reason += f"{_listed({row['width'] for row in every})} that with the least mean validation error is shown. "
    reason += how(numbers)
    if wrong:
        return Verdict("fails", measured, f"Not as stated at beta = {_listed(wrong)}. {reason}")
    doubts = [f"seeds on both sides of it, or not as stated, at beta = {_listed(open_)}"] if open_ else []
    doubts += [f"{edge}: one beyond it may be better" for edge in edges]
    doubts += [f"searched less than the figure's own: without {', '.join(missing)}"] if missing else []
    if doubts:
        return Verdict("undecided", measured, f"{'; '.join(doubts)}. {reason}")
    return Verdict("holds", measured, reason)


def _listed(values: set[float]) -> str:
    return ", ".join(f"{value:g}" for value in sorted(values))


def picture(numbers: Numbers) -> Picture:
    rows = sorted(finite(numbers["rows"]), key=lambda row: (row["width"], row["beta"]))
    lines = []
    for width in dict.fromkeys(row["width"] for row in rows):
        these = [row for row in rows if row["width"] == width]
        lines.append(Line.of_points(f"3resnet, m = {width}", these, "beta"))
    return Picture("beta", "test error", lines, (("threshold", numbers["threshold"]),), y_axis="log")


def _claim(name: str, source: str, statement: str, stated: str, learned: float, not_learned: float) -> Claim:
    figure = name.replace(".", "_")
    judged = partial(judge, learned, not_learned)
    return Claim(name, source, statement, stated, partial(measure, figure), judged, picture, seconds=100)


claims = (
    _claim(
        "fig3a",
        "Figure 3(a)",
        "With all layers of the ResNet trained on beta F + 0.3 G(F), the composite signal is learned for beta >= 0.3 "
        "and not for beta <= 0.2: F must be at least as strong as G(F). (The source does not say with how many "
        "samples; here 1000.)",
        "learned for beta >= 0.3; ~1.4 for beta <= 0.2",
        0.3,
        0.2,
    ),
    _claim(
        "fig3b",
        "Figure 3(b)",
        "The same with only hidden layers trained: learned for beta >= 0.5, not for beta <= 0.3.",
        "learned for beta >= 0.5, not for beta <= 0.3",
        0.5,
        0.3,
    ),
    _claim(
        "slides.b",
        "slides, sensitivity test",
        "The talk's target with eight outputs: the composite signal of strength 0.3 is learned where the base signal "
        "is stronger (beta >= 0.5) and not where there is none (beta = 0). The slide's curves are not in its text.",
        "learned for large beta, not for beta = 0",
        0.5,
        0.0,
    ),
)
