"""The kernel gap of a run: its best network against any kernel, and against the kernels that it tried."""

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


def gap_of_run(table: pd.DataFrame) -> KernelGap | None:
    """The gap of the best network, picked on validation; None if it did not get under the threshold.

    The floors are those of every kernel with a formula on the training inputs of the network's own seed.
    """
    best = best_network(table)
    if best is None:
        return None
    problem = problems.get(best.problem)
    if best.test_error >= problem.threshold:
        return None
    X, _ = problem.sample(int(best.samples), int(best.seed))
    tried = kernels_tried(table)
    floors = []
    with console.progress("floors of the kernels") as show:
        for i, text in enumerate(tried):
            show(i / len(tried), text)
            floors.append(oracle_risk(problem, text, X))
    return kernel_gap(problem, int(best.samples), float(best.test_error), method=best.method, floors=floors)
