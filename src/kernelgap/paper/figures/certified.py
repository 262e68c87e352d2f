"""A finished run, packed into a certificate: the picked setting of a network, with every seed."""

import math
from pathlib import Path

import pandas as pd
from safetensors import SafetensorError
from safetensors.numpy import load

from kernelgap import networks, problems
from kernelgap.certificates import CertifiedClaim, TrainedNetwork, certify
from kernelgap.errors import InputError
from kernelgap.paper.figures.gap import best_kernels, best_over_seeds, candidates_of, trained_networks
from kernelgap.paper.figures.result import staged_table
from kernelgap.progress import Progress, part, silent
from kernelgap.runs import Trial, TrialStore
from kernelgap.runs.trials.sgd import run_by_sgd

ENOUGH = 5  # starts that a certificate should hold
SAME_ERROR = 1e-6  # relative: what training again on the same machine may differ by


def certify_run(
    folder: str | Path,
    out: str | Path = "cert.zip",
    *,
    method: str | None = None,
    width: int | None = None,
    on_progress: Progress = silent,
) -> CertifiedClaim:
    """Evaluate the run's best network, with every seed, at every point of the cube, prove floors, write the file.

    Network, width and setting are those with the least mean validation error over seeds, as for the kernel gap. All
    their seeds are packed, with the weights that the run ended with; where the run did not keep them, because another
    setting of that seed did better, they are trained again as the run did. Each kernel family of the run is represented
    by the member with the least validation error on the first seed.

    Parameters
    ----------
    folder
        Where the run is stored.
    out
        The certificate's file.
    method, width
        Restrict the choice of the network.
    on_progress
        As of ``certificates.certify``.

    Returns
    -------
    CertifiedClaim
        What the certificate states.
    """
    with TrialStore.reading(folder) as store:
        table, trials = staged_table(store), store.trials()  # errors that are not finite are refused here
        picks = _picks(table, folder, method, width)
        kept = {trial: store.weights(trial) for trial in picks.trial}
    chosen = [trial for trial in (trials[name] for name in picks.trial) if isinstance(trial, Trial)]
    missing = [trial for trial in chosen if kept[trial.id] is None]
    for i, trial in enumerate(missing):
        on_progress(0.2 * i / len(missing), f"training {trial.label} again, whose weights were not kept")
        kept[trial.id] = _trained_again(trial, float(picks.loc[picks.trial == trial.id, "test_error"].iloc[0]))
    first = chosen[0]
    points = Path(f"{out}.points")
    training = first.model_dump(mode="json", exclude={"seed"})
    claim = certify(
        out,
        problems.get(first.problem),
        [_network(trial, kept[trial.id], folder) for trial in chosen],
        samples=first.samples,
        seeds=[trial.seed for trial in chosen],
        kernels=best_kernels(table, picks.iloc[0]),
        method=first.method,
        training={**training, "candidates": candidates_of(table)},
        resume=points,
        on_progress=part(on_progress, 0.2 if missing else 0.0, 1.0),
    )
    for done in points.parent.glob(f"{points.name}.*"):
        done.unlink(missing_ok=True)
    return claim


def _picks(table: pd.DataFrame, folder: str | Path, method: str | None, width: int | None) -> pd.DataFrame:
    """The trials to certify, one a seed."""
    if table.empty:
        raise InputError(f"Nothing is finished in '{folder}': run the experiment first.")
    chosen = table
    if method is not None:
        chosen = chosen[chosen.method == method]
    if width is not None:
        chosen = chosen[chosen.width == width]
    picks = best_over_seeds(chosen)
    if picks is None:
        known = ", ".join(sorted(trained_networks(table).method.unique())) or "none"
        raise InputError(
            f"'{folder}' has no such network that was trained to its end with every seed. Its networks: {known}."
        )
    return picks


def _trained_again(trial: Trial, error: float) -> bytes | None:
    """The weights of a trial whose test error is known; refused if training ends elsewhere, as on another processor."""
    again = run_by_sgd([trial], None)[0]
    if again.status == "done" and not math.isclose(again.test_error, error, rel_tol=SAME_ERROR):
        raise InputError(
            f"The run did not keep the weights of {trial.label}, and to train it again ends with a test error of "
            f"{again.test_error:.4g}, not {error:.4g}: another machine or version rounds otherwise. Certify the run "
            "where it was made, or run the experiment again."
        )
    return again.weights


def _network(trial: Trial, weights: bytes | None, folder: str | Path) -> TrainedNetwork:
    """The run's own network, from the weights that it kept."""
    if weights is None:
        raise InputError(
            f"'{folder}' does not hold the weights of {trial.label}, and they are larger than what a run keeps, or its "
            "training diverges on this machine."
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
