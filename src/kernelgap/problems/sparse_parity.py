"""The target of section 8.2: one parity of k coordinates."""

from kernelgap.errors import InputError
from kernelgap.problems.parity import ParityProblem, unit_scale
from kernelgap.problems.problem import MOST_INPUTS, check_whole


def parity(d: int, k: int = 6, *, noise: float = 0.0) -> ParityProblem:
    """x on {-1,1}^d / sqrt(d), y = d^(k/2) x1 ... xk, of one output.

    There is no base signal: the parity is the composite signal, and the threshold 1 the risk of learning nothing.

    >>> parity(40).threshold
    1.0
    """
    for name, value in {"d": d, "k": k}.items():
        check_whole(name, value, MOST_INPUTS)
    if not 1 <= k <= d:
        raise InputError(f"A parity needs 1 <= k <= d, not k={k}, d={d}.")
    return ParityProblem(
        name="parity",
        d=d,
        base_sets=(tuple(range(k)),),
        composite_sets=((0,),),
        composite_signs=(1,),
        alpha=1.0,
        beta=0.0,
        noise=noise,
        scale=unit_scale(d),
        d1=d,
        arguments={"d": d, "k": k, "noise": noise},
    )
