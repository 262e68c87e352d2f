"""The kernel gap of a run: its best network against any kernel, and against the kernels that it tried.

The first number is about any scalar kernel. Rows of a run that are called (NTK) have the full kernel of all outputs,
which is matrix-valued: what such a kernel needs stands beside it, in the sentence and on the page.
"""

import math
from dataclasses import replace

import pandas as pd

from kernelgap import kernels, problems
from kernelgap.certificates import KernelGap, any_kernel, kernel_gap, oracle_risk
from kernelgap.curves import Need, need
from kernelgap.errors import InputError
from kernelgap.paper.figures.picks import NETWORK_MODES, SETTINGS, judged_trials, means_of_settings, pick_over_seeds
from kernelgap.progress import Progress, silent


def trained_networks(table: pd.DataFrame) -> pd.DataFrame:
    """The judged trials of networks that are no kernel methods."""
    counted = judged_trials(table)
    return counted[(counted.kind == "sgd") & counted["mode"].isin(NETWORK_MODES)]


def best_network(table: pd.DataFrame) -> pd.Series | None:
    """The trained network with the least validation error: one member with one seed."""
    trained = trained_networks(table)
    trained = trained[trained.status == "done"]
    return None if trained.empty else trained.iloc[trained.validation_error.argmin()]


def best_over_seeds(table: pd.DataFrame) -> pd.DataFrame | None:
    """The trials, one a seed, of the network, width, problem and setting with the least mean validation error.

    None if no setting of a network has ended well with every seed.
    """
    trained = trained_networks(table)
    seeds = trained.seed.nunique()
    best, least = None, math.inf
    for _, trials in trained.groupby(["method", "width", "problem"]):
        means = means_of_settings(trials, "validation")
        means = means[means.seeds == seeds]
        if len(means) and means["mean"].iloc[0] < least:
            best, least = trials, float(means["mean"].iloc[0])
    return None if best is None else pick_over_seeds(best, "validation")


def candidates_of(table: pd.DataFrame) -> int:
    """The networks, widths, problems and settings that were judged: from so many the best is picked."""
    return int(trained_networks(table).groupby(["method", "width", "problem", *SETTINGS], dropna=False).ngroups)


def best_kernels(table: pd.DataFrame, network: pd.Series) -> list[str]:
    """Of each family of kernels with a formula the member that did best on the network's problem and seed, as text."""
    counted = judged_trials(table)
    beside = (counted.seed == network.seed) & (counted.problem == network.problem)
    with_formula = [text for text in counted.kernel.dropna().unique() if kernels.get(text).has_formula]
    tried = counted[counted.kernel.isin(with_formula) & beside]
    return tried.loc[tried.groupby("method").validation_error.idxmin()].kernel.tolist()


def gap_of_run(table: pd.DataFrame, on_progress: Progress = silent) -> KernelGap | None:
    """The gap of the best network, from the mean over seeds; None if that mean is not under the threshold, or if no
    bound is known for the problem.

    Network, width and setting are picked by the mean validation error over seeds, as in the table. The floors are those
    of the best member of each kernel family, on the training inputs of the first seed.
    """
    picks = best_over_seeds(table)
    if picks is None:
        return None
    first = picks.iloc[0]
    problem = problems.get(first.problem)
    if not picks.test_error.mean() < problem.threshold or not _has_bound(problem):
        return None
    X, _ = problem.sample(int(first.samples), int(first.seed))
    tried = best_kernels(table, first)
    floors = []
    for i, text in enumerate(tried):
        on_progress(i / len(tried), f"the floor of {text}")
        floors.append(replace(oracle_risk(problem, text, X), kernel=text))
    errors = [float(error) for error in picks.test_error]
    about = {"method": first.method, "floors": floors, "candidates": candidates_of(table)}
    return kernel_gap(problem, int(first.samples), errors, **about)


def needs_of_run(table: pd.DataFrame, gap: KernelGap) -> list[Need]:
    """What the best member of each kernel family is predicted to need for what the network reached, by its spectrum.

    Kernels and problems without a spectrum on a cube are left out.
    """
    picks = best_over_seeds(table)
    assert picks is not None
    first = picks.iloc[0]
    problem, needs = problems.get(first.problem), []
    for text in best_kernels(table, first):
        try:
            needs.append(need(problem, text, gap.error))
        except InputError:
            continue
    return needs


def _has_bound(problem: problems.Problem) -> bool:
    """Whether a floor for any kernel is known: not for a problem of one's own, or a concept class."""
    try:
        any_kernel(problem, 1)
    except InputError:
        return False
    return True
