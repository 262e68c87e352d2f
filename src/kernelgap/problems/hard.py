"""The hard instance of Theorems 2 and 3 (eq. 7.1): k hidden coordinates and their product."""

import numpy as np

from kernelgap.errors import InputError
from kernelgap.problems.background import Background, get_background
from kernelgap.problems.parity import ParityProblem, unit_scale
from kernelgap.problems.problem import LARGEST_SEED, MOST_INPUTS, MOST_OUTPUTS, check_whole


def hard(
    d: int,
    k: int,
    alpha: float,
    d1: int | None = None,
    background: str | Background | None = None,
    seed: int = 0,
    *,
    beta: float = 1.0,
    noise: float = 0.0,
) -> ParityProblem:
    """x on {-1,1}^d / sqrt(d), F(x) = sqrt(d) (x_i1, ..., x_ik), G(y) = y1 ... yk in each of the k outputs.

    ``seed`` draws the distinct i1 < ... < ik among the first ``d1`` coordinates (default all), which are uniform.
    The other d - d1 coordinates come from ``background``: a name (uniform, zero, gaussian, repeated) or a function
    ``f(rng, n, width)`` that gives them in units of 1/sqrt(d). A function has no name, so such a problem cannot be
    written down as text and run by the command line.
    """
    d1 = d if d1 is None else d1
    limits = {"d": MOST_INPUTS, "k": MOST_OUTPUTS, "d1": MOST_INPUTS, "seed": LARGEST_SEED}
    for (name, most), value in zip(limits.items(), (d, k, d1, seed), strict=True):
        check_whole(name, value, most)
    if not 2 <= k <= d1 <= d:
        raise InputError(f"The hard instance needs 2 <= k <= d1 <= d, not k={k}, d1={d1}, d={d}.")
    if seed < 0:
        raise InputError(f"seed must not be negative, it is {seed}.")
    chosen = np.sort(np.random.default_rng(seed).permutation(d1)[:k])
    arguments: dict[str, object] = {
        "d": d,
        "k": k,
        "alpha": alpha,
        "d1": d1,
        "seed": seed,
        "beta": beta,
        "noise": noise,
    }
    if background is not None:
        arguments["background"] = background
    return ParityProblem(
        name="hard",
        d=d,
        base_sets=tuple((int(i),) for i in chosen),
        composite_sets=(tuple(range(k)),) * k,
        composite_signs=(1,) * k,
        alpha=alpha,
        beta=beta,
        noise=noise,
        scale=unit_scale(d),
        d1=d1,
        background=get_background(background),
        arguments=arguments,
    )
