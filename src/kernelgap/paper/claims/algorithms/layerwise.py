"""sec. 2.1

Training the first hidden layer alone, freezing it, and then training the second ends clearly worse than training
both together (target of sec. 8.1, hidden layers only)."""

from itertools import product

import jax
import numpy as np

from kernelgap import networks, problems
from kernelgap.paper.algorithms.layerwise import train_layerwise
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.spread import median_and_range
from kernelgap.training import GridResult, Schedule, get_model, train_grid

RATES, DECAYS = (0.3, 0.6), (0.0002, 0.001)
SIZES = {"quick": (200, 2000, 300, 5), "full": (500, 2000, 800, 5)}  # width, samples, epochs, starts


def measure(scale: str, seed: int) -> Numbers:
    width, samples, epochs, starts = SIZES[scale]
    problem, network = problems.sec8(), networks.resnet
    rates, decays = zip(*product(RATES, DECAYS), strict=True)
    rows = []
    for start in range(seed, seed + starts):
        params = network.init(jax.random.key(start), inputs=problem.d, outputs=problem.outputs, width=width)
        train, validation, test = (problem.sample(n, [start, i]) for i, n in enumerate((samples, 2000, 4000)))
        schedule = Schedule(epochs=epochs)
        grid: Numbers = {"rates": rates, "decays": decays, "train": train, "schedule": schedule, "seed": [start, 3]}
        both = {"validation": validation, "test": test}
        joint = train_grid(get_model(network, "hidden"), params, evaluate=both, **grid)
        apart = train_layerwise(network, params, validation=validation, evaluate={"test": test}, **grid)
        rows.append({"joint": _best(joint), "first": _best(apart.first), "layerwise": _best(apart.second)})
    return {"threshold": problem.threshold, "samples": samples, "rows": rows}


def _best(grid: GridResult) -> Numbers:
    """The member that is best on the validation sample, on the test sample."""
    i = int(grid.final("validation").argmin())
    return {
        "rate": float(grid.rates[i]),
        "decay": float(grid.decays[i]),
        "train": float(grid.final("train")[i]),
        "test": float(grid.final("test")[i]),
        "standard_error": float(grid.standard_errors["test"][i]),
        "epochs": grid.epochs.tolist(),
        "curve": [float(v) for v in np.nan_to_num(grid.curves["test"][i], posinf=1e9)],
    }


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    joint, apart, first = ([row[name]["test"] for row in rows] for name in ("joint", "layerwise", "first"))
    errors = [np.hypot(*(row[name]["standard_error"] for name in ("joint", "layerwise"))) for row in rows]
    measured = f"{median_and_range(apart)} against {median_and_range(joint)} together"
    ratios = [b / a for a, b in zip(joint, apart, strict=True)]
    if not min((b - a) / error for a, b, error in zip(joint, apart, errors, strict=True)) > 5:
        return Verdict("fails", measured, "In some start layer-wise training does not end worse.")
    if min(ratios) <= 2:
        return Verdict("undecided", measured, f"Worse, but once only {min(ratios):.2f} times the error: not clearly.")
    reason = (
        f"{median_and_range(ratios)} times the error over {len(rows)} starts, on the same {numbers['samples']} samples "
        f"and with twice the steps; the first layer alone ends at {median_and_range(first)}. The threshold is "
        f"{numbers['threshold']:.3g}. Rates {RATES} and decays {DECAYS}, each picked on a validation sample."
    )
    return Verdict("holds", measured, reason)


def picture(numbers: Numbers) -> Picture:
    row = numbers["rows"][0]
    after = [row["first"]["epochs"][-1] + epoch for epoch in row["layerwise"]["epochs"]]
    lines = [
        Line("both layers together", row["joint"]["epochs"], row["joint"]["curve"]),
        Line("the first layer alone", row["first"]["epochs"], row["first"]["curve"]),
        Line("then the second", after, row["layerwise"]["curve"]),
    ]
    return Picture("epoch", "test error", lines, (("threshold", numbers["threshold"]),), y_axis="log")


claim = Claim.of(__doc__, "algo.layerwise", "clearly worse", measure, judge, picture, seconds=20)
