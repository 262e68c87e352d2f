"""Networks and kernels side by side on samples of one problem: each the best of its grid by validation, as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import jax
import numpy as np
from jaxtyping import Float

from kernelgap import networks
from kernelgap.kernels import get as get_kernel
from kernelgap.kernels.empirical.kernel import empirical
from kernelgap.kernels.kernel import Kernel
from kernelgap.networks import Params
from kernelgap.number_text import finite_or_none
from kernelgap.paper.claims.claim import Numbers
from kernelgap.problems import Problem
from kernelgap.regression import default_ridges, ridge_path
from kernelgap.training import Schedule, get_model, train_grid

VALIDATION, TEST = 1000, 3000
Sample = tuple[Float[np.ndarray, "n d"], Float[np.ndarray, "n k"]]


@dataclass(frozen=True)
class Learner:
    """A network, its width, and the rates and decays that are searched."""

    network: str
    width: int
    rates: tuple[float, ...]
    decays: tuple[float, ...]


@dataclass(frozen=True)
class Contest:
    """All learn from the same ``samples`` of a problem, drawn with ``seed``; networks train for ``epochs``."""

    problem: Problem
    samples: int
    epochs: int
    seed: int

    def by_sgd(self, learner: Learner) -> Numbers:
        """All layers trained; beside the errors, whether every gate ended bit for bit as it began."""
        network, params = self._start(learner.network, learner.width)
        began = {gate: np.array(params[gate]) for gate in network.gates}
        rates, decays = zip(*product(learner.rates, learner.decays), strict=True)
        train = partial(train_grid, schedule=Schedule(epochs=self.epochs), seed=[self.seed, 3], evaluate=self._evaluate)
        sample = self.problem.sample(self.samples, self.seed)
        grid = train(get_model(network, "all"), params, rates, decays, sample, epochs=[])
        best = int(np.argmin(grid.final("validation")))
        return {
            **self._about(learner.network, "network"),
            "train_error": finite_or_none(float(grid.final("train")[best])),
            "test_error": finite_or_none(float(grid.final("test")[best])),
            "standard_error": finite_or_none(float(grid.standard_errors["test"][best])),
            "gates": len(began),
            "kept": sum(grid.frozen[gate].tobytes() == start.tobytes() for gate, start in began.items()),
            "trained": sorted(grid.trained),
        }

    def by_ridge(self, kernels: Sequence[str]) -> list[Numbers]:
        """Ridge regression with kernels by name; ``above`` is by how much more it errs than who knows F alone."""
        return [self._ridge(name, get_kernel(name)) for name in kernels]

    def by_own_kernels(self, learner: Learner) -> list[Numbers]:
        """The same with the kernels of a network at its start: of its features, and of all its weights' gradients.

        The second is taken as its mean over the outputs, one kernel for all of them.
        """
        network, params = self._start(learner.network, learner.width)
        own = {"last": empirical(network, params, "last"), "NTK": empirical(network, params, "all")}
        return [self._ridge(f"{learner.network}({mode})", kernel) for mode, kernel in own.items()]

    def _ridge(self, name: str, kernel: Kernel) -> Numbers:
        X, Y = self.problem.sample(self.samples, self.seed)
        kernel = kernel.fit(X)
        gram = kernel(X)
        path = ridge_path(gram, Y, default_ridges(float(np.mean(np.diagonal(gram))), len(X)))
        (V, on_V), (T, on_T) = self._evaluate.values()
        errors = np.sum((path.predict(kernel(V, X)) - on_V) ** 2, axis=2).mean(axis=1)
        best = int(np.argmin(errors))
        squared = np.sum((path.predict(kernel(T, X))[best] - on_T) ** 2, axis=1)
        # At the same points, so that the few where the composite signal is large count on both sides
        above = squared - np.sum(self.problem.composite(T) ** 2, axis=1)
        return {
            **self._about(name, "kernel"),
            "test_error": float(squared.mean()),
            "standard_error": _standard_error(squared),
            "above": float(above.mean()),
            "above_standard_error": _standard_error(above),
        }

    def _start(self, name: str, width: int) -> tuple[networks.Network, Params]:
        network, key = networks.get(name), jax.random.key(self.seed)
        return network, network.init(key, inputs=self.problem.d, outputs=self.problem.outputs, width=width)

    @property
    def _evaluate(self) -> dict[str, Sample]:
        problem, seed = self.problem, self.seed
        return {"validation": problem.sample(VALIDATION, [seed, 1]), "test": problem.sample(TEST, [seed, 2])}

    def _about(self, name: str, kind: str) -> Numbers:
        return {"learner": name, "kind": kind, "samples": self.samples, "seed": self.seed}


def _standard_error(values: Float[np.ndarray, " n"]) -> float:
    return float(values.std(ddof=1) / len(values) ** 0.5)


def interval(row: Numbers) -> tuple[float, float]:
    """Two standard errors to either side of the test error; beyond everything, if it diverged."""
    if row["test_error"] is None:
        return (np.inf, np.inf)
    return row["test_error"] - 2 * row["standard_error"], row["test_error"] + 2 * row["standard_error"]
