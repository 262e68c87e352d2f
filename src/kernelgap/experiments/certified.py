"""A finished run, packed into a certificate."""

from pathlib import Path

from kernelgap import console, problems
from kernelgap.certificates import Claim, certify
from kernelgap.errors import InputError
from kernelgap.experiments.gap_of_run import NETWORK_MODES, best_kernels, best_network
from kernelgap.sweeps import Store, Trial, train_again


def certify_run(
    folder: str | Path, out: str | Path = "cert.zip", *, method: str | None = None, width: int | None = None
) -> Claim:
    """Train the run's best network again, evaluate it at every point of the cube, prove floors, write the file.

    The network is the one with the least validation error, among those of ``method`` and ``width`` where these are
    given. Each kernel family of the run is represented by the member with the least validation error.
    """
    with Store.reading(folder) as store:
        table, trials = store.table(), store.trials()  # errors that are not finite are refused here
    if table.empty:
        raise InputError(f"Nothing is finished in '{folder}': run the experiment first.")
    chosen = table
    if method is not None:
        chosen = chosen[chosen.method == method]
    if width is not None:
        chosen = chosen[chosen.width == width]
    best = best_network(chosen)
    if best is None:
        known = sorted(table[(table.kind == "sgd") & table["mode"].isin(NETWORK_MODES)].method.unique())
        raise InputError(f"'{folder}' has no such network that was trained to its end. It has: {', '.join(known)}.")
    trial = trials[best.trial]
    assert isinstance(trial, Trial)
    with console.progress("network") as show:
        show(0.0, f"training {trial.label} again")
        predictor = train_again(trial)
    kept = Path(f"{out}.points")
    claim = certify(
        out,
        problems.get(trial.problem),
        predictor,
        samples=trial.samples,
        seed=trial.seed,
        kernels=best_kernels(table, best),
        method=trial.method,
        training=trial.model_dump(mode="json"),
        resume=kept,
    )
    kept.unlink(missing_ok=True)
    return claim
