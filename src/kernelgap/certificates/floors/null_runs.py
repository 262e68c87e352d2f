"""G of ``any_gradient``, measured: noisy population gradient descent without a signal."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import numpy as np
from jaxtyping import Float

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.errors import InputError
from kernelgap.networks import Initialisation, Network
from kernelgap.networks import get as get_network
from kernelgap.problems import Problem
from kernelgap.training.population import Loss, descend

WHOLE = 12  # dimensions up to which the population is every point of the cube
POINTS = 2**12  # inputs that stand for it elsewhere


@dataclass(frozen=True)
class NullRuns:
    """Norms of gradients in runs without a signal.

    Attributes
    ----------
    norms
        sqrt(E |grad f(x)|^2) for each run, before each step.
    all_points
        Whether the mean is over every point of the cube; if not, over some inputs, and then an estimate.
    """

    norms: Float[np.ndarray, "runs steps"]
    all_points: bool

    @property
    def largest(self) -> float:
        """The largest norm seen."""
        return float(self.norms.max())

    @property
    def root_mean_square(self) -> float:
        """Over runs and steps: what the bound needs, estimated from these runs."""
        return float(np.sqrt((self.norms**2).mean()))


def null_runs(
    problem: Problem,
    network: Network | str,
    *,
    width: int,
    steps: int,
    rate: float,
    noise: float,
    seeds: Sequence[int],
    loss: Loss = "half-square",
    initialisation: Initialisation | None = None,
) -> NullRuns:
    """Train a network without a signal, on the gradients that ``any_gradient`` is about, and see how large they get.

    Parameters
    ----------
    problem
        Gives the inputs: every point of its cube up to 12 dimensions, else a fixed sample of 4,096.
    network, width, initialisation
        What is trained (all weights), and its start, section 8.1's by default.
    steps, rate, noise, loss
        The number of steps, the learning rate, the standard deviation of the noise and the loss.
    seeds
        One for each run, which draws its start and its noise.

    Returns
    -------
    NullRuns
        Its ``largest`` can stand for G. No run proves a bound: the noise could have been worse.

    Examples
    --------
    >>> from kernelgap import problems
    >>> found = null_runs(problems.get("parity(d=5, k=2)"), "2layer", width=8, steps=3, rate=0.01, noise=1.0, seeds=[0])
    >>> found.norms.shape, found.all_points, found.largest >= found.root_mean_square
    ((1, 3), True, True)
    """
    cube = cube_of(problem)
    if cube is None or problem.outputs != 1:
        raise InputError(f"{problem.name} is no problem of one output on a cube, which gradient floors are about.")
    if steps < 1 or not seeds:
        raise InputError("Give at least one step and one seed.")
    network = get_network(network) if isinstance(network, str) else network
    whole = cube.d <= WHOLE
    X = cube.points(0, 2**cube.d) if whole else problem.inputs(np.random.default_rng(0), POINTS)
    run = partial(descend, steps=steps, rate=rate, noise=noise, loss=loss)
    norms = []
    for seed in seeds:
        key = jax.random.key(seed)
        start = network.init(key, inputs=problem.d, outputs=1, width=width, initialisation=initialisation)
        found = run(network, start, X, np.zeros((1, len(X))), seed=seed, with_norms=True).norms
        assert found is not None
        norms.append(found[0])
    if not np.isfinite(norms).all():
        raise InputError("A run without a signal diverged: take a smaller rate, or less noise.")
    return NullRuns(np.array(norms), whole)
