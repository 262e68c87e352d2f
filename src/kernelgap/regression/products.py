"""Ridge regression with a kernel that is known only through its products with vectors: conjugate gradients.

For the full neural tangent kernel of a network, (N k) x (N k), one product costs a backward and a forward pass, while
the matrix itself may not fit. Each ridge starts from the solution of the next larger one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Targets = Float[np.ndarray, "n k"]


@dataclass(frozen=True)
class Solutions:
    """For each ridge: a with (K + ridge I) a = Y, and the size of what is left of Y, relative to Y."""

    ridges: Float[np.ndarray, " r"]
    coefficients: Float[np.ndarray, "r n k"]
    residuals: Float[np.ndarray, " r"]
    iterations: int

    def solved(self, tolerance: float) -> bool:
        return bool(np.all(self.residuals <= tolerance))


def ridge_path_by_products(
    product: Callable[[Targets], Targets],
    Y: Targets,
    ridges: Float[np.ndarray, " r"],
    *,
    tolerance: float = 1e-9,
    most_iterations: int = 10_000,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Solutions:
    """Conjugate gradients until |Y - (K + ridge I) a| <= tolerance |Y|, or most_iterations for a ridge."""
    size = float(np.linalg.norm(Y)) or 1.0
    order = np.argsort(-ridges)
    coefficients = np.empty((len(ridges), *Y.shape))
    residuals = np.empty(len(ridges))
    a = np.zeros_like(Y)
    total = 0
    for done, i in enumerate(order):
        left = Y - product(a) - ridges[i] * a  # afresh, so that rounding does not pile up
        direction, squared = left.copy(), float(np.sum(left * left))
        count = 0
        while squared > (tolerance * size) ** 2 and count < most_iterations:
            image = product(direction) + ridges[i] * direction
            step = squared / float(np.sum(direction * image))
            a = a + step * direction
            left = left - step * image
            before, squared = squared, float(np.sum(left * left))
            direction = left + (squared / before) * direction
            count += 1
        total += count
        coefficients[i] = a
        residuals[i] = float(np.linalg.norm(Y - product(a) - ridges[i] * a)) / size
        on_progress((done + 1) / len(ridges))
    return Solutions(ridges, coefficients, residuals, total)
