"""sec. 2.1

Training the first hidden layer alone, freezing it, and then training the second ends clearly worse than training
both together (target of sec. 8.1, hidden layers only)."""

from itertools import product

import jax
import numpy as np

from kernelgap import networks, problems
from kernelgap.paper.algorithms.layerwise import train_layerwise
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.training import GridResult, Schedule, get_model, train_grid

RATES, DECAYS = (0.3, 0.6), (0.0002, 0.001)
SIZES = {"quick": (200, 2000, 300, 1), "full": (500, 2000, 800, 5)}  # width, samples, epochs, starts


def measure(scale: str, seed: int) -> Numbers:
    width, samples, epochs, starts = SIZES[scale]
    problem, network = problems.sec8(), networks.resnet
    rates, decays = zip(*product(RATES, DECAYS), strict=True)
    rows = []
    for start in range(seed, seed + starts):
        params = network.init(jax.random.key(start), inputs=problem.d, outputs=problem.outputs, width=width)
        train, validation, test = (problem.sample(n, [start, i]) for i, n in enumerate((samples, 2000, 4000)))
        schedule, order = Schedule(epochs=epochs), [start, 3]
        joint = train_grid(
            get_model(network, "hidden"),
            params,
            rates,
            decays,
            train,
            schedule=schedule,
            seed=order,
            evaluate={"validation": validation, "test": test},
        )
        apart = train_layerwise(
            network, params, rates, decays, train, validation, schedule=schedule, seed=order, evaluate={"test": test}
        )
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
    pairs = [(row["joint"], row["layerwise"]) for row in rows]
    measured = "; ".join(f"{apart['test']:.2g} against {joint['test']:.2g} together" for joint, apart in pairs)
    sigmas = min(
        (apart["test"] - joint["test"]) / np.hypot(apart["standard_error"], joint["standard_error"])
        for joint, apart in pairs
    )
    ratio = min(apart["test"] / joint["test"] for joint, apart in pairs)
    first = ", ".join(f"{row['first']['test']:.2g}" for row in rows)
    if sigmas > 5 and ratio > 2:
        return Verdict(
            "holds",
            measured,
            f"At least {ratio:.1f} times the error, on the same {numbers['samples']} samples and with twice the steps; "
            f"the first layer alone ends at {first}. The threshold is {numbers['threshold']:.3g}.",
        )
    if sigmas > 5:
        return Verdict("undecided", measured, f"Worse, but only {ratio:.2f} times the error: not clearly.")
    return Verdict("fails", measured, "Layer-wise training does not end worse.")


def picture(numbers: Numbers) -> Picture:
    row = numbers["rows"][0]
    last = row["first"]["epochs"][-1]
    after = [last + epoch for epoch in row["layerwise"]["epochs"]]
    lines = [
        Line("both layers together", row["joint"]["epochs"], row["joint"]["curve"]),
        Line("the first layer alone", row["first"]["epochs"], row["first"]["curve"]),
        Line("then the second", after, row["layerwise"]["curve"]),
    ]
    return Picture("epoch", "test error", lines, (("threshold", numbers["threshold"]),), y_axis="log")


claim = Claim.of(__doc__, "algo.layerwise", "clearly worse", measure, judge, picture, seconds=25)
