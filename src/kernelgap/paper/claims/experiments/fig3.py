"""Figure 3 and the talk's (b): the base signal must be strong enough for the composite one to be learned.

Rates and decays are searched for each beta on seeds of their own, by the search of the experiment at the paper's scale,
and five other seeds are judged: at scale quick for one width, at scale full for all of the experiment's.
"""

from functools import partial

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.figures import Parts, best, points, spread
from kernelgap.paper.figures import Search
from kernelgap.paper.figures.fig2 import BETA_WIDTHS, COARSE
from kernelgap.paper.figures.fig3 import BETAS

QUICK_WIDTHS = (100,)


def parts(mode: str) -> Parts:
    return {
        scale: (Search("3resnet", mode, widths, COARSE[mode], betas=BETAS),)
        for scale, widths in {"quick": QUICK_WIDTHS, "full": BETA_WIDTHS}.items()
    }


PARTS = {"fig3a": parts("all"), "fig3b": parts("hidden"), "slides_b": parts("all")}


def measure(name: str, scale: str, seed: int) -> Numbers:
    return points(name, PARTS[name], scale, seed)


def judge(learned: float, not_learned: float, numbers: Numbers) -> Verdict:
    """With every seed under the threshold from one beta on, not under it up to another; the best width of each."""
    line = numbers["threshold"]
    rows = [best(numbers["rows"], beta=beta) for beta in sorted({row["beta"] for row in numbers["rows"]})]
    measured = ", ".join(f"{row['beta']:g}: {spread(row)}" for row in rows)
    wrong: list[float] = []
    open_: list[float] = []
    for row in rows:
        if not not_learned < row["beta"] < learned:
            over = row["median"] >= line
            (wrong if over == (row["beta"] >= learned) else []).append(row["beta"])
            (open_ if row["least"] < line <= row["greatest"] else []).append(row["beta"])
    reason = f"Under the threshold {line:.3g} means that some of G(F) was learned. {rows[0]['seeds']} seeds, settings "
    reason += f"searched for each beta on others by validation error ({numbers['scale']})."
    if wrong:
        return Verdict("fails", measured, f"Not as stated at beta = {_listed(wrong)}. {reason}")
    if open_:
        return Verdict("undecided", measured, f"Seeds differ at beta = {_listed(open_)}. {reason}")
    return Verdict("holds", measured, reason)


def _listed(betas: list[float]) -> str:
    return ", ".join(f"{beta:g}" for beta in sorted(betas))


def picture(numbers: Numbers) -> Picture:
    rows = sorted(numbers["rows"], key=lambda row: (row["width"], row["beta"]))
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
