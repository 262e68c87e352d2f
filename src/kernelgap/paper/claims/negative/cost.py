"""section 7.2

Linear regression over features that reaches the network's risk needs so many features that storing and multiplying
them once costs more memory and time than the network's whole training."""

from functools import partial
from math import comb

from kernelgap import networks, problems
from kernelgap.certificates import any_kernel
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict
from kernelgap.runs import make_trial, plan_chunks, run_chunk
from kernelgap.training import Schedule

WIDTH = 100
SAMPLES = 500
SCHEDULE = Schedule()
GRID = {"quick": ((0.08, 0.09), (0.004, 0.005)), "full": ((0.05, 0.08, 0.09, 0.1), (0.003, 0.004, 0.005, 0.007))}
PASSES = 3  # a gradient step costs about three times the multiplications of a forward pass
ERRORS = 3  # standard errors of the test error that are given away


def measure(scale: str, seed: int) -> Numbers:
    problem = problems.get("sec8")
    rates, decays = GRID[scale]
    network = partial(make_trial, problem="sec8", network="3resnet", mode="all", width=WIDTH, samples=SAMPLES)
    trials = [network(seed=seed, rate=rate, decay=decay, schedule=SCHEDULE) for rate in rates for decay in decays]
    results = [result for chunk in plan_chunks(trials) for result in run_chunk(chunk).results]
    best = min((r for r in results if r.status == "done"), key=lambda result: result.validation_error)
    risk = best.test_error + ERRORS * best.test_standard_error
    weights = networks.get("3resnet").size(inputs=problem.d, outputs=problem.outputs, width=WIDTH)
    return {
        "risk": risk,
        "features": any_kernel(problem, SAMPLES).samples_for(risk),
        "weights": weights,
        "training_numbers": 3 * weights + SCHEDULE.batch * (problem.d + 2 * WIDTH + 2 * problem.outputs),
        "training_multiplications": PASSES * weights * SCHEDULE.epochs * SAMPLES,
        "searched": len(trials),
        "degree": 8,
        "d": problem.d,
    }


def judge(numbers: Numbers) -> Verdict:
    """D numbers to store and to multiply, against what the network's training stores and multiplies."""
    features, memory, work = numbers["features"], numbers["training_numbers"], numbers["training_multiplications"]
    measured = f"risk {numbers['risk']:.2g}: D >= {features:,}; network {memory:,} numbers, {work:.2g} multiplications"
    if features <= memory:
        return Verdict("fails", measured, "The network keeps more numbers than the features that the floor asks for.")
    fewer = f"The network keeps {features / memory:,.0f} times fewer numbers while it trains."
    if features > work:
        return Verdict("holds", measured, f"{fewer} One pass over D features costs more than all of its training.")
    d = numbers["d"]
    while comb(d, numbers["degree"]) * features / comb(numbers["d"], numbers["degree"]) <= work * d / numbers["d"]:
        d += 1
    reason = (
        f"{fewer} In time the statement is about large d: the floor asks a regression for D multiplications at least, "
        f"fewer than the training took; the two would cross at d = {d} if the training's cost grew like d."
    )
    return Verdict("undecided", measured, reason)


claim = Claim.of(__doc__, "thm3.cost", "D = (training time)^2 for large d", measure, judge, seconds=6)
