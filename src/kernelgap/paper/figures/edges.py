"""Whether a picked setting is the last that was tried while the error falls towards it: one beyond it may be better.

For SGD the setting's own neighbours count: those with the same decay, and those with the same rate. One that diverged,
or that a search gave up, was tried. Nothing is an edge on a plateau.
"""

import math
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd

from kernelgap import kernels
from kernelgap.paper.figures.picks import means_of_settings
from kernelgap.regression import at_edge
from kernelgap.training.search import TOLERANCE

FLAT = 1e-3  # a relative change of the error over ridges, which are solved for exactly, that is none


def edges_of(pick: pd.Series, trials: pd.DataFrame) -> list[str]:
    """Which numbers of a picked setting are the last ones tried: "largest rate", "smallest ridge", "largest factor".

    Parameters
    ----------
    pick
        A trial with the setting that was picked.
    trials
        Those that it was picked from: of the same method at the same place.
    """
    if pick.kind == "built":  # its decays are for different norms, not searched
        return []
    if pick.kind == "sgd":
        return _edges_by_sgd(pick, means_of_settings(trials, "validation"))
    ridge = _edge_of_ridges(pick, trials)
    return [*([f"{ridge} ridge"] if ridge else []), *_edges_of_kernels(pick, trials)]


def value_of(pick: pd.Series, name: str) -> float:
    """The number that an edge is about: a rate, a decay, a ridge, or an argument of the kernel."""
    value = pick[name] if name in pick else _arguments(str(pick.kernel))[name]
    assert isinstance(value, float)
    return float(value)


def _edges_by_sgd(pick: pd.Series, means: pd.DataFrame) -> list[str]:
    """Of the rate and the decay, along the line of settings that share the other."""
    edges = []
    for name, other in (("rate", "decay"), ("decay", "rate")):
        line = means[np.isclose(means[other], pick[other], rtol=1e-6)]
        end = at_edge(pick[name], line[name].to_numpy(float)) if len(line) else None
        if end and _falls(pick[name], line[name], line, TOLERANCE):
            edges.append(f"{end} {name}")
    return edges


def _edge_of_ridges(pick: pd.Series, trials: pd.DataFrame) -> str | None:
    if pd.isna(pick.ridge):
        return None
    kernel = "" if pd.isna(pick.kernel) else pick.kernel
    path = trials[trials.kernel.fillna("") == kernel]
    end = at_edge(pick.ridge, trials.ridge.dropna().to_numpy(float))
    means = means_of_settings(path, "validation")
    return end if end and _falls(pick.ridge, means.ridge, means, FLAT) else None


def _edges_of_kernels(pick: pd.Series, trials: pd.DataFrame) -> list[str]:
    """Of the numbers in the kernel's text, such as its bandwidth, among kernels that differ in this number alone."""
    if pd.isna(pick.kernel):
        return []
    means = means_of_settings(trials, "validation").sort_values("mean", kind="stable").drop_duplicates("kernel")
    tried = {text: _arguments(str(text)) for text in means.kernel}
    best = _arguments(str(pick.kernel))
    edges = []
    for name, value in best.items():
        if isinstance(value, float):
            same = [text for text, given in tried.items() if _only(name, given, best)]
            line = means[means.kernel.isin(same)]
            values = line.kernel.map(lambda text, name=name: tried[text][name])
            end = at_edge(value, values.to_numpy(float))
            if end and _falls(value, values, line, TOLERANCE):
                edges.append(f"{end} {name}")
    return edges


def _falls(value: float, values: pd.Series, means: pd.DataFrame, tolerance: float) -> bool:
    """Whether the mean error falls by more than the tolerance from the nearest of the other values to this one.

    A value that a seed failed with, or that fewer seeds tried, has an infinite error.
    """
    tried = values.to_numpy(float)
    errors = np.where(means.seeds == means.seeds.max(), means["mean"], math.inf)
    here = tried == value
    if here.all():  # no other was tried with this kernel
        return True
    with np.errstate(divide="ignore"):  # a decay of 0 is the farthest
        far = np.abs(np.log(tried) - np.log(value)) if value else tried
    near = errors[~here][np.argmin(far[~here])]
    return not here.any() or bool(near > (1 + tolerance) * errors[here].min())


def _arguments(text: str) -> dict[str, object]:
    """What a kernel is made with, defaults included; nothing for a sum or a product."""
    kernel = kernels.get(text)
    return {f.name: getattr(kernel, f.name) for f in fields(kernel)} if is_dataclass(kernel) else {}


def _only(name: str, first: dict[str, object], second: dict[str, object]) -> bool:
    """Whether two kernels have the same arguments, and differ in this one at most."""
    return first.keys() == second.keys() and all(first[key] == second[key] for key in second if key != name)
