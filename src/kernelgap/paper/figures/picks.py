"""The trials that are picked, what kind of method each is, and how it is named."""

from typing import Any

import pandas as pd

NETWORKS, OF_NETWORKS, OTHER_KERNELS, BUILT = "networks", "kernels of the networks", "other kernels", "built by hand"
GROUPS = (NETWORKS, OF_NETWORKS, OTHER_KERNELS, BUILT)
NETWORK_MODES = ("all", "hidden")  # the others are kernel methods


def group_of(trial: pd.Series) -> str:
    """What kind of method a trial fits."""
    if trial.kind == "built":
        return BUILT
    if trial.kind == "sgd" and trial["mode"] in NETWORK_MODES:
        return NETWORKS
    return OF_NETWORKS if pd.notna(trial.width) else OTHER_KERNELS


def picks_of_seeds(trials: pd.DataFrame, by: str) -> list[pd.Series]:
    """The trial of each seed with the least error on the "test" or on the "validation" sample."""
    return [row for _, row in trials.loc[trials.groupby("seed")[f"{by}_error"].idxmin()].iterrows()]


def setting(row: Any) -> str:
    """What a trial, or a row of the summary, was fitted with: kernel, rate, decay, ridge."""
    kernel = [] if pd.isna(row.kernel) or row.kernel == row.method else [str(row.kernel)]
    known = {name: row[name] for name in ("rate", "decay", "ridge") if pd.notna(row[name])}
    return ", ".join(kernel + [f"{name} {value:g}" for name, value in known.items()])


def place(trial: pd.Series, x: str = "width") -> str:
    """Where a method was fitted: its width, and beta where that is varied; nothing for a kernel over widths."""
    names = ["width", "beta"] if x == "beta" else ["width"]
    return ", ".join(f"{name} {trial[name]:g}" for name in names if pd.notna(trial.get(name)))
