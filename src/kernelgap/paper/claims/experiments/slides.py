"""slides, N = 1000 over m

The talk's target with eight outputs and two different parities among them: with 1000 samples the three-layer ResNet
gets under 8 alpha^2 = 0.72, and neither two-layer networks nor kernels do. (The slide's curves are not in its text.)"""

from kernelgap.paper.claims.claim import Claim, Numbers, Verdict, from_docstring, holds_if
from kernelgap.paper.claims.experiments.fig2 import LINES, RIDGES, picture
from kernelgap.paper.claims.figures import Part, fit, least, picked, threshold
from kernelgap.paper.figures import Grid, RidgePaths

PARTS: tuple[Part, ...] = (
    Grid("3resnet", "all", (50, 100), (0.05, 0.1), (0.003, 0.005)),
    Grid("3resnet", "hidden", (100,), (0.5, 1.0), (0.001,)),
    Grid("2layer", "hidden", (200,), (0.5,), (0.001, 0.002)),
    *(RidgePaths(network, "last", (200,), RIDGES) for network in ("3resnet", "2layer")),
    RidgePaths("2layer", "ntk", (100,), (0.01, 0.1, 1.0)),
    LINES,
)


def measure(scale: str, seed: int) -> Numbers:
    return {"threshold": threshold("slides_a"), "rows": picked(fit("slides_a", PARTS, scale, seed))}


def judge(numbers: Numbers) -> Verdict:
    rows, line = numbers["rows"], numbers["threshold"]
    resnet = least(rows, network="3resnet", kind="sgd")
    other = least([row for row in rows if not (row["network"] == "3resnet" and row["kind"] == "sgd")])
    measured = (
        f"3resnet {resnet['test_error']:.3g} (m = {resnet['width']}); next {other['method']} {other['test_error']:.3g}"
    )
    reason = f"The threshold is {line:.3g}. Chosen on validation."
    return holds_if(resnet["test_error"] < line <= other["test_error"], measured, reason)


claim = Claim(
    "slides.a", *from_docstring(__doc__), "only the ResNet is under 0.72", measure, judge, picture, seconds=25
)
