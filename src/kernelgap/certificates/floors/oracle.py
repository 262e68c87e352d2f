"""The least risk of a kernel method over all weights, even weights that know the target."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.special import betaincinv, ndtri

from kernelgap.certificates.exact.cube import Cube, cube_of
from kernelgap.certificates.floors import points, spectral
from kernelgap.certificates.floors.family import family_of
from kernelgap.certificates.floors.points import MOST_DIMENSIONS, Functions
from kernelgap.certificates.floors.rigorous import MOST_WORK, enclose
from kernelgap.certificates.floors.span import Bracket
from kernelgap.certificates.floors.targets import OneTarget, Targets, all_targets, own_target, random_targets
from kernelgap.display import Card, Displayed
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels import get as get_kernel
from kernelgap.kernels.cube.spectrum import CubeSpectrum, cube_spectrum
from kernelgap.machine import require_memory
from kernelgap.problems import FourierProblem, ParityProblem, Problem
from kernelgap.problems.problem import Seed
from kernelgap.progress import Progress, silent
from kernelgap.rows import check_rows

SOME_TARGETS = 2000
MOST_SPECTRUM = 5000  # dimensions: eigenvalues by degree take time like d^3, 40 minutes then


@dataclass(frozen=True, repr=False)
class OracleRisk(Displayed):
    """What no weights get under with this kernel and these inputs.

    Attributes
    ----------
    kernel, problem, n, threshold
        The question: n samples or features; the threshold is the risk of knowing F alone.
    risk, interval
        The answer, and what contains it.
    method
        "proof" (the interval contains the true value, by ball arithmetic), "float64" (no sampling; the interval is what
        rounding can have done) or "estimate" (from sampled points; a 99% interval). The first two are ``exact``.
    note, enclosure
        How the answer came about; the digits of a proof.
    """

    kernel: str
    problem: str
    n: int
    threshold: float
    risk: float
    interval: tuple[float, float]
    method: str
    note: str = ""
    enclosure: str = ""

    def _card(self) -> Card:
        facts = {"risk": self.risk, "threshold": self.threshold, "n": self.n, "interval": _interval(self.interval)}
        facts |= {"problem": self.problem, "method": self.method}
        how = "" if self.exact else " Estimated from sampled points: the interval is one of 99%."
        about = f"No weights, even weights that know the target, get under it.{how}"
        return Card("oracle risk", self.kernel, facts, about)

    @property
    def exact(self) -> bool:
        return self.method != "estimate"


@dataclass(frozen=True, repr=False)
class FamilyRisks(Displayed):
    """Oracle risks over targets of a family.

    Attributes
    ----------
    risks, low, high
        For each target; as far as rounding and sampled points can tell, no risk is less than low or more than high.
    all
        Whether these are all targets of the family, or a random sample.
    kernel, problem, n, method, threshold, alpha, note
        As in ``OracleRisk``; alpha is the strength of the composite signal.
    """

    kernel: str
    problem: str
    n: int
    risks: Float[np.ndarray, " targets"]
    low: Float[np.ndarray, " targets"]
    high: Float[np.ndarray, " targets"]
    all: bool
    method: str
    threshold: float
    alpha: float
    note: str = ""

    def _card(self) -> Card:
        facts = {"mean": self.mean, "threshold": self.threshold, "n": self.n, "interval": _interval(self.interval)}
        facts |= {"targets": f"{len(self.risks):,}{' (all)' if self.all else ''}", "risks": self.risks}
        return Card("oracle risks", self.kernel, facts | {"problem": self.problem, "method": self.method})

    @property
    def mean(self) -> float:
        return float(self.risks.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Of the mean over the family: rounding where it has been enumerated, else 99% of the sampling as well."""
        times = 0.0
        if not self.all:
            spread = float(self.risks.std(ddof=1)) if len(self.risks) > 1 else np.inf
            times = float(ndtri(0.995)) * spread / len(self.risks) ** 0.5
        return float(self.low.mean()) - times, float(self.high.mean()) + times

    def share_above(self, risk: float) -> float:
        """The share of the targets whose oracle risk exceeds this one, beyond what rounding could fake."""
        return float(np.mean(self.low > risk))

    def share_interval(self, risk: float) -> tuple[float, float]:
        """The share over the whole family: rounding where it has been enumerated, else Clopper and Pearson's 99%."""
        count, least, most = len(self.risks), int(np.sum(self.low > risk)), int(np.sum(self.high > risk))
        if self.all:
            return least / count, most / count
        return (
            float(betaincinv(least, count - least + 1, 0.005)) if least else 0.0,
            float(betaincinv(most + 1, count - most, 0.995)) if most < count else 1.0,
        )

    def quantile(self, share: float) -> float:
        """The risk that a share of the targets stays under."""
        return float(np.quantile(self.risks, share))


def _interval(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.10g} to {ends[1]:.10g}"


def oracle_risk(
    problem: Problem,
    kernel: Kernel | str,
    X: object,
    rigorous: bool = False,
    *,
    seed: Seed = 0,
    most_work: float = MOST_WORK,
    on_progress: Progress = silent,
) -> OracleRisk:
    """The least risk E |H - sum_n w_n K(., x_n)|^2 over all weights, for the problem's own target.

    A kernel with a formula in <x,z> and inputs on the cube give an exact answer for any d; any other kernel gives an
    exact one up to d = 20, beyond that an estimate.

    Parameters
    ----------
    problem, kernel
        The problem, and a kernel or its name.
    X
        Training inputs (n, d).
    rigorous
        Prove the answer in ball arithmetic; for a kernel with a formula and inputs on the cube.
    seed
        Draws points for an estimate.
    most_work
        Of solving in balls for a proof, n^3 times bits, where refined weights do not do; more is refused beforehand.
    on_progress
        Takes the share done and what is being done.

    Returns
    -------
    OracleRisk

    Raises
    ------
    InputError
        If the inputs do not fit the problem, or there is no proof.
    """
    learner = _of_kernel(problem, kernel, X)
    if not rigorous:
        return _own_risk(problem, learner, seed, on_progress)
    if learner.on_cube is None:
        raise InputError(
            f"No proof for {learner.name} on {problem.name}: it takes a kernel given as a formula in <x,z> and "
            "inputs that are points of the problem's cube. Take rigorous=False."
        )
    own, cube, signs = learner.on_cube.problem, learner.on_cube.cube, learner.on_cube.signs
    check_spectrum(cube.d)
    ball = enclose(own, learner.on_cube.kernel, cube, signs, on_progress=on_progress, most_work=most_work)
    interval = (float(np.nextafter(float(ball.lower()), -np.inf)), float(np.nextafter(float(ball.upper()), np.inf)))
    return OracleRisk(*_about(problem, learner), float(ball.mid()), interval, "proof", enclosure=ball.str(30))


def feature_risk(
    problem: Problem, features: Functions, *, name: str = "features", seed: Seed = 0, on_progress: Progress = silent
) -> OracleRisk:
    """The least risk of linear regression over features.

    Parameters
    ----------
    features
        A function of inputs (n, d) that gives an array (n, D).
    name
        What the answer calls it.
    problem, seed, on_progress
        As in ``oracle_risk``.
    """
    return _own_risk(problem, _of_features(problem, features, name), seed, on_progress)


def oracle_risks(
    problem: Problem,
    kernel: Kernel | str,
    X: object,
    targets: int | str = "all",
    *,
    seed: Seed = 0,
    on_progress: Progress = silent,
) -> FamilyRisks:
    """The oracle risks of a kernel over the targets of the problem's family.

    Parameters
    ----------
    targets
        "all", or the number of targets to draw. Where the family cannot be listed, "all" takes 2000 drawn targets;
        ``.all`` of the answer tells which.
    seed
        Draws targets, and points for an estimate.
    problem, kernel, X, on_progress
        As in ``oracle_risk``.
    """
    return _family_risks(problem, _of_kernel(problem, kernel, X), targets, seed, on_progress)


def feature_risks(
    problem: Problem,
    features: Functions,
    targets: int | str = "all",
    *,
    name: str = "features",
    seed: Seed = 0,
    on_progress: Progress = silent,
) -> FamilyRisks:
    """The oracle risks of linear regression over features, over the targets of the problem's family.

    Parameters
    ----------
    features, name
        As in ``feature_risk``.
    targets, seed
        As in ``oracle_risks``.
    problem, on_progress
        As in ``oracle_risk``.
    """
    return _family_risks(problem, _of_features(problem, features, name), targets, seed, on_progress)


def check_spectrum(d: int) -> None:
    """Refuse a dimension in which the eigenvalues of a kernel would take hours."""
    if d > MOST_SPECTRUM:
        raise InputError(f"A kernel's eigenvalues by degree are found up to d = {MOST_SPECTRUM:,}, not at d = {d:,}.")


def draw_inputs(problem: Problem, n: int, seed: Seed) -> Float[np.ndarray, "n d"]:
    """Training inputs, if they and their matrices fit into memory."""
    require_memory(8 * n * (4 * problem.d + 4 * n), f"{n:,} samples and their matrices", "Take fewer samples.")
    return problem.sample(n, seed)[0]


def seconds(d: int, n: int, rigorous: bool = False) -> float:
    """About how long the oracle risk of one kernel takes: eigenvalues like d^3, a factorisation like n^3."""
    return 4 * (d / 600) ** 3 + (5e-9 if rigorous else 2e-9) * n**3


class OnCube(NamedTuple):
    """A problem on a cube, a kernel with a formula, and training inputs that are points of the cube."""

    problem: FourierProblem
    kernel: Kernel
    cube: Cube
    signs: Float[np.ndarray, "n d"]

    def spectrum(self) -> CubeSpectrum:
        check_spectrum(self.cube.d)
        return cube_spectrum(self.kernel, self.cube.d, self.cube.squared_length)


class _Learner(NamedTuple):
    """What is combined linearly: so many ``distinct`` functions of the inputs, that come of n samples or features."""

    name: str
    n: int
    functions: Functions
    distinct: int
    on_cube: OnCube | None = None  # where formula and cube do all the work


def _of_kernel(problem: Problem, kernel: Kernel | str, X: object) -> _Learner:
    kernel = get_kernel(kernel) if isinstance(kernel, str) else kernel
    if not isinstance(kernel, Kernel):
        raise InputError("kernel must be a name or a kernel; kernelgap.kernels.from_function makes one of a function.")
    rows = check_rows(X)
    if rows.shape[1] != problem.d:
        raise InputError(f"X has {rows.shape[1]} columns, inputs of {problem.name} have {problem.d}.")
    if len(rows) == 0:
        raise InputError("X has no rows: a kernel needs at least one training input.")
    fitted, distinct = kernel.fit(rows), np.unique(rows, axis=0)
    cube = cube_of(problem)
    signs = cube.signs(rows) if cube is not None and fitted.has_formula else None
    on_cube = None
    if cube is not None and signs is not None and isinstance(problem, FourierProblem):
        on_cube = OnCube(problem, fitted, cube, signs)
    return _Learner(fitted.spec, len(rows), lambda P: fitted(P, distinct), len(distinct), on_cube)


def _of_features(problem: Problem, features: Functions, name: str) -> _Learner:
    shape = np.shape(features(problem.inputs(np.random.default_rng(0), 2)))
    if len(shape) != 2 or shape[0] != 2:
        raise InputError(f"features(X) must give one row for each input; for 2 inputs it gave the shape {shape}.")
    return _Learner(name, int(shape[1]), features, int(shape[1]))


def prepare_on_cube(problem: Problem, kernel: Kernel | str, X: object) -> OnCube:
    """The kernel and the inputs where all is a formula, or a refusal."""
    learner = _of_kernel(problem, kernel, X)
    if learner.on_cube is None:
        raise InputError(
            f"{learner.name} on {problem.name}: this takes a kernel given as a formula in <x,z> and inputs that are "
            "points of the problem's cube."
        )
    return learner.on_cube


def _exact(problem: Problem, learner: _Learner, targets: Targets | OneTarget, on_progress: Progress) -> Bracket | None:
    """The risks of these targets without sampling, by the spectrum or at every point; None where neither reaches."""
    if learner.on_cube is not None:
        return spectral.bracket(learner.on_cube.spectrum(), learner.on_cube.signs, targets)
    cube = cube_of(problem)
    if cube is None or cube.d > MOST_DIMENSIONS:
        return None
    return points.bracket(learner.functions, cube, targets, on_progress)


def _own_risk(problem: Problem, learner: _Learner, seed: Seed, on_progress: Progress) -> OracleRisk:
    about = _about(problem, learner)
    if isinstance(problem, FourierProblem):
        exact = _exact(problem, learner, own_target(problem), on_progress)
        if exact is not None:
            interval = (float(exact.low[0]), float(exact.high[0]))
            return OracleRisk(*about, float(exact.risk[0]), interval, "float64", note=exact.note)
    risk, interval, note = points.estimate(learner.functions, problem, learner.distinct, seed, on_progress)
    return OracleRisk(*about, risk, interval, "estimate", note=note)


def _family_risks(
    problem: Problem, learner: _Learner, targets: int | str, seed: Seed, on_progress: Progress
) -> FamilyRisks:
    family_of(problem)  # refuses what has no family
    if not isinstance(problem, ParityProblem):
        raise InputError(f"The targets of the family of {problem.name} are not listed: take oracle_risk, of its own.")
    if targets == "all":
        chosen = all_targets(problem) or random_targets(problem, SOME_TARGETS, seed)
    elif isinstance(targets, str):
        raise InputError(f"targets must be 'all' or a number, not {targets!r}.")
    else:
        chosen = random_targets(problem, targets, seed)
    exact = _exact(problem, learner, chosen, on_progress)
    risks = exact
    if risks is None:
        risks = points.estimate_many(learner.functions, problem, chosen, learner.distinct, seed, on_progress)
    name, spec, n, threshold = _about(problem, learner)
    ends, method = (risks.risk, risks.low, risks.high), "estimate" if exact is None else "float64"
    return FamilyRisks(name, spec, n, *ends, chosen.all, method, threshold, float(problem.alpha), risks.note)


def _about(problem: Problem, learner: _Learner) -> tuple[str, str, int, float]:
    """What every answer repeats of the question."""
    try:
        spec = problem.spec
    except InputError:  # a background without a name
        spec = repr(problem)
    return learner.name, spec, learner.n, float(problem.threshold)
