"""Ridge regression of a trial: directly, or by conjugate gradients where a factorisation has no room for the images."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.images.experiment.trials import CHOSEN_ON, HELD_OUT
from kernelgap.regression import IterativeSolver, at_edge, judge_ridges, solve_ridge
from kernelgap.regression.tiles import Gram
from kernelgap.seeds import stream

TOLERANCE = 1e-4  # of the length of the labels: an output is off by a ten-thousandth of its range, as a rule

Labels = Float[np.ndarray, "n k"]
ShareDone = Callable[[float], None]


class Regression(NamedTuple):
    """The coefficients of the training images, and what was chosen; the ridge is over the mean of K(x,x)."""

    coefficients: Labels
    setting: dict[str, Any]


def regress_directly(gram: np.ndarray, Y: Labels, *, seed: int, on_progress: ShareDone) -> Regression:
    """The ridge on a holdout of all images, then all of them."""
    judged = judge_ridges(gram, Y, rng=stream(seed, "held out"), held_out=HELD_OUT)
    on_progress(0.7)
    coefficients = solve_ridge(gram, Y, judged.ridge)
    on_progress(1.0)
    mean = float(np.mean(np.diagonal(gram)))
    return Regression(coefficients, {"ridge": judged.ridge / mean, "edge": at_edge(judged.ridge, judged.ridges)})


def regress_iteratively(gram: Gram, Y: Labels, *, seed: int, on_progress: ShareDone) -> Regression:
    """The ridge on a holdout of the first ``CHOSEN_ON`` images, then all of them with the same ridge.

    In K + ridge I the ridge is the variance of noise, which does not grow with the number of images. Ridges are tried
    from where float32 tiles serve.
    """
    few = np.arange(min(CHOSEN_ON, gram.samples))
    solver = IterativeSolver(
        gram,
        rng=stream(seed, "landmarks"),
        tolerance=TOLERANCE,
        on_progress=lambda share, activity: on_progress(0.1 + 0.9 * share),
    )
    judged = judge_ridges(gram.block(few), Y[few], solver.ridges, rng=stream(seed, "held out"), held_out=HELD_OUT)
    on_progress(0.1)
    path = solver.solve(Y, judged.ridge)
    if not path.convergence.converged:
        raise InputError(f"Conjugate gradients {path.convergence}: take fewer images.")
    setting = {
        "ridge": judged.ridge / float(np.mean(gram.diagonal())),
        "edge": at_edge(judged.ridge, judged.ridges),
        "ridge chosen on": len(few),
        "iterations": int(path.convergence.iterations[0]),
        "residual": float(path.convergence.residuals[0]),
    }
    return Regression(path.coefficients[0], setting)
