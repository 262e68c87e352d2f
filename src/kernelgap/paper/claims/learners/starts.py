"""Random starts: the entries of each layer have the stated mean and variance, within sampling error."""

import math

import jax
import numpy as np

from kernelgap import networks
from kernelgap.errors import InputError
from kernelgap.networks import Initialisation, TheoremStart, WidthStart
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict

DRAWS = {"quick": 10, "full": 400}
D, K, M = 30, 15, 400
WEIGHTS = {"W": "first", "b1": "first", "V": "second", "b2": "second", "A": "output"}
FAR = 4.5  # standard errors: 15 statistics that are right exceed it once in 10,000


def moments(start: Initialisation, stated: dict[str, float], draws: int, seed: int) -> list[Numbers]:
    """Mean, variance and fourth moment of each weight's entries, in standard errors from N(0, stated variance)."""
    keys = jax.random.split(jax.random.key(seed), draws)
    each = [networks.resnet.init(key, inputs=D, outputs=K, width=M, initialisation=start) for key in keys]
    rows = []
    for name, layer in WEIGHTS.items():
        z = np.concatenate([np.asarray(params[name], float).ravel() for params in each]) / math.sqrt(stated[layer])
        # E z^2 = 1 and E z^4 = 3, Var z = 1, Var z^2 = 2 and Var z^4 = 96 for a standard normal z
        known = ((z, 0, 1), (z**2, 1, 2), (z**4, 3, 96))
        off = [float((power.mean() - mean) * math.sqrt(z.size) / math.sqrt(var)) for power, mean, var in known]
        variance = float(np.var(z) * stated[layer])
        rows.append({"weight": name, "stated": stated[layer], "variance": variance, "off": off})
    return rows


def measure_experiment(scale: str, seed: int) -> Numbers:
    stated = dict.fromkeys(("first", "second", "output"), 1 / M)
    return {"rows": moments(WidthStart(), stated, DRAWS[scale], seed)}


def measure_theory(scale: str, seed: int) -> Numbers:
    """At two points of Table 1's ranges; and points outside of them, one at a time."""
    rows = []
    for sigma_w, sigma_v in ((M**-0.25, M ** (3 / 16)), (M**-0.4, 1.5)):
        stated = {"first": sigma_w**2, "second": sigma_v**2 / M, "output": 1 / M}
        rows += moments(TheoremStart(sigma_w, sigma_v), stated, DRAWS[scale], seed)
    outside = [(M**-0.5, 1.5), (1.0, 1.5), (M**-0.25, 0.9), (M**-0.25, M**0.375)]
    return {"rows": rows, "refused": [_refused(*pair) for pair in outside]}


def _refused(sigma_w: float, sigma_v: float) -> bool:
    try:
        networks.resnet.init(
            jax.random.key(0), inputs=D, outputs=K, width=M, initialisation=TheoremStart(sigma_w, sigma_v)
        )
    except InputError:
        return True
    return False


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    worst = max(rows, key=lambda row: max(map(abs, row["off"])))
    off = max(map(abs, worst["off"]))
    ratios = [row["variance"] / row["stated"] for row in rows]
    measured = (
        f"variance {min(ratios):.4f} to {max(ratios):.4f} of the stated; moments off by {off:.1f} standard errors"
    )
    if off > FAR:
        return Verdict("fails", measured, f"{worst['weight']} is not drawn as stated.")
    if not all(numbers.get("refused", [])):
        return Verdict("fails", measured, "A start outside of Table 1's ranges is let pass.")
    reason = "First, second and fourth moments of the entries of W, V, A and both biases."
    reason += " Starts outside of Table 1's ranges are refused." if "refused" in numbers else ""
    return Verdict("holds", measured, reason)


claims = (
    Claim(
        "net.init.theory",
        "sec. 6, Table 1",
        "The theory's start: A ~ N(0, 1/m), W ~ N(0, sigma_w^2), V ~ N(0, sigma_v^2/m), with sigma_w and sigma_v in "
        "Table 1's ranges, which are checked.",
        "1/m, sigma_w^2, sigma_v^2/m",
        measure_theory,
        judge,
        identity=True,
    ),
    Claim(
        "net.init.experiment",
        "sec. 8.1",
        "The experiments' start: every weight and bias ~ N(0, 1/m). The mean of 1 in print is a misprint.",
        "mean 0, variance 1/m",
        measure_experiment,
        judge,
        identity=True,
    ),
)
