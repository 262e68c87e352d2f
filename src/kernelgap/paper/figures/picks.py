"""The trials that are picked, what kind of method each is, and how it is named."""

from typing import Any

import numpy as np
import pandas as pd

NETWORKS, OF_NETWORKS, OTHER_KERNELS, BUILT = "networks", "kernels of the networks", "other kernels", "built by hand"
GROUPS = (NETWORKS, OF_NETWORKS, OTHER_KERNELS, BUILT)
NETWORK_MODES = ("all", "hidden")  # the others are kernel methods
SETTINGS = ("rate", "decay", "ridge", "kernel")  # what is searched


def judged_trials(table: pd.DataFrame) -> pd.DataFrame:
    """The trials that results are stated from: all but those of a search, which has seeds of its own."""
    return table[table.stage == "judged"] if "stage" in table else table


def search_trials(table: pd.DataFrame) -> pd.DataFrame:
    """The trials of the search, where there is one; else those that are judged, of which settings are picked too."""
    if "stage" not in table or not (table.stage == "search").any():
        return table
    return table[table.stage == "search"]


def group_of(trial: pd.Series) -> str:
    """What kind of method a trial fits."""
    if trial.kind == "built":
        return BUILT
    if trial.kind == "sgd" and trial["mode"] in NETWORK_MODES:
        return NETWORKS
    return OF_NETWORKS if pd.notna(trial.width) else OTHER_KERNELS


def means_of_settings(trials: pd.DataFrame, by: str) -> pd.DataFrame:
    """Each setting with its mean error over seeds on the sample ``by``, the best first.

    The mean is infinite where a seed has no finite error. Settings that fewer seeds have tried come last; where every
    setting has failed for some seed, the one that failed for the fewest comes first.
    """
    errors = trials[f"{by}_error"].to_numpy(float)
    settings = trials[list(SETTINGS)].assign(kernel=trials.kernel.fillna(""))
    setting = settings.groupby(list(SETTINGS), dropna=False).ngroup().to_numpy()
    _, first = np.unique(setting, return_index=True)
    failed = np.isinf(errors)
    seeds = np.bincount(setting)
    failures = np.bincount(setting[failed], minlength=len(seeds))
    finite = np.bincount(setting, weights=np.where(failed, 0.0, errors)) / np.maximum(seeds - failures, 1)
    mean = np.where(failures > 0, np.inf, finite)
    means = settings.iloc[first].assign(seeds=seeds, failed=failures, mean=mean, finite=finite, fewer=-seeds)
    return means.sort_values(["fewer", "failed", "finite"], kind="stable", ignore_index=True)


def pick_over_seeds(trials: pd.DataFrame, by: str) -> pd.DataFrame:
    """The trials, one a seed, of the one setting with the least mean error over seeds.

    Parameters
    ----------
    trials
        Of one method, width and problem.
    by
        The sample on which the error counts: "test" or "validation".
    """
    best = means_of_settings(trials, by).iloc[0]
    of_best = trials.kernel.fillna("") == best.kernel
    for name in SETTINGS[:-1]:
        of_best &= trials[name].isna() if pd.isna(best[name]) else trials[name] == best[name]
    return trials[of_best].sort_values("seed")


def format_setting(row: Any) -> str:
    """What a trial, or a row of the summary, was fitted with: kernel, rate, decay, ridge."""
    kernel = [] if pd.isna(row.kernel) or row.kernel == row.method else [str(row.kernel)]
    known = {name: row[name] for name in ("rate", "decay", "ridge") if pd.notna(row[name])}
    return ", ".join(kernel + [f"{name} {value:g}" for name, value in known.items()])


def format_place(trial: pd.Series, x: str = "width") -> str:
    """Where a method was fitted: its width, and beta where that is varied; nothing for a kernel over widths."""
    names = ["width", "beta"] if x == "beta" else ["width"]
    return ", ".join(f"{name} {trial[name]:g}" for name in names if pd.notna(trial.get(name)))
