"""The tangent model is the Jacobian's, wide networks stay closer to it, and its own solution has a closed form."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import problems
from kernelgap.networks import two_layer
from kernelgap.paper.theory.lazy import KERNEL_RATE, TalkStart, departure, gates, tangent, two_layer_beside_tangent

PROBLEM = problems.hard(d=5, k=2, alpha=0.3)


def test_the_tangent_is_the_linearisation() -> None:
    rng = np.random.default_rng(0)
    params = {n: rng.standard_normal(w.shape, np.float32) for n, w in two_layer.weights(5, 2, 30).items()}
    x = jnp.asarray(PROBLEM.sample(20, 0)[0], jnp.float32)
    change = {name: rng.standard_normal(params[name].shape, np.float32) for name in ("W", "b1")}
    start = {name: params[name] for name in change}
    value, slope = jax.jvp(lambda w: two_layer.apply({**params, **w}, x), (start,), (change,))
    moved = {**params, **{name: params[name] + change[name] for name in change}}
    np.testing.assert_allclose(tangent(moved, gates(params, x), x), value + slope, rtol=1e-4, atol=1e-4)


def test_wide_is_lazy_and_fast_is_not() -> None:
    narrow, wide = (
        two_layer_beside_tangent(PROBLEM, width=m, samples=40, rates=[1.0], time=30.0, seed=0, held_out=200)
        for m in (20, 1280)
    )
    assert wide.changed[0] < 0.4 * narrow.changed[0]
    assert wide.distance[0] < 0.4 * narrow.distance[0]
    assert wide.moved[0] > 10 * wide.distance[0]


def test_the_start_is_the_talk_s() -> None:
    np.testing.assert_allclose([TalkStart().std("output", 2000), TalkStart().std("first", 2000) ** 2], [1.0, 2 / 2000])


SETTING = {"width": 64, "samples": 30, "time": 5.0, "seed": 3, "held_out": 40}


def closed_form(start: TalkStart) -> tuple[np.ndarray, np.ndarray]:
    """f_0 at held-out inputs before and after gradient descent, by the eigenvalues of the tangent kernel."""
    problem = problems.hard(d=6, k=2, alpha=0.3)
    width, n, seed = SETTING["width"], SETTING["samples"], SETTING["seed"]
    params = two_layer.init(jax.random.key(seed), inputs=6, outputs=2, width=width, initialisation=start)
    W, b, A = (np.asarray(params[name], float) for name in ("W", "b1", "A"))
    x, y = problem.sample(n, [seed, 0])
    test = problem.sample(SETTING["held_out"], [seed, 2])[0]

    def features(X: np.ndarray) -> np.ndarray:
        """d f_j / d (W, b1) for each input and output."""
        ones = np.hstack([X, np.ones((len(X), 1))])
        gates = (X @ W.T + b >= 0).astype(float)
        return np.einsum("ni,ji,nd->njid", gates, A, ones).reshape(len(X) * 2, -1)

    def f(X: np.ndarray) -> np.ndarray:
        return np.maximum(X @ W.T + b, 0.0) @ A.T

    at_x, at_test = features(x), features(test)
    values, vectors = np.linalg.eigh(at_x @ at_x.T)
    steps, rate = round(SETTING["time"] / KERNEL_RATE), KERNEL_RATE / width
    decay = (1 - (1 - rate * values / n) ** steps) / np.maximum(values, 1e-12)
    change = at_test @ at_x.T @ (vectors * decay) @ vectors.T @ (y - f(x)).reshape(-1)
    return f(test), f(test) + change.reshape(-1, 2)


@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_the_kernel_learns_what_its_closed_form_says(scale: float) -> None:
    before, after = closed_form(TalkStart(scale))
    seen = departure(problems.hard(d=6, k=2, alpha=0.3), rate=KERNEL_RATE, start=TalkStart(scale), **SETTING)
    learned = np.sqrt(np.mean(np.sum((after - before) ** 2, axis=1)))
    assert seen.learned == pytest.approx(learned, rel=1e-3)  # float32, ten steps
    assert 0 < seen.relative < 1
    assert 0 < seen.changed < 0.5


def test_a_network_that_does_not_move_is_as_far_from_the_kernel_as_the_kernel_from_the_start() -> None:
    still = departure(problems.hard(d=6, k=2, alpha=0.3), rate=1e4, **SETTING)  # no step fits into the time
    assert still.distance == pytest.approx(still.learned, rel=1e-5)
    assert still.changed == 0.0
