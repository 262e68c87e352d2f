"""A finished run, packed into a certificate."""

from pathlib import Path

import pandas as pd
from safetensors import SafetensorError
from safetensors.numpy import load

from kernelgap import networks, problems
from kernelgap.certificates import Claim, TrainedNetwork, certify
from kernelgap.errors import InputError
from kernelgap.paper.figures.gap import best_kernels, best_network, trained_networks
from kernelgap.paper.figures.picks import judged_trials
from kernelgap.paper.figures.result import staged_table
from kernelgap.progress import Progress, silent
from kernelgap.runs import Trial, TrialStore


def certify_run(
    folder: str | Path,
    out: str | Path = "cert.zip",
    *,
    method: str | None = None,
    width: int | None = None,
    on_progress: Progress = silent,
) -> Claim:
    """Evaluate the run's best network at every point of the cube, prove floors, write the file.

    The network is the one with the least validation error, with the very weights that the run ended with. Each kernel
    family of the run is represented by the member with the least validation error.

    Parameters
    ----------
    folder
        Where the run is stored.
    out
        The certificate's file.
    method, width
        Restrict the choice of the network.
    on_progress
        Takes the share done and what is being done.

    Returns
    -------
    Claim
        What the certificate states.
    """
    with TrialStore.reading(folder) as store:
        table = judged_trials(staged_table(store))  # errors that are not finite are refused here
        trials = store.trials()
        best = _best(table, folder, method, width)
        weights = store.weights(best.trial)
    trial = trials[best.trial]
    assert isinstance(trial, Trial)
    points = Path(f"{out}.points")
    claim = certify(
        out,
        problems.get(trial.problem),
        _network(trial, weights, folder),
        samples=trial.samples,
        seed=trial.seed,
        kernels=best_kernels(table, best),
        method=trial.method,
        training=trial.model_dump(mode="json"),
        resume=points,
        on_progress=on_progress,
    )
    points.unlink(missing_ok=True)
    return claim


def _best(table: pd.DataFrame, folder: str | Path, method: str | None, width: int | None) -> pd.Series:
    """The network to certify."""
    if table.empty:
        raise InputError(f"Nothing is finished in '{folder}': run the experiment first.")
    chosen = table
    if method is not None:
        chosen = chosen[chosen.method == method]
    if width is not None:
        chosen = chosen[chosen.width == width]
    best = best_network(chosen)
    if best is None:
        known = ", ".join(sorted(trained_networks(table).method.unique())) or "none"
        raise InputError(f"'{folder}' has no such network that was trained to its end. It has: {known}.")
    return best


def _network(trial: Trial, weights: bytes | None, folder: str | Path) -> TrainedNetwork:
    """The run's own network, from the weights that it kept."""
    if weights is None:
        raise InputError(
            f"'{folder}' does not hold the weights of {trial.label}: it was run by an earlier version, or the network "
            "is larger than what a run keeps. Run the experiment again, into another folder."
        )
    network, problem = networks.get(trial.network), problems.get(trial.problem)
    try:
        params = load(weights)
    except SafetensorError:
        raise InputError(f"The weights of {trial.label} in '{folder}' are damaged: run the experiment again.") from None
    shapes = {name: w.shape for name, w in network.weights(problem.d, problem.outputs, trial.width).items()}
    if {name: w.shape for name, w in params.items()} != shapes:
        raise InputError(f"The weights of {trial.label} in '{folder}' are not its network's: run it again.")
    return TrainedNetwork(network, params)
