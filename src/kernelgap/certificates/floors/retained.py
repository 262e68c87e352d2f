"""How much of each degree N samples can hold: the share of a parity that the span of K(., x_n) captures, on average."""

import numpy as np
import pandas as pd

from kernelgap.certificates.floors.oracle import prepare_on_cube
from kernelgap.certificates.floors.spectral import independent, spectral_span
from kernelgap.kernels import Kernel
from kernelgap.kernels.cube.spectrum import krawtchouk_rows
from kernelgap.problems import Problem


def retention(problem: Problem, kernel: Kernel | str, X: object) -> pd.DataFrame:
    """One row a degree: its eigenvalue, its share of K(x,x), and the mean share of its parities that is captured.

    Over all parities the captured shares add up to the number of independent samples: what one degree gets, another
    does not. Directions below rounding (``lost`` in the table's attrs) are left out of it.
    """
    kernel, on_cube = prepare_on_cube(problem, kernel, X)
    spectrum = on_cube.spectrum(kernel)
    signs = independent(spectrum, on_cube.signs)
    span = spectral_span(spectrum, signs)
    inverse = span.inverse()
    differ = ((spectrum.d - signs @ signs.T) / 2).astype(int)
    captured = []
    for value, row in zip(spectrum.eigenvalues, krawtchouk_rows(spectrum.d), strict=True):
        normalised = np.array([entry / row[0] for entry in row])  # K_k(i) / binom(d, k), from -1 to 1
        captured.append(float(value**2 * (inverse * normalised[differ]).sum()))
    table = pd.DataFrame(
        {
            "degree": range(spectrum.d + 1),
            "parities": [float(min(count, 10**308)) for count in spectrum.multiplicities],
            "eigenvalue": spectrum.eigenvalues,
            "share": spectrum.shares,
            "captured": np.clip(captured, 0.0, 1.0),
        }
    )
    table.attrs = {"kernel": kernel.spec, "problem": on_cube.problem.name, "n": len(signs), "lost": span.lost}
    return table
