"""The predicted learning curve of a kernel on a problem of the cube, at any number of samples."""

import math
from dataclasses import dataclass, field, replace
from math import lgamma
from typing import Any

import numpy as np
from flint import arb
from jaxtyping import Float

from kernelgap.certificates.exact.cube import Cube, cube_of
from kernelgap.curves.arguments import Predictions, check_asked, check_number, check_numbers, in_shape, one_ridge
from kernelgap.curves.calibration import Calibration
from kernelgap.curves.theory import Groups, Solution, solve, solve_best
from kernelgap.display import Card, Displayed
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels.cube.balls import precision
from kernelgap.kernels.cube.spectrum import CubeSpectrum, cube_spectrum
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.kernels.registry import get as get_kernel
from kernelgap.problems import FourierProblem, Problem
from kernelgap.problems.problem import OF_PARITIES

MOST_SAMPLES = 1e15  # that are looked for, or asked about
LOOKED_AT = 200  # numbers of samples between two of which a need is looked for, at each round
MOST_DIMENSIONS = 5000


@dataclass(frozen=True, repr=False)
class Curve(Displayed, Predictions):
    """What the theory says of a kernel on a problem, at each number of samples and ridge.

    Attributes
    ----------
    problem
        Its text.
    risk
        E |f - H|^2, the predicted distance to the target, averaged over training samples.
    learned
        L for each degree (last axis): the share of a parity of this degree that is learned.
    by_degree
        The part of the risk that each degree leaves (last axis); with the part that noise adds, it sums to ``risk``.
    threshold
        The risk of knowing F alone.
    calibration
        How good the theory was where it was checked (``with_calibration``); None where it was not.
    """

    problem: str
    risk: Any
    learned: Float[np.ndarray, "... degrees"]
    by_degree: Float[np.ndarray, "... degrees"]
    threshold: float
    _groups: Groups = field(repr=False)
    calibration: Calibration | None = field(default=None, repr=False)

    def with_calibration(self, calibration: Calibration) -> "Curve":
        """The same with what ``calibrate`` found for this kernel and problem."""
        if (calibration.kernel, calibration.problem) != (self.kernel, self.problem):
            raise InputError(
                f"This calibration is of {calibration.kernel} on {calibration.problem}, not of {self.kernel} on "
                f"{self.problem}."
            )
        return replace(self, calibration=calibration)

    def _card(self) -> Card:
        facts = {"n": self.n, "risk": self.risk, "threshold": self.threshold, "problem": self.problem}
        facts |= {"ridge": self.ridge, "asked for": f"ridge {self.asked_ridge}"}
        return Card("predicted curve", self.kernel, facts)

    def samples_for(self, risk: float) -> int | None:
        """The least number of samples whose predicted risk is no greater than this one.

        With one ridge, or with the best ridge at each number. It is None if 10^15 samples do not get there.
        """
        return first_samples(self._groups, self.asked_ridge, check_number("risk", risk, least=0.0))


def first_samples(groups: Groups, asked_ridge: Any, goal: float) -> int | None:
    """The least number of samples whose predicted risk is no greater than the goal; None if 10^15 do not get there."""
    ridge = one_ridge(asked_ridge)

    def risk_at(n: np.ndarray) -> np.ndarray:
        return (solve_best(groups, n) if ridge is None else solve(groups, n, np.full(len(n), ridge))).risk

    low, high = 1.0, MOST_SAMPLES
    if risk_at(np.array([1.0]))[0] <= goal:
        return 1
    while high - low > 1:
        n = np.unique(np.round(np.geomspace(low, high, LOOKED_AT)))
        reached = np.flatnonzero(risk_at(n) <= goal)
        if not len(reached):
            return None
        low, high = n[max(reached[0] - 1, 0)], n[reached[0]]
    return int(high)


def predict(problem: Problem, kernel: Kernel | str, n: Any, ridge: Any = 0.0, *, noise: float | None = None) -> Curve:
    """What kernel ridge regression will reach, from the kernel's spectrum on the cube: nothing is drawn or fitted.

    Parameters
    ----------
    problem
        A problem of parities whose inputs are the points of a cube.
    kernel
        A kernel with a formula in <x,z>, or its name. A bandwidth "median" is the median distance on the cube.
    n
        The number of samples, or many.
    ridge
        As in ``KernelRegressor``, a number on the scale of K; or many; or "best", the one with the least test error at
        each n.
    noise
        The standard deviation of the label noise in each output; by default the problem's own.

    Returns
    -------
    Curve
        With the shape of ``n`` and ``ridge`` broadcast against each other.

    Raises
    ------
    InputError
        If the problem has no Fourier expansion on a cube, the kernel no spectrum there, or a number makes no sense.

    Examples
    --------
    >>> from kernelgap import problems
    >>> curve = predict(problems.get("sec8"), "ntk3", [500, 1000, 2000], ridge=1e-3)
    >>> curve.risk.round(2)
    array([8.65, 4.72, 2.54])
    >>> predict(problems.get("sec8"), "ntk3", 500, ridge="best").samples_for(0.02) > 5_766_215
    True
    """
    cube = cube_with_parities(problem)
    assert isinstance(problem, FourierProblem)
    kernel = on_cube(kernel, cube)
    samples = check_numbers("n", n, least=1.0, most=MOST_SAMPLES)
    noise = problem.noise if noise is None else check_number("noise", noise, least=0.0)
    groups = groups_of(problem, cube, cube_spectrum(kernel, cube.d, cube.squared_length), noise)
    asked, samples, ridges = check_asked(samples, ridge)
    flat = samples.ravel()
    solution = solve_best(groups, flat) if ridges is None else solve(groups, flat, ridges.ravel())
    return _curve(problem, kernel, groups, flat, solution, samples.shape, asked)


def on_cube(kernel: Kernel | str, cube: Cube) -> Kernel:
    """The kernel, its bandwidth the median distance between points of the cube where it takes that."""
    kernel = get_kernel(kernel)
    if kernel.is_fitted:
        return kernel
    if isinstance(kernel, DistanceKernel):
        differ = _median_of_differences(cube.d)
        distance = 2 * math.sqrt(float(cube.squared_scale) * differ)
        return replace(kernel, bandwidth=distance * kernel.factor, factor=1.0)
    raise InputError(f"{kernel.spec} takes its bandwidth from data: give a number.")


def groups_of(problem: FourierProblem, cube: Cube, spectrum: CubeSpectrum, noise: float) -> Groups:
    """One group for each degree: its parities share an eigenvalue."""
    energies = np.zeros(cube.d + 1)
    target = problem.target_fourier
    for index_set, row in zip(target.index_sets, target.coefficients, strict=True):
        energies[len(index_set)] += float(row @ row)
    with precision(spectrum.bits):
        logs = [_log(ball, degree, spectrum) for degree, ball in enumerate(spectrum.balls)]
    sizes = [lgamma(cube.d + 1) - lgamma(k + 1) - lgamma(cube.d - k + 1) for k in range(cube.d + 1)]
    return Groups(np.array(sizes), np.array(logs), energies, problem.outputs * noise**2)


def _log(ball: arb, degree: int, spectrum: CubeSpectrum) -> float:
    """The logarithm of an eigenvalue; -inf where it is 0. A negative one is no kernel's."""
    if ball.contains(0):
        return -math.inf
    if ball < 0:
        raise InputError(
            f"The eigenvalue of degree {degree} of {spectrum.kernel.spec} is negative: it is no positive semi-definite "
            "kernel on this cube, and the theory does not apply."
        )
    return float(ball.log().mid())


def cube_with_parities(problem: Problem) -> Cube:
    """The cube of a problem whose target is a sum of parities, or a refusal."""
    cube = cube_of(problem) if isinstance(problem, FourierProblem) else None
    if cube is None:
        raise InputError(
            f"{problem.name} has no Fourier expansion on a cube, from which a curve could be predicted. Problems that "
            f"have one: {OF_PARITIES} (with uniform or zero backgrounds)."
        )
    if cube.d > MOST_DIMENSIONS:
        raise InputError(f"Spectra are computed up to {MOST_DIMENSIONS:,} coordinates, not {cube.d:,}.")
    return cube


def _curve(
    problem: FourierProblem,
    kernel: Kernel,
    groups: Groups,
    n: np.ndarray,
    solution: Solution,
    shape: tuple[int, ...],
    asked: Any,
) -> Curve:
    log_learned, log_left = groups.shares(solution.log_kappa)
    left = solution.overfitting[:, None] * np.exp(2 * log_left) * groups.energies

    numbers = {name: values for name, values in vars(solution).items() if name != "log_kappa"}
    return Curve(
        problem=problem.spec,
        kernel=kernel.spec,
        threshold=float(problem.threshold),
        _groups=groups,
        asked_ridge=asked,
        **in_shape(shape, {"n": n, "learned": np.exp(log_learned), "by_degree": left, **numbers}),
    )


def _median_of_differences(d: int) -> int:
    """The median number of coordinates in which two points of the cube differ, if they differ at all."""
    total, reached = 2**d - 1, 0
    for differ in range(1, d + 1):
        reached += math.comb(d, differ)
        if 2 * reached >= total:
            return differ
    return d
