"""The measured risk of kernel ridge regression on the cube: fitted, and exact over all points, without a test sample.

For coefficients a (n x outputs) of the training inputs the risk is |H|^2 - 2 <a, b> + <a, G a>, with the kernel's
eigenvalues lambda, b_n = sum_S lambda_|S| H_S chi_S(x_n), and G_nm = sum_S lambda_|S|^2 chi_S(x_n) chi_S(x_m), which is
a function of the number of coordinates in which two inputs differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelgap.curves.calibration import Calibration, CheckedPoint
from kernelgap.curves.curve import cube_with_parities, on_cube, predict
from kernelgap.kernels import Kernel
from kernelgap.kernels.cube.spectrum import CubeSpectrum, cube_spectrum
from kernelgap.problems import FourierProblem, Problem
from kernelgap.progress import Progress, silent
from kernelgap.regression import ridge_path, solve_ridge
from kernelgap.regression.single import safe_ridge

FEW_RIDGES = 8  # that are solved for one by one: n^3 / 3 operations each, all in products of large blocks


@dataclass(frozen=True)
class MeasuredRisk:
    """Kernel ridge regression on samples of a problem.

    Attributes
    ----------
    n, ridge
        The number of samples, and the ridge on the scale of K.
    risks
        The exact risk over the cube for each seed.
    """

    n: int
    ridge: float
    risks: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.risks))


def measure(
    problem: Problem,
    kernel: Kernel | str,
    n: int,
    ridges: Sequence[float],
    *,
    seeds: Sequence[int],
    noise: float | None = None,
) -> list[MeasuredRisk]:
    """The risk that kernel ridge regression has, for each ridge, with the samples of each seed.

    Parameters
    ----------
    problem, kernel, noise
        As in ``predict``.
    n, ridges
        The number of samples, and the ridges on the scale of K.
    seeds
        Each draws samples of its own.
    """
    cube = cube_with_parities(problem)
    assert isinstance(problem, FourierProblem)
    problem = problem if noise is None else replace(problem, noise=noise)  # type: ignore[type-var]
    kernel = on_cube(kernel, cube)
    spectrum = cube_spectrum(kernel, cube.d, cube.squared_length)
    squared = np.array([float(ball.mid()) for ball in spectrum.squared_profile()])
    by_seed = []
    for seed in seeds:
        X, Y = problem.sample(n, seed)
        signs = cube.signs(X)
        assert signs is not None
        solutions = coefficients(kernel(X, X), Y, ridges)
        gram = squared[np.rint((cube.d - signs @ signs.T) / 2).astype(int)]
        right = _correlations(problem, spectrum, signs)
        norm = problem.target_fourier.squared_norm()
        by_seed.append([norm - 2 * float((a * right).sum()) + float((a * (gram @ a)).sum()) for a in solutions])
    columns = zip(*by_seed, strict=True)
    return [MeasuredRisk(n, float(ridge), tuple(risks)) for ridge, risks in zip(ridges, columns, strict=True)]


def calibrate(
    problem: Problem,
    kernel: Kernel | str,
    n: Sequence[int],
    ridge: float | str,
    *,
    seeds: Sequence[int],
    noise: float | None = None,
    on_progress: Progress = silent,
) -> Calibration:
    """Fit a kernel on samples of a problem of the cube, and compare the exact risks with the predicted ones.

    Parameters
    ----------
    problem, kernel, noise
        As in ``predict``.
    n
        The numbers of samples to fit with.
    ridge
        A number, or "best", the one with the least predicted test error at each n.
    seeds
        Each draws samples of its own.
    on_progress
        Takes the share done and a text.

    Examples
    --------
    >>> from kernelgap import problems
    >>> found = calibrate(problems.get("sec8"), "ntk3", [200], 1e-3, seeds=range(2))
    >>> found.worst_error < 0.05, found.kernel, found.problem
    (True, 'ntk3', 'sec8(alpha=0.3, beta=1.0, noise=0.0)')
    """
    points = []
    for i, size in enumerate(n):
        on_progress(i / len(n), f"{size} samples")
        at = predict(problem, kernel, size, ridge, noise=noise)
        (fits,) = measure(problem, kernel, size, [at.ridge], seeds=seeds, noise=noise)
        points.append(CheckedPoint(size, at.ridge, at.risk, fits.risks))
    return Calibration(at.kernel, at.problem, tuple(points))


def coefficients(gram: np.ndarray, Y: np.ndarray, ridges: Sequence[float] | np.ndarray) -> Sequence[np.ndarray]:
    """The solution for each ridge: by Cholesky where they are few and safe, else from one factorisation."""
    if len(ridges) <= FEW_RIDGES and min(ridges) >= safe_ridge(gram):
        return [solve_ridge(gram, Y, ridge) for ridge in ridges]
    return list(ridge_path(gram, Y, np.asarray(ridges, dtype=float)).coefficients)


def _correlations(problem: FourierProblem, spectrum: CubeSpectrum, signs: np.ndarray) -> np.ndarray:
    """b_n for each output."""
    target = problem.target_fourier
    parities = np.stack([signs[:, list(s)].prod(axis=1) for s in target.index_sets], axis=1)
    eigenvalues = spectrum.eigenvalues[[len(s) for s in target.index_sets]]
    return parities @ (eigenvalues[:, None] * target.coefficients)
