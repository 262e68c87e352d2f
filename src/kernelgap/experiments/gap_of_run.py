"""The kernel gap of a run: its best network against any kernel, and against the kernels that it tried."""

from dataclasses import replace

import pandas as pd

from kernelgap import console, kernels, problems
from kernelgap.certificates import KernelGap, kernel_gap, oracle_risk

NETWORK_MODES = ("all", "hidden")


def best_network(table: pd.DataFrame) -> pd.Series | None:
    """The trained network with the least validation error."""
    trained = table[(table.kind == "sgd") & table["mode"].isin(NETWORK_MODES) & (table.status == "done")]
    return None if trained.empty else trained.loc[trained.validation_error.idxmin()]


def kernels_tried(table: pd.DataFrame) -> list[str]:
    """The kernels of a run that have a formula, as text."""
    texts = [text for text in table.kernel.dropna().unique() if kernels.get(text).has_formula]
    return sorted(str(text) for text in texts)


def best_kernels(table: pd.DataFrame, network: pd.Series) -> list[str]:
    """Of each family of kernels with a formula the member that did best on the network's problem and seed, as text."""
    beside = (table.seed == network.seed) & (table.problem == network.problem)
    tried = table[table.kernel.isin(kernels_tried(table)) & beside]
    return tried.loc[tried.groupby("method").validation_error.idxmin()].kernel.tolist()


def gap_of_run(table: pd.DataFrame) -> KernelGap | None:
    """The gap of the best network, picked on validation; None if it did not get under the threshold.

    The floors are those of the best member of each kernel family, on the training inputs of the network's own seed.
    """
    best = best_network(table)
    if best is None:
        return None
    problem = problems.get(best.problem)
    if best.test_error >= problem.threshold:
        return None
    X, _ = problem.sample(int(best.samples), int(best.seed))
    tried = best_kernels(table, best)
    floors = []
    with console.progress("floors of the kernels") as show:
        for i, text in enumerate(tried):
            show(i / len(tried), text)
            floors.append(replace(oracle_risk(problem, text, X), kernel=text))
    return kernel_gap(problem, int(best.samples), float(best.test_error), method=best.method, floors=floors)
