"""The paper's values, read off its figures: approximate, for the eye."""

import math
from dataclasses import dataclass
from typing import Literal

from kernelgap.paper.figures.picks import BUILT, NETWORKS, OF_NETWORKS

LABEL = "paper, read off the figure"
READING = 1.5  # a value read off a figure with a logarithmic axis is right to this factor


@dataclass(frozen=True)
class PaperValue:
    """About this error, of this method, from ``start`` to ``stop`` on the horizontal axis (None: to its end).

    Without a method it is about the best of a group of methods, which ``text`` names; ``relation`` says whether all of
    them are about there, above or below.
    """

    text: str
    error: float
    method: str | None = None
    start: float | None = None
    stop: float | None = None
    group: str | None = None
    relation: Literal["about", "above", "at most"] = "about"


def beside(error: float, median: float, least: float, greatest: float) -> Literal["about", "above", "below"]:
    """Where a point lies beside an error that was read off a figure.

    It is about there if its range over seeds contains the error, or its median is the error up to ``READING``.
    """
    if least <= error <= greatest or error / READING <= median <= error * READING:
        return "about"
    return "above" if median > error else "below"


def _built(d: int) -> tuple[PaperValue, ...]:
    """Section 8.2's weights made by hand: Frobenius norms over the square root of d, and their errors at most."""
    root = math.sqrt(d)
    return tuple(
        PaperValue(
            f"made by hand, norm {norm:g} sqrt(d): at most {error:g}",
            error,
            None,
            norm * root,
            norm * root,
            BUILT,
            "at most",
        )
        for norm, error in ((9.7, 0.12), (12.5, 0.037), (13.8, 0.011))
    )


LINE = 1.35  # k alpha^2 of section 8.1: what knowing F alone leaves

VALUES: dict[str, tuple[PaperValue, ...]] = {
    "fig2a": (
        PaperValue("about 0.02 at widths 100 to 200", 0.02, "3resnet(all)", 100, 200),
        PaperValue("about 0.01 at width 500", 0.01, "3resnet(all)", 500, 500),
        PaperValue("about 1.9", 1.9, "3layer(all)", 100, 500),
        PaperValue("about 1.9", 1.9, "2layer(all)", 100, 1000),
        PaperValue("all kernel methods (last, NTK) are above 5", 5.0, group=OF_NETWORKS, relation="above"),
    ),
    "fig2b": (
        PaperValue("about 0.3 at width 100", 0.3, "3resnet(hidden)", 100, 100),
        PaperValue("about 0.07 from width 1000 on", 0.07, "3resnet(hidden)", 1000, None),
        PaperValue("about 1.5", 1.5, "3layer(hidden)", 100, 1000),
        PaperValue("about 1.8", 1.8, "2layer(hidden)", 100, 1000),
        PaperValue("all kernel methods are above 2.4", 2.4, group=OF_NETWORKS, relation="above"),
    ),
    "fig3a": (
        PaperValue("fails, at about 1.4, for beta up to 0.2", 1.4, "3resnet(all)", None, 0.2),
        PaperValue("learns, under 1.35, for beta of at least 0.3", LINE, "3resnet(all)", 0.3, None, None, "at most"),
    ),
    "fig3b": (
        PaperValue("fails, above 1.35, for beta up to 0.3", LINE, "3resnet(hidden)", None, 0.3, None, "above"),
        PaperValue("learns, under 1.35, for beta of at least 0.5", LINE, "3resnet(hidden)", 0.5, None, None, "at most"),
    ),
    "fig4a": (PaperValue("the best of the whole SGD search", 0.69, group=NETWORKS), *_built(40)),
    "fig4b": (PaperValue("the best of the whole SGD search", 0.98, group=NETWORKS), *_built(100)),
}
VALUES["fig1"] = VALUES["fig4a"]

REMARKS: dict[str, str] = {
    "fig3a": "In the paper the ResNet with all layers trained learns for beta of at least 0.3, and fails up to 0.2.",
    "fig3b": "In the paper the ResNet with hidden layers trained learns for beta of at least 0.5, and fails up to 0.3.",
    "slides_a": "The slide shows curves over the width; its text gives no numbers of them.",
    "slides_b": "The slide shows a sensitivity test on alpha = 0.3; its text gives no numbers of it.",
    "fig4a": "In the paper SGD finds no solution of small norm: its test error stays at 0.69 or above.",
    "fig4b": "In the paper SGD finds no solution of small norm: its test error stays at 0.98 or above.",
}
