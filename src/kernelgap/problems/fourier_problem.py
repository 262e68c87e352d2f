"""Problems whose signals are sums of parities of uniform signs: with a Fourier expansion, a leap and a cube."""

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.problems.fourier import FourierExpansion
from kernelgap.problems.inputs import Draw, uniform
from kernelgap.problems.leap import Staircase, staircase_of
from kernelgap.problems.problem import WrittenProblem


class FourierProblem(WrittenProblem):
    """A problem whose signals are sums of parities of its first d1 coordinates, uniform signs times the scale.

    Attributes
    ----------
    base_fourier, composite_fourier
        beta F and alpha G(F) as parities of the signs x / scale.
    scale
        The size of a coordinate: 1, or 1/sqrt(d) for unit vectors.
    d1
        The first d1 coordinates are independent and uniform on {-scale, scale}.
    background
        Draws the other coordinates, in units of the scale; it may be None if there are none.
    """

    base_fourier: FourierExpansion
    composite_fourier: FourierExpansion
    scale: float
    d1: int
    background: Draw | None

    def inputs(self, rng: np.random.Generator, n: int) -> Float[np.ndarray, "n d"]:
        # One row after another from one stream, so that a larger sample starts with the smaller one.
        of_background = rng.spawn(1)[0]
        signs = uniform(rng, n, self.d1)
        if self.d1 == self.d:
            return self.scale * signs
        assert self.background is not None
        others = np.asarray(self.background(of_background, n, self.d - self.d1), dtype=float)
        if others.shape != (n, self.d - self.d1) or not np.isfinite(others).all():
            raise InputError(
                f"The background must give a finite array of shape {(n, self.d - self.d1)}, it gave {others.shape}."
            )
        return np.hstack([self.scale * signs, self.scale * others])

    @property
    def target_fourier(self) -> FourierExpansion:
        """H = beta F + alpha G(F) as parities of the signs x / scale."""
        return self.base_fourier + self.composite_fourier

    def staircase(self) -> Staircase:
        """An order in which the parities of the target can be learned, with the fewest new coordinates at each step.

        Examples
        --------
        >>> from kernelgap import problems
        >>> problem = problems.get("sec8")
        >>> problem.leap, problem.staircase().degree
        (2, 8)
        """
        target = self.target_fourier
        rows = zip(target.index_sets, target.coefficients, strict=True)
        return staircase_of(index_set for index_set, row in rows if row.any())
