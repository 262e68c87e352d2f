"""Theorem 1

With noise in the labels, E |y - H|^2 / 2 = OPT, the risk of Algorithm 1 ends below a constant times OPT plus what it
ends with when there is no noise."""

from functools import partial

import numpy as np

from kernelgap import problems
from kernelgap.networks import Theory
from kernelgap.paper.algorithms import algorithm1
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import at_most, exponent, interval
from kernelgap.paper.theory.complexity import PLAIN
from kernelgap.paper.theory.theorem1 import quantities
from kernelgap.problems.parity import ParityProblem

D, K, ALPHA = 16, 3, 0.3
RATES = (0.3, 0.03)
NOISES = (0.05, 0.1, 0.2, 0.4, 0.8)
SIZES = {"quick": (100, 60_000, 5), "full": (400, 800_000, 5)}  # width, steps, starts


def measure(scale: str, seed: int) -> Numbers:
    width, steps, starts = SIZES[scale]

    run_with = partial(algorithm1, width=width, steps=steps, rates=[RATES], seeds=range(seed, seed + starts))

    def late(noise: float) -> float:
        """|H(x_t) - out_t(x_t)|^2 over the second half of the run, averaged over it and the starts."""
        run = run_with(_problem(noise, seed), times=[steps // 2], initialisation=Theory())
        lengths = np.diff([0, *run.ends])
        second = run.ends > steps // 2
        return float((run.passing_risk[:, 0, second] @ lengths[second]).mean() / lengths[second].sum())

    floor = late(0.0)
    risks = [late(noise) for noise in NOISES]
    opts = [quantities(_problem(noise, seed), PLAIN).opt for noise in NOISES]
    excess = [risk - floor for risk in risks]
    ratios = [more / opt for more, opt in zip(excess, opts, strict=True)]
    numbers: Numbers = {"threshold": K * ALPHA**2, "rates": list(RATES), "steps": steps, "starts": starts}
    numbers |= {"opt": opts, "floor": floor, "risk": risks, "ratio": ratios}
    return {**numbers, "exponent": exponent(opts, excess)} if min(ratios) > 0 else numbers


def _problem(noise: float, seed: int) -> ParityProblem:
    return problems.hard(d=D, k=K, alpha=ALPHA, noise=noise, seed=seed)


def judge(numbers: Numbers) -> Verdict:
    worst = max(numbers["ratio"])
    measured = f"risk <= {numbers['floor']:.2g} + {worst:.2g} OPT"
    if not np.isfinite(worst):
        return Verdict("fails", measured, "With noise the risk has no bound.")
    if "exponent" not in numbers:
        return Verdict("holds", measured, "At some noise the risk is no larger than without.")
    measured += f", excess ~ OPT^{interval(numbers['exponent'])}"
    outcome = at_most(numbers["exponent"], 1.0)
    if outcome == "fails":
        return Verdict("fails", measured, "The excess grows faster than OPT, so that no constant serves all of them.")
    reason = (
        f"For OPT from {min(numbers['opt']):.2g} to {max(numbers['opt']):.2g} (the threshold is "
        f"{numbers['threshold']:.2g}); risk against H itself over the second half of the run, {numbers['starts']} "
        f"starts. The excess is {numbers['ratio'][0]:.2g} OPT at the smallest OPT and {numbers['ratio'][-1]:.2g} OPT "
        "at the largest."
    )
    if outcome == "undecided":
        reason = f"1 lies inside the interval of the exponent. {reason}"
    return Verdict(outcome, measured, reason)


def picture(numbers: Numbers) -> Picture:
    lines = [Line("Algorithm 1", numbers["opt"], numbers["risk"]), Line("OPT", numbers["opt"], numbers["opt"])]
    levels = (("without noise", numbers["floor"]), ("knowing F alone", numbers["threshold"]))
    return Picture("OPT = outputs x noise^2 / 2", "risk against H", lines, levels, x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "thm1.agnostic", "<= O(OPT) + noiseless risk", measure, judge, picture, seconds=15)
