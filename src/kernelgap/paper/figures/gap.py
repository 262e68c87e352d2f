"""The kernel gap of a run: its best network against any kernel, and against the kernels that it tried."""

from dataclasses import replace

import pandas as pd

from kernelgap import console, kernels, problems
from kernelgap.certificates import KernelGap, any_kernel, kernel_gap, oracle_risk
from kernelgap.errors import InputError
from kernelgap.paper.figures.picks import NETWORK_MODES


def trained_networks(table: pd.DataFrame) -> pd.DataFrame:
    """The trials of networks that are no kernel methods."""
    return table[(table.kind == "sgd") & table["mode"].isin(NETWORK_MODES)]


def best_network(table: pd.DataFrame) -> pd.Series | None:
    """The trained network with the least validation error: one member with one seed."""
    trained = trained_networks(table)
    trained = trained[trained.status == "done"]
    return None if trained.empty else trained.iloc[trained.validation_error.argmin()]


def best_over_seeds(table: pd.DataFrame) -> pd.DataFrame | None:
    """Of the network, width and problem with the least mean validation error: for each seed the pick on validation.

    None if no network has finished with every seed.
    """
    trained = trained_networks(table)
    if trained.empty:
        return None
    each = ["method", "width", "problem"]
    picks = trained.loc[trained.groupby([*each, "seed"]).validation_error.idxmin().tolist()]
    groups = picks.groupby(each).validation_error.agg(["mean", "size"])
    complete = groups[(groups["size"] == picks.seed.nunique()) & (groups["mean"] < float("inf"))]
    if complete.empty:
        return None
    best = pd.Series(complete.index[int(complete["mean"].argmin())], index=each)
    return picks[(picks[each] == best).all(axis=1)].sort_values("seed")


def best_kernels(table: pd.DataFrame, network: pd.Series) -> list[str]:
    """Of each family of kernels with a formula the member that did best on the network's problem and seed, as text."""
    beside = (table.seed == network.seed) & (table.problem == network.problem)
    with_formula = [text for text in table.kernel.dropna().unique() if kernels.get(text).has_formula]
    tried = table[table.kernel.isin(with_formula) & beside]
    return tried.loc[tried.groupby("method").validation_error.idxmin()].kernel.tolist()


def gap_of_run(table: pd.DataFrame) -> KernelGap | None:
    """The gap of the best network, from the mean over seeds; None if that mean is not under the threshold, or if no
    bound is known for the problem.

    Network and width are picked by the mean validation error over seeds, rate and decay for each seed, as in the table.
    The floors are those of the best member of each kernel family, on the training inputs of the first seed.
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
    with console.progress("floors of the kernels") as show:
        for i, text in enumerate(tried):
            show(i / len(tried), text)
            floors.append(replace(oracle_risk(problem, text, X), kernel=text))
    errors = [float(error) for error in picks.test_error]
    return kernel_gap(problem, int(first.samples), errors, method=first.method, floors=floors)


def _has_bound(problem: problems.Problem) -> bool:
    """Whether a floor for any kernel is known: not for a problem of one's own, or a concept class."""
    try:
        any_kernel(problem, 1)
    except InputError:
        return False
    return True
