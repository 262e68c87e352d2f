"""Texts and looks of an audit's page: the contenders, their settings, the command."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.results import FROZEN, Family
from kernelgap.number_text import digits
from kernelgap.reports.common.looks import MODES, OTHERS, SOLID, Look

FAMILIES: dict[Family, str] = {
    "network": "networks",
    "kernel": "kernels",
    FROZEN: "the best network's own kernels",
    "adaptive": "a kernel that learns features",
    "baseline": "baselines",
}
COLOURS: dict[Family, str] = {
    "network": "#d9540b",
    "kernel": "#2b83c6",
    FROZEN: "#0d9a6c",
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
FROZEN_KERNELS = {"last": "at its random start, last layer trained alone", "ntk": "at its random start, tangent kernel"}
SHAPES = (*(drawn for name, drawn in MODES.items() if name != "all"), *OTHERS)


def contender_in_words(name: str) -> str:
    """A short description of a contender."""
    frozen = re.fullmatch(r"(.+)\((last|ntk)\)", name)
    return f"{frozen[1]} {FROZEN_KERNELS[frozen[2]]}" if frozen else CONTENDERS.get(name, "")


def contender_looks(contenders: Iterable[tuple[str, Family]]) -> dict[str, Look]:
    """The colour says the family; within it, dash and shape tell one from the other."""
    looks: dict[str, Look] = {}
    members: Counter[Family] = Counter()
    for name, family in contenders:
        place = members[family]
        members[family] += 1
        looks[name] = Look(COLOURS[family], *(SHAPES[(place - 1) % len(SHAPES)] if place else (SOLID, "circle")))
    return looks


def describe_setting(settings: Iterable[str]) -> str:
    """The chosen settings of all seeds: ``bandwidth 0.38 to 1.1, ridge 2.2``."""
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
    """A sentence without the table's folder: a page names no folders of its writer."""
    return sentence.replace(audit.data.source, source_name(audit))


def command_of(audit: Audit) -> str:
    """The shell command that asks the same again, with the file's name alone."""
    asked = audit.asked
    arguments = ["kernelgap", "audit", source_name(audit)]
    for target in audit.data.targets:
        arguments += ["--target", target]
    for name in ("leave_out", "keep"):
        for column in asked.get(name) or ():
            arguments += [f"--{name.replace('_', '-')}", str(column)]
    for description in audit.plan.own.values():
        if name := json.loads(description).get("name"):  # others were given in Python
            arguments += ["--contender", name]
    arguments += [] if audit.plan.metric is None else ["--metric", audit.plan.metric]
    for name in ("task", "rows", "group", "time", "delimiter", "seeds"):
        if asked.get(name) is not None:
            arguments += [f"--{name}", str(asked[name])]
    if asked.get("header") is not None:
        arguments.append("--header" if asked["header"] else "--no-header")
    arguments += ["--budget", f"{audit.plan.budget:g}s"]
    arguments += ["--seed", str(audit.seed)] if audit.seed else []
    return shlex.join(arguments)
