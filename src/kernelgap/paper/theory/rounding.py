"""How far apart two ways to compute one smooth function may come out in float64: a bound, not a tolerance."""

import math

import numpy as np
from jaxtyping import Float

from kernelgap.problems.activation import Activation
from kernelgap.problems.smooth import Function, SmoothFunction

UNIT = 2.0**-53  # unit roundoff of float64
# Relative error of one activation's value against the sum of its terms' absolute series, in units of roundoff: an
# elementary function is good to 4 units in the last place, a lowered one near 0 is a Horner scheme of 30 orders (60).
_EVALUATION = 70
# Besides its d products: a normalisation of x, of w and of (x,1), and a division.
_ARGUMENT = 12


def rounding_bound(function: Function, size: float) -> Float[np.ndarray, " outputs"]:
    """A bound on |computed - exact| in each output, for inputs with |x| <= size, to first order in the roundoff.

    A scalar product of n numbers is off by at most n u |w| |x|, which moves phi(z) by |phi'(z)| times that; phi's value
    itself is off by a multiple of u sum_i |c_i| |z|^i; adding up p terms costs p u of their absolute sum. For the form
    of Definition A.1, |<w2, (x,1)>| <= |(x,1)| multiplies all of it.
    """
    if isinstance(function, SmoothFunction):
        reach, factor, products, factors = size / math.sqrt(2), 1.0, function.inputs, 0
    else:  # <w1, z>, |z|^2 and <w2, z> have n + 1 products each; the last one is a factor
        reach, factor, products, factors = 1.0, math.hypot(size, 1.0), 2 * (function.inputs + 1), function.inputs + 1
    costs = {
        phi: (products + _ARGUMENT) * reach * math.exp(phi.derivative.log_majorant(reach))
        + (factors + _EVALUATION + function.p) * math.exp(phi.log_majorant(reach))
        for phi in function.distinct
    }
    rows = [sum(abs(a) * costs[phi] for a, phi in zip(r, row, strict=True)) for r, row in _rows(function)]
    return UNIT * factor * np.array(rows, dtype=float)


def _rows(function: Function) -> list[tuple[Float[np.ndarray, " p"], tuple[Activation, ...]]]:
    return list(zip(function.a, function.activations, strict=True))
