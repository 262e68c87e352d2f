"""The target of section 8.1: pair products, and a parity of the first four of them in every output."""

from kernelgap.problems.parity import ParityProblem, pairs


def sec8(*, alpha: float = 0.3, beta: float = 1.0, noise: float = 0.0) -> ParityProblem:
    """x in {-1,1}^30, F = (x1 x2, ..., x29 x30), G_i(y) = (-1)^i y1 y2 y3 y4 for i = 1..15.

    >>> sec8().threshold
    1.3499999999999999
    """
    return ParityProblem(
        name="sec8",
        d=30,
        base_sets=pairs(15),
        composite_sets=((0, 1, 2, 3),) * 15,
        composite_signs=tuple((-1) ** i for i in range(1, 16)),
        alpha=alpha,
        beta=beta,
        noise=noise,
        scale=1.0,
        d1=30,
        arguments={"alpha": alpha, "beta": beta, "noise": noise},
    )
