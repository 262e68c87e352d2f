"""The rivals that no floor for kernels covers, on the target of sec. 8.1: who gets under the threshold, with how many
samples."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from pydantic import AfterValidator, Field, TypeAdapter
from typing_extensions import TypedDict

from kernelgap import networks, problems
from kernelgap.certificates import any_kernel
from kernelgap.curves import predict
from kernelgap.errors import check_printable
from kernelgap.paper.claims.claim import Line, Picture
from kernelgap.paper.claims.negative.adaptive import INSIDE, OUTSIDE, OWN, SHARED, Contest, machines
from kernelgap.paper.studies.study import HeatMap, Part, Row, Rows, Study, StudyScale
from kernelgap.problems import ParityProblem
from kernelgap.regression import feature_path
from kernelgap.regression.monomials import count_monomials, monomial_lasso
from kernelgap.training import Schedule, get_model, train_grid

NETWORK, WIDTH = "3resnet", 100
RATES, DECAYS = (0.08, 0.09, 0.1), (0.004, 0.005)  # around the best of fig2a, quick
FRESH = 7000  # added to seeds
WORSE = 1.3  # times the least validation error: there a path of penalties ends
FACTORS: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "gaussian": {SHARED: (2.0, 8.0, 32.0), OWN: (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)},
    "laplace": {SHARED: (1.0, 4.0, 16.0), OWN: (1.0, 4.0, 16.0)},
}
RESNET, REFITTED = "ResNet, all layers by SGD", "ResNet's trained features, last layer refitted"
KERNEL = "ntk3"  # of those with a spectrum, to compare with
FLOOR, PREDICTED = "any scalar kernel fixed beforehand, at least", f"{KERNEL}, predicted with the best ridge"


class OutsideRow(TypedDict):
    """A learner with n samples of one seed: its risk, and the share of the composite signal that it has learned."""

    learner: Annotated[str, AfterValidator(check_printable)]
    n: Annotated[int, Field(ge=1, le=10**9)]
    seed: Annotated[int, Field(ge=0)]
    risk: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    share: Annotated[float, Field(allow_inf_nan=False)]
    floor: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    threshold: Annotated[float, Field(gt=0, allow_inf_nan=False)]


Output = Float[np.ndarray, " rows"]
FitOutput = Callable[[Contest, int], Callable[[Float[np.ndarray, "rows d"]], Output]]


def _lasso(n: int, seeds: int, degree: int, seed: int) -> Rows:
    """Lasso over all monomials to a degree."""
    learner = f"lasso, degree {degree}"
    return [_by_output(learner, contest, partial(_fit_lasso, degree=degree)) for contest in _contests(n, seeds, seed)]


def _fit_lasso(contest: Contest, output: int, degree: int) -> Callable[[Float[np.ndarray, "rows d"]], Output]:
    """The penalty with the least validation error."""
    scale = contest.problem.scale
    (X, Y), (V, on_V) = contest.train, contest.validation
    best, least = None, np.inf
    for fit in monomial_lasso(X / scale, Y[:, output], degree):
        error = float(np.mean((fit.predict(V / scale) - on_V[:, output]) ** 2))
        if error < least:
            best, least = fit, error
        elif error > WORSE * least:
            break
    return lambda T: np.zeros(len(T)) if best is None else best.predict(T / scale)


def _by_output(learner: str, contest: Contest, fit: FitOutput) -> Row:
    """By renaming coordinates, one output of each kind stands for all of its kind."""
    problem, (T, on_T) = contest.problem, contest.test
    base, composite = problem.base(T), problem.composite(T)
    inside = len(problem.composite_sets[0])
    risk = learned = whole = 0.0
    for output, weight in ((INSIDE, inside), (OUTSIDE, problem.outputs - inside)):
        out = fit(contest, output)(T)
        risk += weight * float(np.mean((out - on_T[:, output]) ** 2))
        learned += weight * float(np.sum((out - base[:, output]) * composite[:, output]))
        whole += weight * float(np.sum(composite[:, output] ** 2))
    return _row(learner, contest, risk, learned / whole)


def _machine(n: int, seeds: int, kernel: str, seed: int) -> Rows:
    """The recursive feature machine with one kernel, in whichever of the ways has the least validation error."""
    rows, factors = [], FACTORS[kernel]
    for contest in _contests(n, seeds, seed):
        found = (
            contest.shared(machines(kernel, factors[SHARED], False)),
            contest.own(machines(kernel, factors[OWN], True)),
        )
        best = min(found, key=lambda each: float(each["validation"]))
        rows.append(_row(f"recursive feature machine, {kernel}", contest, best["risk"], best["share"]))
    return rows


def _network(n: int, seeds: int, seed: int) -> Rows:
    """The ResNet, and ridge regression of the same samples on the features that it has learned."""
    rows = []
    for contest in _contests(n, seeds, seed):
        (X, Y), (V, on_V), T = contest.train, contest.validation, contest.test[0]
        network, of_start = networks.get(NETWORK), jax.random.key(contest.seed)
        params = network.init(of_start, inputs=X.shape[1], outputs=Y.shape[1], width=WIDTH)
        pairs = [(rate, decay) for rate in RATES for decay in DECAYS]
        grid = train_grid(
            get_model(network, "all"),
            params,
            *([rate for rate, _ in pairs], [decay for _, decay in pairs]),
            contest.train,
            schedule=Schedule(),
            seed=[contest.seed, 3],
            evaluate={"validation": contest.validation},
        )
        best = grid.predictor(int(np.argmin(grid.final("validation"))))
        rows.append(_of_all(RESNET, contest, best(T)))
        weights = {**best.trained, **best.frozen}
        features = [np.asarray(network.features(weights, jnp.asarray(x, jnp.float32)), float) for x in (X, V, T)]
        path = feature_path(features[0], Y)
        chosen = int(np.argmin(path.errors(features[1], on_V)))
        rows.append(_of_all(REFITTED, contest, path.predict(features[2])[chosen]))
    return rows


def _of_all(learner: str, contest: Contest, out: Float[np.ndarray, "rows k"]) -> Row:
    problem, (T, on_T) = contest.problem, contest.test
    composite = problem.composite(T)
    share = float(np.sum((out - problem.base(T)) * composite) / np.sum(composite**2))
    return _row(learner, contest, float(np.mean(np.sum((out - on_T) ** 2, axis=1))), share)


def _row(learner: str, contest: Contest, risk: float, share: float) -> Row:
    n = len(contest.train[0])
    floor = any_kernel(contest.problem, n).mean_risk
    about = {"learner": learner, "n": n, "seed": contest.seed, "risk": float(risk), "share": float(share)}
    return about | {"floor": floor, "threshold": contest.problem.threshold}


def _contests(n: int, seeds: int, seed: int) -> list[Contest]:
    problem = problems.sec8()
    assert isinstance(problem, ParityProblem)
    return [Contest.draw(problem, n, s) for s in range(seed + FRESH, seed + FRESH + seeds)]


def _summarise(rows: Rows) -> Rows:
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["learner"], row["n"]), []).append(row)
    table = []
    for learner in dict.fromkeys(sorted((name for name, _ in groups), key=_order)):
        for n in sorted(size for name, size in groups if name == learner):
            own = groups[learner, n]
            risks = [row["risk"] for row in own]
            table.append(
                {
                    "learner": learner,
                    "n": n,
                    "median": float(np.median(risks)),
                    "least": min(risks),
                    "greatest": max(risks),
                    "seeds": len(own),
                    "share": round(float(np.median([row["share"] for row in own])), 4) + 0.0,
                    "floor": own[0]["floor"],
                    "threshold": own[0]["threshold"],
                    "under": bool(np.median(risks) < own[0]["threshold"]),
                    "features": _features(learner),
                }
            )
    return table


def _order(learner: str) -> int:
    return next(
        (i for i, start in enumerate(("lasso", "ResNet,", "ResNet's", "recursive")) if learner.startswith(start)), 9
    )


def _features(learner: str) -> int | None:
    """How many a lasso has to choose from."""
    return count_monomials(problems.sec8().d, int(learner[-1])) if learner.startswith("lasso") else None


def _sentence(rows: Rows) -> str:
    threshold = rows[0]["threshold"]
    under: list[str] = []
    above: list[str] = []
    for learner in dict.fromkeys(row["learner"] for row in rows):
        own = [row for row in rows if row["learner"] == learner]
        good = [row for row in own if row["under"]]
        one = min(good, key=lambda row: row["n"]) if good else min(own, key=lambda row: row["median"])
        text = f"{learner} (median {one['median']:.3g} with {one['n']:,} samples)"
        (under if good else above).append(text)
    first = f"Under the threshold {threshold:.3g}: {'; '.join(under) or 'nobody'}."
    return f"{first} Not under it, with their least: {'; '.join(above)}." if above else first


def _charts(rows: Rows) -> Mapping[str, Picture | HeatMap]:
    lines = [
        Line.of_points(learner, [row for row in rows if row["learner"] == learner], "n")
        for learner in dict.fromkeys(row["learner"] for row in rows)
    ]
    sizes = sorted({row["n"] for row in rows})
    lines.append(Line(FLOOR, sizes, [any_kernel(problems.sec8(), n).mean_risk for n in sizes]))
    lines.append(Line(PREDICTED, sizes, predict(problems.sec8(), KERNEL, sizes, "best").risk.tolist()))
    level = ("knowing F alone", rows[0]["threshold"])
    return {"outside": Picture("samples N", "test error", lines, (level,), x_axis="log", y_axis="log")}


def _scale(lasso: Sequence[int], network: Sequence[int], machine: Sequence[int], seeds: int, time: str) -> StudyScale:
    """The sizes of the samples for each learner; the costs are seconds on one core."""
    parts = [
        *(Part(f"lasso, degree 4, N = {n}", 2.0 * seeds, partial(_lasso, n, seeds, 4)) for n in lasso),
        *(Part(f"lasso, degree 8, N = {n}", 8.0 * seeds, partial(_lasso, n, seeds, 8)) for n in lasso),
        *(Part(f"{NETWORK}, N = {n}", 0.03 * n * seeds, partial(_network, n, seeds)) for n in network),
    ]
    for n in machine:
        cost = seeds * 8.0 * (n / 1000) ** 3
        parts += [Part(f"{k} feature machine, N = {n}", cost, partial(_machine, n, seeds, k)) for k in FACTORS]
    return StudyScale(tuple(parts), time)


SMALL, LARGE = (25, 50, 100, 250, 500), (250, 500, 1000)
outside = Study(
    name="outside",
    title="Outside the floor: rivals that choose their features by the labels, on the target of section 8.1",
    source="ours",
    scales={
        "quick": _scale(SMALL, LARGE, LARGE[1:], 3, "minutes"),
        "paper": _scale((*SMALL, 1000), LARGE, (500, 1000, 5000), 5, "hours"),
    },
    schema=TypeAdapter(list[OutsideRow]),
    columns=(
        ("learner", "learner", ""),
        ("n", "samples", ",d"),
        ("median", "median risk", ".3g"),
        ("least", "least", ".3g"),
        ("greatest", "greatest", ".3g"),
        ("seeds", "seeds", "d"),
        ("share", "learned of G(F)", ".1%"),
        ("features", "features to choose from", ",d"),
        ("floor", "floor for scalar kernels", ".3g"),
    ),
    summarise=_summarise,
    sentence=_sentence,
    charts=_charts,
    paragraphs=(
        "The floor is about kernels that are fixed before the target, with any weights. These learners choose their "
        "kernel or their features by the labels, or have an l1 penalty: it does not cover them.",
        "Lasso chooses among all monomials of the 30 coordinates up to a degree: 31,931 to degree 4, 8,656,937 to "
        "degree 8. They are never held at once: those that a solution would use are found by products of matrices. The "
        "composite signal has degree 8, so degree 4 can learn F and nothing more. At d = 30 this is feasible; for "
        "hard(d=256, k=5), with 9 billion monomials to degree 5, it would not be.",
        "Everyone chooses its settings on 1,000 further samples and is measured on 20,000. Lasso and the feature "
        "machine with a metric for each output learn one output of each of the two kinds; by symmetry it stands for "
        "all of its kind.",
    ),
)
