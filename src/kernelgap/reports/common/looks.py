"""How each method is drawn: colour, dash and shape, so that no two are told apart by colour alone.

The colour says the network (a kernel has that of the network whose limit it is), dash and shape say what is trained.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

NETWORK_COLOURS = {
    "3resnet": "#d9540b",
    "3layer": "#2b83c6",
    "2layer": "#0d9a6c",
    "3resnet-full": "#c2559b",
    "2layer-signs": "#8a7a1f",
    "resnet-2": "#8f2d1f",
    "resnet-4": "#5b4bb0",
}
LIMITS = {
    **dict.fromkeys(("ck2", "ntk2"), "2layer"),
    **dict.fromkeys(("ck3", "ntk3"), "3layer"),
    **dict.fromkeys(("ck3res", "ntk3res"), "3resnet"),
}
OTHER_COLOURS = ("#8b63c7", "#a9791c", "#71808f", "#c24f6a", "#3f9aa0", "#7d8b2a")

Drawn = tuple[tuple[int, ...], str]  # dash and shape

SOLID: tuple[int, ...] = ()
MODES: dict[str, Drawn] = {
    "all": (SOLID, "circle"),
    "hidden": ((16, 3), "diamond"),
    "last": ((7, 3), "square"),
    "NTK": ((2, 3), "triangle-up"),
    "last, SGD": ((7, 3, 2, 3), "cross"),
    "NTK, SGD": ((2, 3, 2, 6), "triangle-down"),
}
CONJUGATE_LIMIT: Drawn = ((12, 4), "diamond")
TANGENT_LIMIT: Drawn = ((1, 4), "triangle-right")
OTHERS: tuple[Drawn, ...] = (
    ((9, 3, 2, 3), "square"),
    ((4, 2), "diamond"),
    ((5, 5), "cross"),
    ((12, 3, 3, 3), "triangle-down"),
)


@dataclass(frozen=True)
class Look:
    """Colour, dash (lengths of strokes and gaps) and shape of a method's line."""

    colour: str
    dash: tuple[int, ...]
    shape: str


def looks(methods: Sequence[str]) -> dict[str, Look]:
    """A look for each method; the same method mostly has the same look, whatever else is drawn."""
    by_method: dict[str, Look] = {}
    others = 0
    lines: Counter[str] = Counter()  # of the same method, one a width
    for method in methods:
        named = re.fullmatch(r"([^()]+)\((.+?)\)( width \d+)?", method)
        if named and named[1] in NETWORK_COLOURS and named[2] in MODES:
            alone = method.removesuffix(named[3] or "")
            drawn = MODES[named[2]] if not lines[alone] else OTHERS[(lines[alone] - 1) % len(OTHERS)]
            lines[alone] += 1
            by_method[method] = Look(NETWORK_COLOURS[named[1]], *drawn)
        elif method in LIMITS:
            limit = CONJUGATE_LIMIT if method.startswith("ck") else TANGENT_LIMIT
            by_method[method] = Look(NETWORK_COLOURS[LIMITS[method]], *limit)
        else:
            by_method[method] = Look(OTHER_COLOURS[others % len(OTHER_COLOURS)], *OTHERS[others % len(OTHERS)])
            others += 1
    return by_method
