"""Algorithm 1 watched: along a run, what the proof of Theorem 1 says of each step (app. C.3, C.4).

The run is the paper's own: W_0 = V_0 = 0, one fresh sample a step, W_(t+1) = W_t - eta_w grad_W, V_(t+1) = V_t - eta_v
grad_V, A fixed; in float64, with W* and V* built from the same start.
"""

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from kernelgap.paper.theory.construction import Solution, solution
from kernelgap.paper.theory.hypotheses import Power, least_tau
from kernelgap.paper.theory.start import Matrix, Start, f, forward, g, gradient, through, with_one
from kernelgap.problems.concept import ConceptProblem

Series = Float[np.ndarray, " steps"]


class Step(NamedTuple):
    """At (x_t, y_t), before the step: lengths, and Xi_t by the gradient itself."""

    residual: Any  # |y - out|
    distance: Any  # |H - out|
    noise: Any  # |H - y|
    error: Any  # |Err|
    first_distance: Any  # |out1 - F|
    first_output: Any  # |out1|
    gradient_w: Any  # |grad_W Obj|_F
    gradient_v: Any  # |grad_V Obj|_F
    xi: Any  # <grad, (W_t - W*, V_t - V*)>
    xi_by_error: Any  # <y - out, H - out + Err>, which should be the same
    W_norm: Any  # |W_t|_F
    V_norm: Any  # |V_t|_F


class Held(NamedTuple):
    """Means over held-out inputs at one time."""

    error: Any  # E |Err|^2
    distance: Any  # E |H - out|^2
    one_point: Any  # E Xi over x and y: E <H - out, H - out + Err>
    first_distance: Any  # E |out1 - F|^2
    club: Any  # E |A D_V,W (V(0)+V)(A D_W (W*-W)(x,1), 0)|^2: the first term of Claim C.6's proof
    built_first: Any  # E |A D_W W*(x,1) - F|^2: how far off W* is with the gates of time t
    built_second: Any  # E |A D_V,W V*(out1,1) - alpha G(out1)|^2
    first_leak: Any  # E |A D_W W(0)(x,1)|^2, Lemma C.1 (b) along the run
    second_leak: Any  # E |A D_V,W V(0)(out1,1)|^2, Lemma C.1 (e)
    largest_excess: Any  # max |out1 - F| - 2 |out - H|: what Claim C.7 bounds
    matrix_leak: Any  # max |A D_V,W V(0)|_F: Lemma C.1 (f) along the run


@dataclass(frozen=True)
class Trajectory:
    """A watched run: ``steps`` are series over t, ``held`` over ``times`` (before each and at the end)."""

    start: Start
    built: Solution
    eta_w: float
    eta_v: float
    steps: Step
    times: list[int]
    held: Held
    W: Float[np.ndarray, "m d1"]
    V: Float[np.ndarray, "m k1"]

    @property
    def heart(self) -> Series:
        """eta_w/2 |grad_W|^2 + eta_v/2 |grad_V|^2, step by step."""
        return self.eta_w / 2 * self.steps.gradient_w**2 + self.eta_v / 2 * self.steps.gradient_v**2

    @property
    def xi_bound(self) -> Series:
        """|H - out|^2 / 2 - 2 |Err|^2 - 2 |H - y|^2, step by step: what section 6.1 and C.4 say Xi_t is at least.

        Xi_t = <y - out, H - out + Err>, and <a + n, a + e> >= |a|^2 / 2 - 3/2 |e|^2 - 3/2 |n|^2 for all a, e, n.
        """
        return self.steps.distance**2 / 2 - 2 * self.steps.error**2 - 2 * self.steps.noise**2

    @property
    def telescoped(self) -> tuple[float, float]:
        """|W_0 - W*|^2 / 2 eta_w + |V_0 - V*|^2 / 2 eta_v, and the same at the end."""
        W, V = self.built.W, self.built.V
        before = _sum(W) / (2 * self.eta_w) + _sum(V) / (2 * self.eta_v)
        return before, _sum(self.W - W) / (2 * self.eta_w) + _sum(self.V - V) / (2 * self.eta_v)


def watch(
    problem: ConceptProblem,
    *,
    width: int,
    steps: int,
    eta_w: float,
    sigma_w: float,
    sigma_v: float,
    seed: int,
    checks: int = 20,
    held_out: int = 200,
) -> Trajectory:
    """A run of ``steps`` steps (a multiple of ``checks``), looked at as a whole ``checks`` times and at the end.

    eta_v = eta_w (|V*|_F / |W*|_F)^2, the ratio of rates in Theorem 1's proof.
    """
    rng = np.random.default_rng([seed, width])
    start = Start.draw(rng, d=problem.d, k=problem.outputs, m=width, sigma_w=sigma_w, sigma_v=sigma_v)
    built = solution(start, problem.F, problem.G, problem.alpha)
    eta_v = eta_w * _sum(built.V) / _sum(built.W)
    every = max(1, steps // checks)
    count = every * (steps // every)
    X, Y = problem.sample(count, seed=[seed, 0])
    Z, _ = problem.sample(held_out, seed=[seed, 1])
    arrays = {"A": start.A, "W0": start.W0, "V0": start.V0, "W*": built.W, "V*": built.V}
    arrays |= {"x1": with_one(Z), "H": problem.target(Z), "F": problem.base(Z)}
    shape = (count // every, every)
    data = (with_one(X), Y, problem.target(X), problem.base(X))
    with jax.enable_x64(True):
        blocks = tuple(jnp.asarray(array.reshape(*shape, -1)) for array in data)
        fixed = {name: jnp.asarray(array) for name, array in arrays.items()}
        (W, V), (each_step, held), last = _run(fixed, blocks, eta_w, eta_v, problem)
    series = Step(*(np.asarray(array).reshape(-1) for array in each_step))
    means = Held(*(np.append(np.asarray(array), float(end)) for array, end in zip(held, last, strict=True)))
    times = [n * every for n in range(shape[0] + 1)]
    return Trajectory(start, built, eta_w, eta_v, series, times, means, np.asarray(W), np.asarray(V))


@partial(jax.jit, static_argnames="problem")
def _run(
    fixed: dict[str, Matrix], blocks: tuple[Matrix, ...], eta_w: float, eta_v: float, problem: ConceptProblem
) -> Any:
    zero = jnp.zeros_like(fixed["W0"]), jnp.zeros_like(fixed["V0"])

    def block(weights: tuple[Matrix, Matrix], data: tuple[Matrix, ...]) -> Any:
        held = _held(fixed, problem, *weights)
        weights, each_step = jax.lax.scan(partial(_step, fixed, eta_w, eta_v), weights, data)
        return weights, (each_step, held)

    weights, series = jax.lax.scan(block, zero, blocks)
    return weights, series, _held(fixed, problem, *weights)


def _step(
    fixed: dict[str, Matrix], eta_w: float, eta_v: float, weights: tuple[Matrix, Matrix], data: tuple[Matrix, ...]
) -> Any:
    W, V = weights
    x1, y, H, F = (array[None] for array in data)
    A, second = fixed["A"], fixed["V0"] + V
    done = forward(A, fixed["W0"] + W, second, x1)
    grads = gradient(A, second, done, x1, y)
    error = _error(fixed, W, V, x1, H)[0]
    xi = (grads.W * (W - fixed["W*"])).sum() + (grads.V * (V - fixed["V*"])).sum()
    measured = Step(
        residual=_length(y - done.output),
        distance=_length(H - done.output),
        noise=_length(H - y),
        error=_length(error),
        first_distance=_length(done.first_output - F),
        first_output=_length(done.first_output),
        gradient_w=_length(grads.W),
        gradient_v=_length(grads.V),
        xi=xi,
        xi_by_error=((y - done.output) * (H - done.output + error)).sum(),
        W_norm=_length(W),
        V_norm=_length(V),
    )
    return (W - eta_w * grads.W, V - eta_v * grads.V), measured


def _error(fixed: dict[str, Matrix], W: Matrix, V: Matrix, x1: Matrix, H: Matrix) -> tuple[Matrix, Matrix]:
    """Err = f(W* - W; x) + g(V* - V; x) - (H(x) - out(x)), row by row, and its first part."""
    A, second = fixed["A"], fixed["V0"] + V
    done = forward(A, fixed["W0"] + W, second, x1)
    change = f(A, second, done, fixed["W*"] - W, x1) + g(A, done, fixed["V*"] - V)
    inner = (done.first_gates * (x1 @ (fixed["W*"] - W).T)) @ A.T
    return change - (H - done.output), through(A, second, done, inner)


def _held(fixed: dict[str, Matrix], problem: ConceptProblem, W: Matrix, V: Matrix) -> Held:
    x1, H, F, A = fixed["x1"], fixed["H"], fixed["F"], fixed["A"]
    done = forward(A, fixed["W0"] + W, fixed["V0"] + V, x1)
    error, club = _error(fixed, W, V, x1, H)
    first = ((done.first_output - F) ** 2).sum(axis=1)
    distance = ((H - done.output) ** 2).sum(axis=1)
    leaks = jnp.einsum("km,nm,mj->nkj", A, done.second_gates.astype(A.dtype), fixed["V0"])
    composite = problem.alpha * problem.G(done.first_output)

    def first_block(name: str) -> Matrix:
        """A D_W weights (x,1), row by row."""
        return (done.first_gates * (x1 @ fixed[name].T)) @ A.T

    return Held(
        error=_mean_square(error),
        distance=distance.mean(),
        one_point=((H - done.output) * (H - done.output + error)).sum(axis=1).mean(),
        first_distance=first.mean(),
        club=_mean_square(club),
        built_first=_mean_square(first_block("W*") - F),
        built_second=_mean_square(g(A, done, fixed["V*"]) - composite),
        first_leak=_mean_square(first_block("W0")),
        second_leak=_mean_square(g(A, done, fixed["V0"])),
        largest_excess=(jnp.sqrt(first) - 2 * jnp.sqrt(distance)).max(),
        matrix_leak=jnp.sqrt((leaks**2).sum(axis=(1, 2))).max(),
    )


def _mean_square(rows: Matrix) -> Matrix:
    return (rows**2).sum(axis=1).mean()


@dataclass(frozen=True)
class Bounds:
    """What the bounds of Claims C.5 to C.7 are made of, as seen: nothing in it is larger than it has to be.

    ``tau_w`` and ``tau_v`` are the least radii of Lemma C.1 that W_t and V_t stay within (1 and the lower ends of their
    ranges if these are larger), where W* and V* count also at least ten times |W*|_F and |V*|_F; ``L_G``, ``B_F`` and
    ``B_FG`` are the largest seen on inputs.
    """

    alpha: float
    alpha_tilde: float
    sigma_v: float
    tau_w: float
    tau_v: float
    L_G: float
    B_F: float
    B_FG: float

    def gradients(self) -> tuple[float, float]:
        """Claim C.5: sigma_v + 1 and tau_w + 1."""
        return self.sigma_v + 1, self.tau_w + 1

    def error(self, distance: Float[np.ndarray, " times"]) -> Float[np.ndarray, " times"]:
        """Claim C.6: (tau_v + alpha L_G)^2 E|H - out|^2 + (alpha~^2 + tau_v^2 (1+B_F) + alpha tau_v L_G (1+B_F))^2."""
        floor = self.alpha_tilde**2 + (self.tau_v**2 + self.alpha * self.tau_v * self.L_G) * (1 + self.B_F)
        return (self.tau_v + self.alpha * self.L_G) ** 2 * distance + floor**2

    def first_output(self) -> float:
        """Claim C.7: tau_v (B_F + 1) + alpha B_FG."""
        return self.tau_v * (self.B_F + 1) + self.alpha * self.B_FG


@lru_cache(maxsize=8)
def signals(problem: ConceptProblem, seed: int) -> tuple[float, float, float]:
    """L_G, B_F and B_FG as seen on 500 inputs: the largest slope of G at F(x), |F(x)| and |G(F(x))|."""
    X, _ = problem.sample(500, seed=[seed, 2])
    F = problem.F(X)
    with jax.enable_x64(True):
        slopes = jax.jit(jax.vmap(jax.jacfwd(lambda z: problem.G(z[None])[0])))(jnp.asarray(F))
    return (
        float(np.linalg.norm(np.asarray(slopes), 2, axis=(1, 2)).max()),
        float(np.linalg.norm(F, axis=1).max()),
        float(np.linalg.norm(problem.G(F), axis=1).max()),
    )


def bounds(problem: ConceptProblem, run: Trajectory, alpha_tilde: float, seed: int, *, built: bool) -> Bounds:
    """The bounds for a run; ``built`` if W* and V* are to lie within a tenth of the radii, as Table 1 has it."""
    start = run.start
    sigmas = Power(start.sigma_w), Power(start.sigma_v)
    least_w, least_v = (end.at(start.width) for end in least_tau(*sigmas, len(start.A)))
    tau_w, tau_v = max(1.0, least_w, float(run.steps.W_norm.max())), max(least_v, float(run.steps.V_norm.max()))
    if built:
        tau_w, tau_v = max(tau_w, 10 * math.sqrt(_sum(run.built.W))), max(tau_v, 10 * math.sqrt(_sum(run.built.V)))
    return Bounds(problem.alpha, alpha_tilde, start.sigma_v, tau_w, tau_v, *signals(problem, seed))


def _length(array: Matrix) -> Matrix:
    return jnp.sqrt((array**2).sum())


def _sum(matrix: Float[np.ndarray, "a b"]) -> float:
    return float((matrix**2).sum())
