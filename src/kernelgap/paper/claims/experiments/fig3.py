"""Figure 3 and the talk's (b): the base signal must be strong enough for the composite one to be learned."""

from functools import partial

from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict, holds_if
from kernelgap.paper.claims.figures import Part, picked
from kernelgap.paper.figures import Grid
from kernelgap.paper.figures.fig3 import BETAS

PARTS: dict[str, tuple[Part, ...]] = {
    "fig3a": (
        Grid("3resnet", "all", (200,), (0.1, 0.12), (0.001,), BETAS),
        Grid("3resnet", "all", (100,), (0.05,), (0.1,), (0.0, 0.2)),
    ),
    "fig3b": (
        Grid("3resnet", "hidden", (200,), (0.5, 0.7), (0.001,), BETAS),
        Grid("3resnet", "hidden", (100,), (0.5,), (0.02,), (0.0, 0.2)),
    ),
    "slides_b": (Grid("3resnet", "all", (200,), (0.1,), (0.001, 0.002), BETAS),),
}


def measure(name: str, scale: str, seed: int) -> Numbers:
    return picked(name, PARTS[name], ("beta",), scale, seed)


def judge(learned: float, not_learned: float, numbers: Numbers) -> Verdict:
    """Under the threshold from one beta on, not under it up to another."""
    line = numbers["threshold"]
    errors = {row["beta"]: row["test_error"] for row in numbers["rows"]}
    measured = ", ".join(f"{beta:g}: {error:.3g}" for beta, error in sorted(errors.items()))
    wrong = [beta for beta, error in errors.items() if beta >= learned and error >= line]
    wrong += [beta for beta, error in errors.items() if beta <= not_learned and error < line]
    reason = f"Under the threshold {line:.3g} means that some of G(F) was learned. Chosen on validation."
    if wrong:
        reason = f"Not as stated at beta = {', '.join(f'{beta:g}' for beta in sorted(wrong))}. {reason}"
    return holds_if(not wrong, measured, reason)


def picture(numbers: Numbers) -> Picture:
    line = Line.of_rows("3resnet", sorted(numbers["rows"], key=lambda row: row["beta"]), "beta", "test_error")
    return Picture("beta", "test error", (line,), (("threshold", numbers["threshold"]),), y_axis="log")


claims = (
    Claim(
        "fig3a",
        "Figure 3(a)",
        "With all layers of the ResNet trained on beta F + 0.3 G(F), the composite signal is learned for beta >= 0.3 "
        "and not for beta <= 0.2: F must be at least as strong as G(F). (The source does not say with how many "
        "samples; here 1000.)",
        "learned for beta >= 0.3; ~1.4 for beta <= 0.2",
        partial(measure, "fig3a"),
        partial(judge, 0.3, 0.2),
        picture,
        seconds=25,
    ),
    Claim(
        "fig3b",
        "Figure 3(b)",
        "The same with only hidden layers trained: learned for beta >= 0.5, not for beta <= 0.3.",
        "learned for beta >= 0.5, not for beta <= 0.3",
        partial(measure, "fig3b"),
        partial(judge, 0.5, 0.3),
        picture,
        seconds=25,
    ),
    Claim(
        "slides.b",
        "slides, sensitivity test",
        "The talk's target with eight outputs: the composite signal of strength 0.3 is learned where the base signal "
        "is stronger (beta >= 0.5) and not where there is none (beta = 0). The slide's curves are not in its text.",
        "learned for large beta, not for beta = 0",
        partial(measure, "slides_b"),
        partial(judge, 0.5, 0.0),
        picture,
        seconds=25,
    ),
)
