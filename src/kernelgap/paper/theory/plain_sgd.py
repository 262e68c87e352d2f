"""Plain online SGD of a small two-layer network, f(x) = A s(W x + b), and the samples that it needs for a risk.

All weights are trained, on fresh samples in batches, from normal weights of standard deviation 1/sqrt(fan in). The rate
is r, and r / 5 for A. How many samples a target needs depends on r, so r is tuned for each target: on a ladder of
rates, with seeds of its own, climbing until both neighbours are worse.

The networks are too small for compiled programs to pay: these are NumPy's products.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from kernelgap.machine import one_blas_thread
from kernelgap.problems import Problem

BATCH, OUTPUT_SHARE = 16, 0.2
BLOCK = 4096  # fresh samples drawn at once
HELD_OUT = 2000
FIRST_LOOK, LOOK_RATIO = 64, 1.05  # samples; the risk is looked at then, and at equal ratios from there
RUNG = 2**0.5  # between two rates of the ladder
SLACK = 1.5  # a rate that needs so many times the samples of the best so far is no better
STREAM, TEST, START = 4, 2, 0  # of a seed's random numbers

Points = Float[np.ndarray, "points d"]


class TwoLayer(NamedTuple):
    """Weights of f(x) = A s(W x + b), of one output."""

    W: Float[np.ndarray, "m d"]
    b: Float[np.ndarray, " m"]
    A: Float[np.ndarray, " m"]

    @classmethod
    def at_start(cls, d: int, width: int, seed: int) -> "TwoLayer":
        """Normal weights of standard deviation 1/sqrt(fan in)."""
        rng = np.random.default_rng([seed, START])
        shapes = ((width, d), d), ((width,), d), ((width,), width)
        return cls(*((rng.standard_normal(shape) / np.sqrt(fan)).astype(np.float32) for shape, fan in shapes))

    def __call__(self, X: Points) -> Float[np.ndarray, " points"]:
        return np.maximum(X @ self.W.T + self.b, 0) @ self.A

    def tangent_features(self, X: Points) -> Float[np.ndarray, "points weights"]:
        """grad f(x) at every point, a row each: over W, b, A."""
        before = X @ self.W.T + self.b
        gates = (before > 0) * self.A
        over_W = (gates[:, :, None] * X[:, None, :]).reshape(len(X), -1)
        return np.concatenate([over_W, gates, np.maximum(before, 0)], axis=1)

    def step(self, X: Points, y: Float[np.ndarray, " points"], rate: float) -> None:
        """One step on the mean of (f(x) - y)^2 / 2, in place."""
        before = X @ self.W.T + self.b
        hidden = np.maximum(before, 0)
        error = (hidden @ self.A - y) / np.float32(len(X))
        back = error[:, None] * self.A * (before > 0)
        self.A[:] -= np.float32(OUTPUT_SHARE * rate) * (error @ hidden)
        self.W[:] -= np.float32(rate) * (back.T @ X)
        self.b[:] -= np.float32(rate) * back.sum(axis=0)


@dataclass(frozen=True)
class PlainSgd:
    """How the network is trained: its width, and the most fresh samples."""

    width: int
    most: int

    def needed(self, problem: Problem, level: float, rate: float, seeds: Sequence[int]) -> list[float | None]:
        """For each seed the samples after which the risk is first below the level; None where it does not get there."""
        with one_blas_thread():
            return [self._needed(problem, level, rate, seed, self.most) for seed in seeds]

    def tuned_rate(self, problem: Problem, level: float, seeds: Sequence[int], first: float) -> float | None:
        """The rate with the least mean logarithm of the samples needed; None if nothing is learned near ``first``.

        Parameters
        ----------
        problem, level
            What is learned, and how well.
        seeds
            Other ones than those that are judged.
        first
            Where the climb begins.
        """
        scores: dict[int, float] = {}

        def score(rung: int) -> float:
            if rung not in scores:
                best = min(scores.values(), default=np.inf)
                most = min(self.most, round(SLACK * np.exp(best))) if np.isfinite(best) else self.most
                with one_blas_thread():
                    needed = [self._needed(problem, level, first * RUNG**rung, seed, most) for seed in seeds]
                logs = [np.inf if n is None else float(np.log(n)) for n in needed]
                scores[rung] = float(np.mean(logs))
            return scores[rung]

        rung = 0
        while (better := min((rung, rung - 1, rung + 1), key=score)) != rung:
            rung = better
        return first * RUNG**rung if np.isfinite(score(rung)) else None

    def _needed(self, problem: Problem, level: float, rate: float, seed: int, most: int) -> float | None:
        network = TwoLayer.at_start(problem.d, self.width, seed)
        T, on_T = (part.astype(np.float32) for part in problem.sample(HELD_OUT, [seed, TEST]))
        look = float(FIRST_LOOK)
        with np.errstate(over="ignore", invalid="ignore"):
            for block, begin in enumerate(range(0, most, BLOCK)):
                X, Y = (part.astype(np.float32) for part in problem.sample(BLOCK, [seed, STREAM, block]))
                for at in range(0, BLOCK, BATCH):
                    network.step(X[at : at + BATCH], Y[at : at + BATCH, 0], rate)
                    seen = begin + at + BATCH
                    if seen >= look or seen >= most:
                        risk = float(np.mean((network(T) - on_T[:, 0]) ** 2))
                        if risk < level:
                            return float(seen)
                        if seen >= most or not np.isfinite(risk):
                            return None
                        look = LOOK_RATIO * seen
        return None
