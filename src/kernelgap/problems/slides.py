"""The talk's target: eight pair products, and two different parities of four of them."""

from kernelgap.problems.parity import ParityProblem, pairs


def slides(*, alpha: float = 0.3, beta: float = 1.0, noise: float = 0.0) -> ParityProblem:
    """x in {-1,1}^30, F = (x1 x2, ..., x15 x16), G = y1 y2 y3 y4 four times, then y5 y6 y7 y8 four times."""
    return ParityProblem(
        name="slides",
        d=30,
        base_sets=pairs(8),
        composite_sets=((0, 1, 2, 3),) * 4 + ((4, 5, 6, 7),) * 4,
        composite_signs=(1,) * 8,
        alpha=alpha,
        beta=beta,
        noise=noise,
        scale=1.0,
        d1=30,
        arguments={"alpha": alpha, "beta": beta, "noise": noise},
    )
