"""The least risk of a kernel method over all weights, even weights that know the target."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.special import betaincinv, ndtri

from kernelgap.certificates.exact.cube import Cube, cube_of
from kernelgap.certificates.floors import points, sampled, spectral
from kernelgap.certificates.floors.family import family_of
from kernelgap.certificates.floors.points import MOST_DIMENSIONS, Functions
from kernelgap.certificates.floors.span import Bracket
from kernelgap.certificates.floors.targets import Targets, all_targets, own_target, random_targets
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels import get as get_kernel
from kernelgap.kernels.cube.spectrum import CubeSpectrum, cube_spectrum
from kernelgap.machine import require_memory
from kernelgap.problems import ParityProblem, Problem
from kernelgap.problems.problem import Seed
from kernelgap.progress import Progress, silent
from kernelgap.rows import check_rows

SOME_TARGETS = 2000
MOST_SPECTRUM = 5000  # dimensions: eigenvalues by degree take time like d^3, 40 minutes then


@dataclass(frozen=True)
class OracleRisk:
    """What no weights get under with this kernel and these inputs.

    ``method`` is "proof" (the interval contains the true value, by ball arithmetic), "float64" (no sampling; the
    interval is what rounding can have done) or "estimate" (from sampled points; a 99% interval). ``exact`` is True for
    the first two.
    """

    kernel: str
    problem: str
    n: int
    threshold: float
    risk: float
    interval: tuple[float, float]
    method: str
    note: str = ""
    enclosure: str = ""  # the digits of a proof

    @property
    def exact(self) -> bool:
        return self.method != "estimate"


@dataclass(frozen=True)
class FamilyRisks:
    """Oracle risks over targets of a family: all of them, or a random sample."""

    kernel: str
    problem: str
    n: int
    risks: Float[np.ndarray, " targets"]
    low: Float[np.ndarray, " targets"]  # no risk is less, as far as rounding and sampled points can tell
    high: Float[np.ndarray, " targets"]  # none is more
    all: bool
    method: str
    threshold: float
    alpha: float
    note: str = ""

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


def oracle_risk(
    problem: Problem,
    kernel: Kernel | str,
    X: object,
    rigorous: bool = False,
    *,
    seed: Seed = 0,
    on_progress: Progress = silent,
) -> OracleRisk:
    """The least risk E |H - sum_n w_n K(., x_n)|^2 over all weights, for the problem's own target.

    A kernel with a formula in <x,z> and inputs on the cube give an exact answer for any d, and a proof with
    ``rigorous``; any other kernel an exact one up to d = 20, beyond that an estimate, for which ``seed`` draws points.
    ``on_progress`` takes the share done and what is being done.
    """
    kernel, rows = _prepare(problem, kernel, X)
    told = Told(kernel.spec, _spec(problem), len(rows), float(problem.threshold))
    on_cube = _on_cube(problem, kernel, rows)
    if on_cube is None:
        if rigorous:
            raise InputError(
                f"No proof for {kernel.spec} on {problem.name}: it takes a kernel given as a formula in <x,z> and "
                "inputs that are points of the problem's cube. Take rigorous=False."
            )
        rows = np.unique(rows, axis=0)
        return _of_functions(problem, lambda P: kernel(P, rows), len(rows), told, seed, on_progress)
    if rigorous:
        check_spectrum(on_cube.cube.d)
        from kernelgap.certificates.floors.rigorous import enclose

        ball = enclose(on_cube.problem, kernel, on_cube.cube, on_cube.signs, on_progress=on_progress)
        interval = (float(np.nextafter(float(ball.lower()), -np.inf)), float(np.nextafter(float(ball.upper()), np.inf)))
        return OracleRisk(*told, float(ball.mid()), interval, "proof", enclosure=ball.str(30))
    return _one(spectral.bracket(on_cube.spectrum(kernel), on_cube.signs, own_target(on_cube.problem)), told)


def feature_risk(
    problem: Problem,
    features: Functions,
    *,
    name: str = "features",
    seed: Seed = 0,
    on_progress: Progress = silent,
) -> OracleRisk:
    """The least risk of linear regression over features, a function of inputs (n, d) that gives an array (n, D)."""
    count = _count_features(problem, features)
    told = Told(name, _spec(problem), count, float(problem.threshold))
    return _of_functions(problem, features, count, told, seed, on_progress)


def oracle_risks(
    problem: Problem,
    kernel: Kernel | str,
    X: object,
    targets: int | str = "all",
    *,
    seed: Seed = 0,
    on_progress: Progress = silent,
) -> FamilyRisks:
    """The oracle risk of every target of the problem's family ("all"), or of so many drawn with ``seed``.

    Where the family cannot be listed, "all" takes 2000 drawn targets; ``.all`` tells which.
    """
    kernel, rows = _prepare(problem, kernel, X)
    family_of(problem)
    assert isinstance(problem, ParityProblem)
    chosen = _targets(problem, targets, seed)
    on_cube = _on_cube(problem, kernel, rows)
    if on_cube is not None:
        found = spectral.bracket(on_cube.spectrum(kernel), on_cube.signs, chosen)
    else:
        distinct = np.unique(rows, axis=0)
        return _risks_of_functions(
            problem, lambda P: kernel(P, distinct), len(distinct), chosen, kernel.spec, len(rows), seed, on_progress
        )
    return _many(found, chosen, problem, kernel.spec, len(rows))


def feature_risks(
    problem: Problem,
    features: Functions,
    targets: int | str = "all",
    *,
    name: str = "features",
    seed: Seed = 0,
    on_progress: Progress = silent,
) -> FamilyRisks:
    """The same for linear regression over features."""
    family_of(problem)
    assert isinstance(problem, ParityProblem)
    chosen = _targets(problem, targets, seed)
    count = _count_features(problem, features)
    return _risks_of_functions(problem, features, count, chosen, name, count, seed, on_progress)


def check_spectrum(d: int) -> None:
    """Refuse a dimension in which the eigenvalues of a kernel would take hours."""
    if d > MOST_SPECTRUM:
        raise InputError(f"A kernel's eigenvalues by degree are found up to d = {MOST_SPECTRUM:,}, not at d = {d:,}.")


def draw_inputs(problem: Problem, n: int, seed: Seed) -> Float[np.ndarray, "n d"]:
    """Training inputs, if they and their matrices fit into memory."""
    require_memory(8 * n * (4 * problem.d + 4 * n), f"{n:,} samples and their matrices", "Take fewer samples.")
    return problem.sample(n, seed)[0]


def seconds(d: int, n: int) -> float:
    """About how long the oracle risk of one kernel takes: eigenvalues like d^3, a factorisation like n^3."""
    return 4 * (d / 600) ** 3 + 2e-9 * n**3


class Told(NamedTuple):
    """What every answer repeats of the question."""

    kernel: str
    problem: str
    n: int
    threshold: float


class OnCube(NamedTuple):
    """A problem on a cube, and training inputs that are points of it."""

    problem: ParityProblem
    cube: Cube
    signs: Float[np.ndarray, "n d"]

    def spectrum(self, kernel: Kernel) -> CubeSpectrum:
        check_spectrum(self.cube.d)
        return cube_spectrum(kernel, self.cube.d, self.cube.squared_length)


def _prepare(problem: Problem, kernel: Kernel | str, X: object) -> tuple[Kernel, Float[np.ndarray, "n d"]]:
    kernel = get_kernel(kernel) if isinstance(kernel, str) else kernel
    if not isinstance(kernel, Kernel):
        raise InputError("kernel must be a name or a kernel; kernelgap.kernels.from_function makes one of a function.")
    rows = check_rows(X)
    if rows.shape[1] != problem.d:
        raise InputError(f"X has {rows.shape[1]} columns, inputs of {problem.name} have {problem.d}.")
    if len(rows) == 0:
        raise InputError("X has no rows: a kernel needs at least one training input.")
    return kernel.fit(rows), rows


def prepare_on_cube(problem: Problem, kernel: Kernel | str, X: object) -> tuple[Kernel, OnCube]:
    """The kernel and the inputs where all is a formula, or a refusal."""
    kernel, rows = _prepare(problem, kernel, X)
    on_cube = _on_cube(problem, kernel, rows)
    if on_cube is None:
        raise InputError(
            f"{kernel.spec} on {problem.name}: this takes a kernel given as a formula in <x,z> and inputs that are "
            "points of the problem's cube."
        )
    return kernel, on_cube


def _on_cube(problem: Problem, kernel: Kernel, rows: Float[np.ndarray, "n d"]) -> OnCube | None:
    """Where the kernel's formula and the problem's cube do all the work."""
    cube = cube_of(problem)
    if cube is None or not kernel.has_formula or not isinstance(problem, ParityProblem):
        return None
    signs = cube.signs(rows)
    return None if signs is None else OnCube(problem, cube, signs)


def _targets(problem: ParityProblem, targets: int | str, seed: Seed) -> Targets:
    if targets == "all":
        return all_targets(problem) or random_targets(problem, SOME_TARGETS, seed)
    if isinstance(targets, str):
        raise InputError(f"targets must be 'all' or a number, not {targets!r}.")
    return random_targets(problem, targets, seed)


def _risks_of_functions(
    problem: ParityProblem,
    functions: Functions,
    count: int,
    targets: Targets,
    name: str,
    n: int,
    seed: Seed,
    on_progress: Progress,
) -> FamilyRisks:
    cube = cube_of(problem)
    if cube is not None and cube.d <= MOST_DIMENSIONS:
        return _many(points.bracket(functions, cube, targets, on_progress), targets, problem, name, n)
    return _many(sampled.estimate_many(functions, problem, targets, count, seed), targets, problem, name, n, "estimate")


def _of_functions(
    problem: Problem, functions: Functions, count: int, told: Told, seed: Seed, on_progress: Progress
) -> OracleRisk:
    cube = cube_of(problem)
    if cube is not None and cube.d <= MOST_DIMENSIONS and isinstance(problem, ParityProblem):
        return _one(points.bracket(functions, cube, own_target(problem), on_progress), told)
    risk, interval, note = sampled.estimate(functions, problem, count, seed)
    return OracleRisk(*told, risk, interval, "estimate", note=note)


def _one(found: Bracket, told: Told) -> OracleRisk:
    interval = (float(found.low[0]), float(found.high[0]))
    return OracleRisk(*told, float(found.risk[0]), interval, "float64", note=found.note)


def _many(
    found: Bracket, targets: Targets, problem: ParityProblem, name: str, n: int, method: str = "float64"
) -> FamilyRisks:
    return FamilyRisks(
        kernel=name,
        problem=_spec(problem),
        n=n,
        risks=found.risk,
        low=found.low,
        high=found.high,
        all=targets.all,
        method=method,
        threshold=float(problem.threshold),
        alpha=float(problem.alpha),
        note=found.note,
    )


def _count_features(problem: Problem, features: Functions) -> int:
    shape = np.shape(features(problem.inputs(np.random.default_rng(0), 2)))
    if len(shape) != 2 or shape[0] != 2:
        raise InputError(f"features(X) must give one row for each input; for 2 inputs it gave the shape {shape}.")
    return int(shape[1])


def _spec(problem: Problem) -> str:
    try:
        return problem.spec
    except InputError:  # a background without a name
        return repr(problem)
