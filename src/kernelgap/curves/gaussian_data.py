r"""Estimated learning curves on roughly Gaussian data, from its covariance alone, by a Hermite expansion.

Let x be Gaussian with covariance Sigma, whose eigenvalues are gamma_i, and z its whitened coordinates. For a kernel of
<x,y> Gaussian integration by parts gives, for the normalised Hermite polynomial h_a of a multi-index a of degree k,

    E_x K(<x,y>) h_a(x) = E_x[K^(k)(<x,y>)] prod_i (gamma_i^(1/2) y_i)^(a_i) / sqrt(a!).

Where the mean of the k-th derivative hardly depends on y, h_a is an eigenfunction with the eigenvalue

    lambda_a = c_k prod_i gamma_i^(a_i),        c_k = E K^(k)(<x,y>).

Lengths count as fixed, |x|^2 = |y|^2 = r^2 = tr Sigma, and the cosine of x and y as that of points on a sphere of
D = (tr Sigma)^2 / tr Sigma^2 dimensions. On that sphere the mean of the k-th derivative is
c_k r^(2k) = D (D + 2) ... (D + 2k - 2) E K(u) P_k(u), with the Gegenbauer polynomials P_k(1) = 1. All of this is exact
for <x,y> and <x,y>^2, and an estimate otherwise: the better, the larger D is.

(The form of lambda_a is that of Karkada, Turnbull, Liu and Simon, "Predicting kernel regression learning curves from
only raw data statistics", 2025, who take the derivative at 0 in place of its mean.)

Products of eigenvalues are counted in bins of their logarithm. What the degrees that are counted leave of K(x,x) is one
group of functions of which hardly anything is learned: it acts as a ridge.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.special import roots_gegenbauer

from kernelgap.curves.arguments import Predictions, check_asked, check_number, check_numbers, in_shape
from kernelgap.curves.curve import MOST_SAMPLES, first_samples
from kernelgap.curves.theory import Groups, solve, solve_best
from kernelgap.errors import InputError, shown
from kernelgap.kernels import Kernel
from kernelgap.kernels.cube.spectrum import check_of_inner_products
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel
from kernelgap.kernels.registry import get as get_kernel
from kernelgap.rows import check_rows

LEAST_DIMENSION = 3.0  # effective ones, below which lengths are far from fixed
MOST_DEGREE = 10
NODES = 400  # of the quadrature over cosines
ROUNDING = 1e-2  # of K(x,x): what rounding may change of c_k r^2k in a degree that is counted
SPACING = 0.1  # of bins of log eigenvalues
DEPTH = 40.0  # products of eigenvalues so far below the greatest are left to the rest
NOTHING = 1e-12  # of the greatest eigenvalue of a covariance: less counts as 0
REST = 80.0  # log of the number of functions that share what is left of K(x,x)
Degrees = Float[np.ndarray, " degrees"]


@dataclass(frozen=True)
class EstimatedCurve(Predictions):
    """What a kernel is estimated to reach on Gaussian data, at each number of samples and ridge.

    Attributes
    ----------
    risk
        E |f - H|^2, as in ``Curve``.
    dimension
        D = (tr Sigma)^2 / tr Sigma^2: the estimate is good if it is large.
    """

    risk: Any
    dimension: float
    _groups: Groups = field(repr=False)

    @property
    def sentence(self) -> str:
        return (
            f"An estimate for {self.kernel} from the covariance alone: it holds for Gaussian inputs of nearly equal "
            f"lengths; their effective dimension is {self.dimension:.3g}."
        )

    def samples_for(self, risk: float) -> int | None:
        """The least number of samples whose estimated risk is no greater than this one, as in ``Curve``."""
        return first_samples(self._groups, self.asked_ridge, check_number("risk", risk, least=0.0))


def predict_from_covariance(
    covariance: object,
    target: Mapping[tuple[int, ...], float],
    kernel: Kernel | str,
    n: Any,
    ridge: Any = 0.0,
    *,
    noise: float = 0.0,
) -> EstimatedCurve:
    """Estimate what kernel ridge regression will reach on centred, roughly Gaussian inputs, from their covariance.

    Parameters
    ----------
    covariance
        The covariance matrix of the inputs, or its eigenvalues.
    target
        The coefficient of each Hermite polynomial of the target. The key (2, 0, 1) stands for
        h_2(z_1) h_1(z_3), with z the inputs along the eigenvectors of the covariance, the greatest eigenvalue first,
        each divided by its standard deviation, and h_k of norm 1: h_2(z) = (z^2 - 1) / sqrt(2).
    kernel
        A kernel with a formula in <x,y>, |x| and |y|, or its name.
    n, ridge
        As in ``predict``.
    noise
        The standard deviation of the label noise.

    Returns
    -------
    EstimatedCurve
        An estimate, which its ``sentence`` says.

    Raises
    ------
    InputError
        If the covariance is none, its effective dimension is below 3, the kernel is not positive semi-definite there,
        or a number makes no sense.

    Examples
    --------
    >>> gammas = 1 / np.arange(1, 41)
    >>> curve = predict_from_covariance(gammas, {(1,): 1.0, (1, 1): 0.5}, "laplace", [100, 1000], ridge=1e-3)
    >>> curve.risk.round(2)
    array([0.28, 0.02])
    """
    gammas = _eigenvalues(covariance)
    dimension = float(gammas.sum() ** 2 / (gammas**2).sum())
    if dimension < LEAST_DIMENSION:
        raise InputError(
            f"The effective dimension of this covariance is {dimension:.3g}: below {LEAST_DIMENSION:g} lengths vary "
            "too much for this estimate."
        )
    kernel = _fitted(get_kernel(kernel), float(gammas.sum()), dimension)
    samples = check_numbers("n", n, least=1.0, most=MOST_SAMPLES)
    asked, samples, ridges = check_asked(samples, ridge)
    spread = check_number("noise", noise, least=0.0) ** 2
    groups = _groups(gammas, kernel, _checked_target(target, len(gammas)), dimension, spread)
    flat = samples.ravel()
    solution = solve_best(groups, flat) if ridges is None else solve(groups, flat, ridges.ravel())

    numbers = {name: values for name, values in vars(solution).items() if name != "log_kappa"}
    return EstimatedCurve(
        kernel=kernel.spec,
        dimension=dimension,
        _groups=groups,
        asked_ridge=asked,
        **in_shape(samples.shape, {"n": flat, **numbers}),
    )


def _eigenvalues(covariance: object) -> Float[np.ndarray, " d"]:
    """The positive eigenvalues, the greatest first."""
    name = "The covariance"
    if np.ndim(covariance) == 1:  # type: ignore[arg-type]  # of anything
        values = check_numbers(name, covariance, least=-math.inf)
    else:
        matrix = check_rows(covariance, name)
        size = float(np.abs(matrix).max(initial=0.0))
        if matrix.shape[0] != matrix.shape[1] or not np.allclose(matrix, matrix.T, rtol=0, atol=1e-8 * size):
            raise InputError(f"A covariance is a symmetric matrix, not one of the shape {matrix.shape} that is not.")
        values = np.linalg.eigvalsh(matrix)
    least = NOTHING * float(np.abs(values).max())
    if values.min() < -least:
        raise InputError(f"The eigenvalues of a covariance are at least 0, not {values.min():.3g}.")
    if least == 0:
        raise InputError("The covariance is 0: there is nothing to learn from.")
    return np.sort(values[values > least])[::-1]


def _fitted(kernel: Kernel, squared_length: float, dimension: float) -> Kernel:
    """With about the median distance of Gaussian points (Wilson and Hilferty) where the kernel takes that."""
    if isinstance(kernel, DistanceKernel) and not kernel.is_fitted:
        median = math.sqrt(2 * squared_length * (1 - 2 / (9 * dimension)) ** 3)
        kernel = replace(kernel, bandwidth=median * kernel.factor, factor=1.0)
    check_of_inner_products(kernel)
    return kernel


def _checked_target(target: Mapping[tuple[int, ...], float], d: int) -> dict[tuple[int, ...], float]:
    checked = {}
    for index, value in target.items():
        if not isinstance(index, tuple) or any(type(i) is not int or i < 0 for i in index) or any(index[d:]):
            raise InputError(f"A multi-index is a tuple of degrees, at most {d} of them, not {shown(index)}.")
        checked[index[:d]] = check_number(f"The coefficient of {index}", value, least=-sys.float_info.max)
    return checked


def derivatives(kernel: Kernel, squared_length: float, dimension: float) -> tuple[Degrees, float]:
    """c_k r^2k for each degree that rounding lets be told, and K(x,x)."""
    nodes, weights = roots_gegenbauer(NODES, (dimension - 2) / 2)
    r = math.sqrt(squared_length)
    points = r * np.stack([np.append(nodes, 1.0), np.sqrt(np.append(1 - nodes**2, 0.0))], axis=1)
    *values, diagonal = kernel(np.array([[r, 0.0]]), points)[0]
    weighted = weights / weights.sum() * values
    means, factor = [], 1.0
    before, now = np.zeros_like(nodes), np.ones_like(nodes)  # P_k by its recurrence
    for k in range(MOST_DEGREE + 1):
        if np.finfo(float).eps * NODES * factor > ROUNDING:
            break
        means.append(factor * float(weighted @ now))
        before, now = now, ((2 * k + dimension - 2) * nodes * now - k * before) / (k + dimension - 2)
        factor *= dimension + 2 * k
    return np.array(means), float(diagonal)


def _groups(
    gammas: Float[np.ndarray, " d"],
    kernel: Kernel,
    target: Mapping[tuple[int, ...], float],
    dimension: float,
    noise: float,
) -> Groups:
    """Bins of eigenvalues of each degree, one group for each part of the target, and the rest of K(x,x)."""
    shares = gammas / gammas.sum()
    means, diagonal = derivatives(kernel, float(gammas.sum()), dimension)
    if (means < -ROUNDING * diagonal).any():
        raise InputError(f"{kernel.spec} has a negative eigenvalue: it is no positive semi-definite kernel here.")
    unsure = np.finfo(float).eps * NODES * diagonal * _factors(dimension, len(means))
    means = np.where(means > unsure, means, 0.0)
    counts, sums = count_products(shares, len(means) - 1)
    parts = []  # log of size, log of eigenvalue, energy
    for index, value in target.items():
        degree, powers = sum(index), np.array(index, dtype=int)
        place, product = int(offsets_of(shares)[: len(index)] @ powers), float(np.prod(shares[: len(index)] ** powers))
        counted = degree < len(means) and means[degree] > 0 and place < counts.shape[1]
        parts.append((0.0, math.log(means[degree] * product) if counted else -math.inf, value**2))
        if counted:  # by itself, no longer with the others
            counts[degree, place] -= 1
            sums[degree, place] -= product
    parts += [(math.log(size), math.log(total / size), 0.0) for size, total in _together(means, counts, sums)]
    left = diagonal - math.fsum(math.exp(size + log) for size, log, _ in parts)
    if left > 0:
        parts.append((REST, math.log(left) - REST, 0.0))
    sizes, logs, energies = np.array(parts).T
    return Groups(sizes, logs, energies, noise)


def _together(means: Degrees, counts: np.ndarray, sums: np.ndarray) -> list[tuple[float, float]]:
    """The number of functions in each bin of log eigenvalues, and the sum of these, over all degrees."""
    some = (counts > 0.5) & (means[:, None] > 0)
    size, total = counts[some], (means[:, None] * sums)[some]
    bins = np.round(np.log(total / size) / SPACING).astype(int)
    bins -= bins.min(initial=0)
    both = zip(np.bincount(bins, size).tolist(), np.bincount(bins, total).tolist(), strict=True)
    return [each for each in both if each[0] > 0]


def _factors(dimension: float, degrees: int) -> Degrees:
    """D (D + 2) ... (D + 2k - 2)."""
    return np.cumprod(np.concatenate([[1.0], dimension + 2 * np.arange(degrees - 1)]))


def offsets_of(shares: Float[np.ndarray, " d"]) -> Int[np.ndarray, " d"]:
    """How many bins each share is below the greatest."""
    return np.round(np.log(shares[0] / shares) / SPACING).astype(int)


def count_products(shares: Float[np.ndarray, " d"], degree: int) -> tuple[np.ndarray, np.ndarray]:
    """For each degree and each bin of logarithms: how many products of so many shares there are, and their sum."""
    offsets = offsets_of(shares)
    bins = int(DEPTH / SPACING) + 1
    counts, sums = np.zeros((degree + 1, bins)), np.zeros((degree + 1, bins))
    counts[0, 0] = sums[0, 0] = 1.0
    for share, offset in zip(shares, offsets, strict=True):
        if offset >= bins:
            continue
        for k in range(1, degree + 1):  # degrees upwards, so that each share may occur several times
            counts[k, offset:] += counts[k - 1, : bins - offset]
            sums[k, offset:] += share * sums[k - 1, : bins - offset]
    return counts, sums
