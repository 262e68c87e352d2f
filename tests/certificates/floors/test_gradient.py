"""The floor for gradients with noise: its constant, runs that it must hold for, and bounds that runs violate."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, erf, sqrt

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.certificates import any_gradient, null_runs
from kernelgap.errors import InputError
from kernelgap.paper.claims.negative.gradient import STEPS, mean_advantage
from kernelgap.training.population import LOSSES as FUNCTIONS

LOSSES = ("half-square", "square", "correlation", "logistic")


def parities(d, k):
    cube = np.array(list(product([-1.0, 1.0], repeat=d)))
    return cube / sqrt(d), np.stack([cube[:, list(s)].prod(axis=1) for s in combinations(range(d), k)])


def bounded(d, k, steps, noise, norm, size=None, constant=4):
    """The formula by hand, with a number of parities and a constant of one's own."""
    return sqrt(steps * norm**2 / (constant * (size or comb(d, k)) * noise**2))


@pytest.mark.parametrize(("steps", "noise"), [(1, 0.9), (100, 30.0), (7, 2.0)])
def test_the_constant_by_a_case_that_is_known_in_full(steps, noise):
    """f = sum_S w_S chi_S over all C parities, with the correlation loss: |grad f|^2 = C at every x, and Bessel's
    inequality is an equality. After T steps w_S alone tells S: normal of variance T sigma^2, moved by T. So the total
    variation is erf(sqrt(T) / (2 sqrt(2) sigma)): the bound sqrt(T) / (2 sigma) holds, and 1/8 in place of 1/4 fails.
    """
    exact = erf(sqrt(steps) / (2 * sqrt(2) * noise))
    problem = problems.get("parity(d=9, k=4)")
    bound = any_gradient(problem, steps, noise, sqrt(comb(9, 4)), loss="correlation").advantage
    assert exact <= bound == pytest.approx(min(1.0, sqrt(steps) / (2 * noise)))
    assert exact > min(1.0, bounded(9, 4, steps, noise, sqrt(comb(9, 4)), constant=8))
    assert exact > bounded(9, 4, steps, noise, sqrt(comb(9, 4)), size=comb(9, 4) ** 3)


@pytest.mark.parametrize(("d", "k", "name"), [(6, 1, "2layer"), (7, 3, "3layer")])
def test_no_run_violates_the_bound_and_a_wrong_bound_is_violated(d, k, name):
    """Real descent on every point of the cube, for all C targets: what is measured is a mean over targets and seeds."""
    found = mean_advantage(name, d, k, 0.5, range(40))
    by_hand = bounded(d, k, STEPS, found["noise"], found["norm"])
    assert found["bound"] == pytest.approx(by_hand)
    assert 0.3 < found["bound"] < 0.9  # the bound says something
    assert found["mean"] <= found["bound"] + 3 * found["spread"]
    assert found["signs"] <= found["most_signs"]
    # the check can fail: C^3 in place of C
    assert found["mean"] - 3 * found["spread"] > by_hand / comb(d, k)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_gradients_of_all_targets_differ_as_stated(loss):
    """c E chi_S grad f, from one step without noise; its squares, summed over all parities, are c^2 E |grad f|^2."""
    d = 4
    factor = {"half-square": 1.0, "square": 2.0, "correlation": 1.0, "logistic": 0.5}[loss]
    network = networks.get("2layer")
    X = jnp.asarray(parities(d, 1)[0], dtype=jnp.float32)
    chi = np.concatenate([parities(d, k)[1] for k in range(d + 1)])
    start = network.init(jax.random.key(0), inputs=d, outputs=1, width=5)
    grads = jax.vmap(jax.grad(lambda w, x: network.apply(w, x[None])[0, 0]), in_axes=(None, 0))(start, X)
    flat = np.concatenate([np.asarray(g).reshape(len(X), -1) for g in grads.values()], axis=1)
    with_signal = factor * chi @ flat / len(X)
    assert (with_signal**2).sum() == pytest.approx(factor**2 * (flat**2).sum() / len(X), rel=1e-4)

    def gradient(y):
        of = jax.grad(lambda w: FUNCTIONS[loss](network.apply(w, X)[:, 0], y).mean())(start)
        return np.concatenate([np.asarray(g).ravel() for g in of.values()])

    for row, expected in zip(chi, with_signal, strict=True):
        np.testing.assert_allclose(gradient(0 * row) - gradient(row), expected, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_logarithmic_loss_and_the_others_are_what_they_are_called(loss):
    f, y = np.array([0.3, -2.0]), np.array([1.0, -1.0])
    written = {
        "half-square": (f - y) ** 2 / 2,
        "square": (f - y) ** 2,
        "correlation": -y * f,
        "logistic": np.log1p(np.exp(-y * f)),
    }[loss]
    np.testing.assert_allclose(FUNCTIONS[loss](f, y), written, rtol=1e-5)


def test_numbers_are_exact():
    bound = any_gradient(problems.get("parity(d=40, k=6)"), 1000, Fraction(1, 10), 1)
    assert bound.exact_squared_advantage == Fraction(1000 * 100, 4 * comb(40, 6))
    assert Fraction(bound.advantage) ** 2 >= bound.exact_squared_advantage
    assert bound.advantage == pytest.approx(sqrt(1e5 / (4 * comb(40, 6))), rel=1e-15)
    assert Fraction(bound.mean_risk) <= bound.exact_mean_risk <= 1 - Fraction(1, comb(40, 6))
    assert any_gradient(problems.get("parity(d=40, k=6)"), 1e3, 0.1, 1.0) == bound
    steps = bound.steps_for(0.5)
    for tried, allowed in ((steps, True), (steps - 1, False)):
        squared = any_gradient(problems.get("parity(d=40, k=6)"), tried, 0.1, 1).exact_squared_advantage
        assert (squared >= Fraction(1, 4)) is allowed
    assert bound.advantage_for_share(0.9) == pytest.approx(10 * bound.advantage)
    assert bound.advantage_for_share(1.0) == 1.0


def test_factors_of_losses_and_strengths():
    problem = problems.get("parity(d=20, k=3)")
    of = {loss: any_gradient(problem, 1, 10.0, 1.0, loss=loss).advantage for loss in LOSSES}
    base = of["half-square"]
    assert [of[loss] / base for loss in LOSSES] == pytest.approx([1.0, 2.0, 1.0, 0.5])
    weak = problems.get("staircase(d=20, degrees=[3], variance=0.25)")
    assert any_gradient(weak, 1, 10.0, 1.0).advantage == pytest.approx(base / 2)
    assert any_gradient(weak, 0, 10.0, 1.0).mean_risk == pytest.approx(0.25 * (1 - 1 / 1140))


def test_where_nothing_is_implied():
    bound = any_gradient(problems.get("parity(d=40, k=6)"), 10**12, 0.01, 1.0)
    assert (bound.advantage, bound.accuracy, bound.mean_risk) == (1.0, 1.0, 0.0)
    assert bound.exact_squared_advantage > 1


def test_the_answer_says_what_it_rests_on_and_what_it_does_not_cover():
    bound = any_gradient(problems.get("parity(d=40, k=6)"), 10, 0.1, 2.0)
    assert [hypothesis.checked for hypothesis in bound.hypotheses] == [True, True, False, False, False]
    assert "10 gradients of E (f - y)^2 / 2" in bound.hypotheses[3].statement
    assert "at most 2" in bound.hypotheses[4].statement
    assert any("single examples" in text for text in bound.not_covered)


def test_measured_norms():
    """Of a two-layer network, by hand: the gradients before the first step."""
    problem = problems.get("parity(d=5, k=2)")
    found = null_runs(problem, "2layer", width=6, steps=4, rate=0.01, noise=0.5, seeds=[3, 4])
    assert found.norms.shape == (2, 4)
    assert found.all_points
    network = networks.get("2layer")
    w = {name: np.asarray(v, dtype=float) for name, v in
         network.init(jax.random.key(3), inputs=5, outputs=1, width=6).items()}  # fmt: skip
    X, _ = parities(5, 2)
    total = 0.0
    for x in X:
        for name, value in w.items():
            for place in np.ndindex(value.shape):
                ends = []
                for sign in (1, -1):
                    moved = {**w, name: value.copy()}
                    moved[name][place] += sign * 1e-3
                    ends.append(float(network.apply(moved, jnp.asarray(x[None], dtype=jnp.float32))[0, 0]))
                total += ((ends[0] - ends[1]) / 2e-3) ** 2
    assert found.norms[0, 0] == pytest.approx(sqrt(total / len(X)), rel=0.02)
    assert found.largest >= found.root_mean_square


@pytest.mark.parametrize(
    ("text", "steps", "noise", "norm", "loss", "words"),
    [
        ("sec8", 10, 0.1, 1, "half-square", "one parity of one output"),
        ("staircase(d=9)", 10, 0.1, 1, "half-square", "one parity of one output"),
        ("leaking(d=9)", 10, 0.1, 1, "half-square", "without a base signal"),
        ("concept1(d=6, k=2, alpha=0.3)", 10, 0.1, 1, "half-square", "No bound for concept1"),
        ("parity(d=9)", 10.5, 0.1, 1, "half-square", "steps must be a whole number"),
        ("parity(d=9)", -1, 0.1, 1, "half-square", "steps must be a whole number"),
        ("parity(d=9)", float("nan"), 0.1, 1, "half-square", "steps must be a whole number"),
        ("parity(d=9)", 10, 0, 1, "half-square", "noise must be a positive number"),
        ("parity(d=9)", 10, 0.1, float("inf"), "half-square", "gradient_norm must be a positive number"),
        ("parity(d=9)", 10, 0.1, 1, "logistic", None),
        ("staircase(d=9, degrees=[3], variance=2.0)", 10, 0.1, 1, "logistic", "labels of"),
    ],
)
def test_mistakes_get_a_sentence(text, steps, noise, norm, loss, words):
    if words is None:
        assert any_gradient(problems.get(text), steps, noise, norm, loss=loss).steps == steps
        return
    with pytest.raises(InputError, match=words):
        any_gradient(problems.get(text), steps, noise, norm, loss=loss)


def test_wrong_losses_and_problems_without_a_cube():
    with pytest.raises(InputError, match="Unknown loss 'hinge'"):
        any_gradient(problems.get("parity(d=9)"), 1, 1.0, 1.0, loss="hinge")
    with pytest.raises(InputError, match="no problem of one output"):
        null_runs(problems.get("sec8"), "2layer", width=4, steps=1, rate=0.1, noise=0.1, seeds=[0])
