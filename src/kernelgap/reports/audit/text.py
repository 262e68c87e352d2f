"""Who the contenders of an audit are, how they are drawn, and what they chose, in words."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.results import Family
from kernelgap.audit.statistics.wording import digits
from kernelgap.reports.common.looks import MODES, OTHERS, SOLID, Look

FAMILIES: dict[Family, str] = {
    "network": "networks",
    "kernel": "kernels",
    "twin": "the best network's own kernels",
    "adaptive": "a kernel that learns features",
    "baseline": "baselines",
}
COLOURS: dict[Family, str] = {
    "network": "#d9540b",
    "kernel": "#2b83c6",
    "twin": "#0d9a6c",
    "adaptive": "#8b63c7",
    "baseline": "#8a7a1f",
}
CONTENDERS = {
    "2layer": "network with one hidden layer",
    "2layer-small": "network with one hidden layer of 64, in a hurry",
    "3layer": "network with two hidden layers",
    "3resnet": "residual network with two hidden layers",
    "resnet-2": "residual network of two blocks",
    "gaussian": "Gaussian kernel, a function of the distance",
    "laplace": "Laplace kernel, a function of the distance",
    "arcsin": "arcsin kernel, a function of the angle",
    "ck2": "infinitely wide 2layer, last layer trained",
    "ck3": "infinitely wide 3layer, last layer trained",
    "ntk2": "infinitely wide 2layer, tangent kernel",
    "ntk3": "infinitely wide 3layer, tangent kernel",
    "ntk3res": "infinitely wide 3resnet, tangent kernel",
    "adaptive": "Laplace kernel in a learned metric (recursive feature machine)",
    "ridge": "linear model",
    "trees": "gradient-boosted trees",
}
TWINS = {"last": "at its random start, last layer trained alone", "ntk": "at its random start, tangent kernel"}
SHAPES = (*(drawn for name, drawn in MODES.items() if name != "all"), *OTHERS)


def contender_in_words(name: str) -> str:
    """What a contender is, for who never heard of it."""
    twin = re.fullmatch(r"(.+)\((last|ntk)\)", name)
    return f"{twin[1]} {TWINS[twin[2]]}" if twin else CONTENDERS.get(name, "")


def contender_looks(contenders: Iterable[tuple[str, Family]]) -> dict[str, Look]:
    """The colour says the family; within it, dash and shape tell one from the other."""
    found: dict[str, Look] = {}
    members: dict[Family, int] = {}
    for name, family in contenders:
        place = members.get(family, 0)
        members[family] = place + 1
        dash, shape = (SOLID, "circle") if place == 0 else SHAPES[(place - 1) % len(SHAPES)]
        found[name] = Look(COLOURS[family], dash, shape)
    return found


def describe_setting(settings: Iterable[str]) -> str:
    """What was chosen, over all seeds: ``bandwidth 0.38 to 1.1, ridge 2.2``."""
    chosen: dict[str, list[float]] = {}
    for setting in settings:
        for name, value in json.loads(setting).items():
            chosen.setdefault(name.replace("_", " "), []).append(float(value))
    return ", ".join(f"{name} {_range(values)}" for name, values in chosen.items())


def _range(values: list[float]) -> str:
    low, high = digits(min(values)), digits(max(values))
    return low if low == high else f"{low} to {high}"


def source_name(audit: Audit) -> str:
    """The table's name without the folder that it is in."""
    return Path(audit.data.source).name or audit.data.source


def without_folder(sentence: str, audit: Audit) -> str:
    """A sentence in which the table has its name alone: a page says nothing of its writer's folders."""
    return sentence.replace(audit.data.source, source_name(audit))
