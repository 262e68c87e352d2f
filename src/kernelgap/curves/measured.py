"""The measured risk of kernel ridge regression on the cube: fitted, and exact over all points, without a test sample.

For coefficients a (n x outputs) of the training inputs the risk is |H|^2 - 2 <a, b> + <a, G a>, with the kernel's
eigenvalues lambda, b_n = sum_S lambda_|S| H_S chi_S(x_n), and G_nm = sum_S lambda_|S|^2 chi_S(x_n) chi_S(x_m), which is
a function of the number of coordinates in which two inputs differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelgap.curves.curve import cube_with_parities, on_cube
from kernelgap.kernels import Kernel
from kernelgap.kernels.cube.spectrum import CubeSpectrum, cube_spectrum
from kernelgap.problems import FourierProblem, Problem
from kernelgap.regression import ridge_path


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
        path = ridge_path(kernel(X, X), Y, np.asarray(ridges, dtype=float))
        gram = squared[np.rint((cube.d - signs @ signs.T) / 2).astype(int)]
        right = _correlations(problem, spectrum, signs)
        norm = problem.target_fourier.squared_norm()
        by_seed.append([norm - 2 * float((a * right).sum()) + float((a * (gram @ a)).sum()) for a in path.coefficients])
    columns = zip(*by_seed, strict=True)
    return [MeasuredRisk(n, float(ridge), tuple(risks)) for ridge, risks in zip(ridges, columns, strict=True)]


def _correlations(problem: FourierProblem, spectrum: CubeSpectrum, signs: np.ndarray) -> np.ndarray:
    """b_n for each output."""
    target = problem.target_fourier
    parities = np.stack([signs[:, list(s)].prod(axis=1) for s in target.index_sets], axis=1)
    eigenvalues = spectrum.eigenvalues[[len(s) for s in target.index_sets]]
    return parities @ (eigenvalues[:, None] * target.coefficients)
