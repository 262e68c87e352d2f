"""footnote 7

The negative result for kernels has to be about some distributions: where x is non-zero on its first few coordinates
only, kernels and networks both learn the target, from a number of samples that does not grow with d."""

from itertools import product

import jax
import numpy as np
from jaxtyping import Float

from kernelgap import kernels, networks, problems
from kernelgap.certificates import any_kernel
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.problems import ParityProblem
from kernelgap.regression import ridge_path
from kernelgap.training import Schedule, get_model, train_grid

D1, K, ALPHA = 6, 3, 0.3  # the coordinates that are not 0; hidden ones among them
SAMPLES = (20, 40, 80, 160, 320)
SIZES = {"quick": ((16, 64, 256), 5), "full": ((16, 64, 256, 1024, 4096), 10)}  # every d, seeds
KERNELS = ("gaussian", "laplace", "arcsin", "recursive", "ck2(bias=True)", "ntk2(bias=True)", "ntk3")
RIDGE = 1e-6  # of the mean of K(x,x): the labels have no noise
WIDTH, RATES, DECAYS, EPOCHS = 100, (0.05, 0.1, 0.2), (1e-4, 1e-3), 200
NETWORK = "3resnet"


def measure(scale: str, seed: int) -> Numbers:
    dimensions, repeats = SIZES[scale]
    rows = []
    for d, s in product(dimensions, range(seed, seed + repeats)):
        few = problems.hard(d=d, k=K, alpha=ALPHA, d1=D1, background="zero", seed=s)
        points = every_point(few)
        H = few.target(points)
        X, Y = few.sample(max(SAMPLES), s)
        for name, n in product(KERNELS, SAMPLES):
            kernel = kernels.get(name).fit(unit(X[:n]))
            gram = kernel(unit(X[:n]))
            path = ridge_path(gram, Y[:n], [RIDGE * float(np.mean(np.diagonal(gram)))])
            out = path.predict(kernel(unit(points), unit(X[:n])))[0]
            rows.append({"learner": name, "d": d, "n": n, "seed": s, "risk": _risk(out, H)})
        rows += [{"learner": NETWORK, "d": d, "n": n, "seed": s, "risk": _by_sgd(few, n, s)} for n in SAMPLES[-2:]]
    few = problems.hard(d=dimensions[-1], k=K, alpha=ALPHA, d1=D1, background="zero")
    least = any_kernel(few, 0).family_size
    wide = {d: any_kernel(problems.hard(d=d, k=K, alpha=ALPHA), 0).samples_for(ALPHA**2 / 16) for d in dimensions}
    return {
        "dimensions": list(dimensions),
        "level": ALPHA**2 / 16,
        "rows": rows,
        "targets": least,
        "floors": [any_kernel(few, n).mean_risk for n in (0, least, *SAMPLES)],
        "paper_applies": any(any_kernel(few, n).paper_applies for n in SAMPLES),
        "uniform": [{"d": d, "n": n} for d, n in wide.items()],
    }


def every_point(problem: ParityProblem) -> Float[np.ndarray, "points d"]:
    """All inputs that the distribution has: signs on the first coordinates, zeros behind them."""
    signs = 1.0 - 2.0 * (np.arange(2**D1)[:, None] >> np.arange(D1) & 1)
    return np.hstack([signs, np.zeros((2**D1, problem.d - D1))]) * problem.scale


def unit(X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    """Each input divided by its length, as a learner may do: else d decides how long they are."""
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _by_sgd(problem: ParityProblem, n: int, seed: int) -> float | None:
    """The exact risk of the ResNet that does best on as many other samples; None if all diverged."""
    network = networks.get(NETWORK)
    params = network.init(jax.random.key(seed), inputs=problem.d, outputs=problem.outputs, width=WIDTH)
    (X, Y), (V, on_V) = problem.sample(n, seed), problem.sample(n, [seed, 1])
    rates, decays = zip(*product(RATES, DECAYS), strict=True)
    points = every_point(problem)
    evaluate = {"validation": (unit(V), on_V), "test": (unit(points), problem.target(points))}
    schedule = Schedule(epochs=EPOCHS, batch=20)
    model = get_model(network, "all")
    train = (unit(X), Y)
    grid = train_grid(
        model, params, rates, decays, train, schedule=schedule, seed=[seed, 3], evaluate=evaluate, epochs=[]
    )
    risk = float(grid.final("test")[int(np.argmin(grid.final("validation")))])
    return risk if np.isfinite(risk) else None


def _risk(out: Float[np.ndarray, "points k"], H: Float[np.ndarray, "points k"]) -> float:
    return float(np.mean(np.sum((out - H) ** 2, axis=1)))


def needed(rows: list[Numbers], learner: str, d: int, level: float) -> int | None:
    """The least number of samples from which on every seed is at the level; None if the most do not do."""
    answer = None
    for n in sorted({row["n"] for row in rows if row["learner"] == learner}, reverse=True):
        risks = [row["risk"] for row in rows if (row["learner"], row["d"], row["n"]) == (learner, d, n)]
        if not risks or any(risk is None or risk > level for risk in risks):
            break
        answer = n
    return answer


def judge(numbers: Numbers) -> Verdict:
    rows, level, dimensions = numbers["rows"], numbers["level"], numbers["dimensions"]
    learners = dict.fromkeys(row["learner"] for row in rows)
    by = {name: [needed(rows, name, d, level) for d in dimensions] for name in learners}
    learned = {name: [n for n in needs if n is not None] for name, needs in by.items()}
    everywhere = [name for name in learners if len(learned[name]) == len(dimensions)]
    kinds = [name for name in everywhere if name != NETWORK]
    seeds = len({row["seed"] for row in rows})
    listed = ", ".join(f"{name} {max(learned[name])}" for name in everywhere)
    measured = f"risk under alpha^2/16 at every d of {dimensions} over {seeds} seeds, with samples: {listed or 'none'}"
    says = [floor for floor in numbers["floors"][1:] if floor > 0]
    if says or numbers["paper_applies"]:
        return Verdict("fails", measured, "The floor speaks where the distribution has a few points only.")
    if not kinds:
        return Verdict("fails", measured, "No kernel learns at every d.")
    grows = [name for name in everywhere if max(learned[name]) > 2 * min(learned[name])]
    if NETWORK not in everywhere or grows:
        what = "The network does not learn at every d" if NETWORK not in everywhere else f"{grows[0]} needs more"
        return Verdict("undecided", measured, f"{what}, with at most {max(SAMPLES)} samples and a small search.")
    wide = numbers["uniform"][-1]
    reason = (
        f"x has {D1} signs, then zeros: {numbers['targets']} targets, so the floor is 0 from as many samples on, and "
        f"Theorem 2 asks for fewer than one sample. Risks over all {2**D1} points, inputs of length 1: zeros change "
        "nothing then for a kernel of <x,z>, and for the network only its start. With uniform signs at "
        f"d = {wide['d']} any scalar kernel needs {wide['n']:,} samples at least."
    )
    if missing := [name for name in learners if name not in everywhere]:
        reason += f" Not every kernel learns it: {', '.join(missing)}."
    return Verdict("holds", measured, reason)


def picture(numbers: Numbers) -> Picture:
    dimensions = numbers["dimensions"]
    lines = []
    for name in dict.fromkeys(row["learner"] for row in numbers["rows"]):
        needs = [needed(numbers["rows"], name, d, numbers["level"]) for d in dimensions]
        points = [(d, n) for d, n in zip(dimensions, needs, strict=True) if n is not None]
        lines.append(Line(name, [d for d, _ in points], [n for _, n in points]))
    lines.append(Line.of_rows("any scalar kernel, uniform signs, at least", numbers["uniform"], "d", "n"))
    return Picture("d", "samples", [line for line in lines if line.x], x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "thm2.trivial", "constantly many samples", measure, judge, picture, seconds=7)
