"""The grid engine against plain NumPy SGD, against its own members trained alone, and when things go wrong."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kernelgap as kg
from kernelgap import networks
from kernelgap.errors import InputError
from kernelgap.training import Schedule, engine, evaluation_epochs, get_model, train_grid

PROBLEM = kg.problems.hard(d=6, k=2, alpha=0.3)
SHORT = Schedule(epochs=12, batch=8)
SEED = [5]


def start(network, width=10):
    return network.init(jax.random.key(1), inputs=PROBLEM.d, outputs=PROBLEM.outputs, width=width)


def train(network="3resnet", mode="all", rates=(0.1,), decays=(1e-3,), n=40, schedule=SHORT, **options):
    network = networks.get(network)
    return train_grid(
        get_model(network, mode),
        start(network),
        rates,
        decays,
        PROBLEM.sample(n, seed=0),
        schedule=schedule,
        seed=SEED,
        evaluate={"test": PROBLEM.sample(64, seed=1)},
        **options,
    )


def numpy_sgd(params, X, Y, rate, decay, schedule):
    """Two-layer network, gradients by hand, PyTorch's update; the same orders of the data."""
    p = {k: np.asarray(v, float) for k, v in params.items()}
    v = {k: np.zeros_like(w) for k, w in p.items()}
    n = len(X)
    for epoch in range(schedule.epochs):
        order = np.random.default_rng([*SEED, epoch]).permutation(n)
        now = rate * min(1.0, (epoch + 1) / (1 + schedule.warmup * schedule.epochs))
        if epoch >= schedule.drop_at * schedule.epochs:
            now /= schedule.drop
        for i in range(0, n, schedule.batch):
            x, y = X[order[i : i + schedule.batch]], Y[order[i : i + schedule.batch]]
            z = x @ p["W"].T + p["b1"]
            h = np.maximum(z, 0)
            r = (h @ p["A"].T - y) / len(x)
            back = (r @ p["A"]) * (z > 0)
            gradient = {"W": back.T @ x, "b1": back.sum(axis=0), "A": r.T @ h}
            for name in p:
                v[name] = schedule.momentum * v[name] + gradient[name] + decay * p[name]
                p[name] = p[name] - now * v[name]
    return p


@pytest.mark.parametrize("n", [40, 43])
@pytest.mark.parametrize("warmup", [0.0, 0.3])
def test_against_plain_sgd(n, warmup):
    """n = 43 leaves a last batch of 3."""
    schedule = Schedule(epochs=12, batch=8, warmup=warmup)
    result = train("2layer", rates=(0.2,), decays=(0.01,), n=n, schedule=schedule)
    X, Y = PROBLEM.sample(n, seed=0)
    expected = numpy_sgd(start(networks.two_layer), X, Y, 0.2, 0.01, schedule)
    for name, w in expected.items():
        np.testing.assert_allclose(result.trained[name][0], w, rtol=2e-3, atol=2e-5)
    other = numpy_sgd(start(networks.two_layer), X, Y, 0.2, 0.02, schedule)
    assert np.abs(result.trained["W"][0] - other["W"]).max() > 1e-3


@pytest.mark.parametrize(
    ("network", "mode"),
    [
        ("2layer", "all"),
        *(("3resnet", mode) for mode in networks.MODES),
        *(pytest.param(n, "all", marks=pytest.mark.slow) for n in sorted({*networks.NETWORKS} - {"2layer", "3resnet"})),
    ],
)
def test_a_member_alone_and_in_its_grid_agree(network, mode):
    """Groups of another size round otherwise, by some eps of float32, and each step may double it: so after 15 steps,
    2^15 eps = 4e-3 at the very worst, and far less as a rule.
    """
    rates, decays, few = (0.02, 0.05, 0.1), (0.0, 1e-2, 1e-3), Schedule(epochs=3, batch=8)
    together = train(network, mode, rates, decays, schedule=few)
    for i in (0, 2):
        alone = train(network, mode, rates[i : i + 1], decays[i : i + 1], schedule=few)
        np.testing.assert_allclose(together.final("test")[i], alone.final("test")[0], rtol=1e-4)
        for name in alone.trained:
            np.testing.assert_allclose(together.trained[name][i], alone.trained[name][0], rtol=1e-3, atol=1e-5)
    assert together.final("train")[2] < together.curves["train"][2, 0]
    assert abs(together.final("test")[0] - together.final("test")[2]) > 1e-6


def test_groups_do_not_change_members(monkeypatch):
    monkeypatch.setenv("KERNELGAP_NATIVE", "off")
    rates, decays = (0.02, 0.05, 0.1, 0.07, 0.03), (1e-3,) * 5
    whole = train(rates=rates, decays=decays)
    monkeypatch.setattr(engine, "CACHE", 8 * 2 * sum(w.size for w in start(networks.resnet).values()))
    parts = train(rates=rates, decays=decays)
    np.testing.assert_allclose(whole.curves["test"], parts.curves["test"], rtol=1e-4)


def test_group_size_fits_the_cache_in_equal_groups():
    weights = 31_000  # a ResNet of width 500: 248 kB of weights and momenta
    assert engine.group_size(weights, 100) == 8
    assert engine.group_size(weights, 9) == 5
    assert engine.group_size(weights, 3) == 3
    assert engine.group_size(10**7, 4) == 1


@pytest.mark.parametrize("mode", ["all", "ntk"])
def test_diverged_members_are_marked_and_the_others_go_on(mode):
    result = train(mode=mode, rates=(50.0, 0.05, 80.0), decays=(0.1, 0.0, 0.1))
    assert result.diverged.tolist() == [True, False, True]
    assert np.isinf(result.final("test")[[0, 2]]).all()
    assert np.isfinite(result.final("test")[1])
    assert (result.diverged_at[[0, 2]] > 0).all()
    alone = train(mode=mode, rates=(0.05,), decays=(0.0,))
    np.testing.assert_allclose(result.final("test")[1], alone.final("test")[0], rtol=1e-4)


def test_diverged_members_stop_costing(monkeypatch):
    """With groups of one, a diverged member is not trained again."""
    monkeypatch.setenv("KERNELGAP_NATIVE", "off")
    monkeypatch.setattr(engine, "CACHE", 1)
    calls = []
    real = engine.advance

    def counting(*args):
        calls.append(float(args[4][0]))
        return real(*args)

    monkeypatch.setattr(engine, "advance", counting)
    result = train(rates=(90.0, 0.05), decays=(0.1, 0.0), epochs=range(13))
    assert result.diverged.tolist() == [True, False]
    assert calls.count(pytest.approx(0.05)) == 12
    assert calls.count(90.0) == result.diverged_at[0] < 12


def test_curves_and_standard_errors():
    result = train(rates=(0.05, 0.1), decays=(0.0, 0.0), epochs=[0, 3])
    assert result.epochs.tolist() == [0, 3, 12]
    X, Y = PROBLEM.sample(64, seed=1)
    for member in (0, 1):
        errors = ((result.predictor(member)(X) - Y) ** 2).sum(axis=1)
        assert result.final("test")[member] == pytest.approx(errors.mean(), rel=1e-4)
        assert result.standard_errors["test"][member] == pytest.approx(errors.std(ddof=1) / 8, rel=1e-4)
    np.testing.assert_allclose(result.curves["test"][0, 0], result.curves["test"][1, 0])


def test_progress_runs_from_nothing_to_all():
    seen = []
    train(rates=(0.05, 70.0), decays=(0.0, 0.1), on_progress=seen.append)
    assert seen == sorted(seen)
    assert seen[0] == 0.0
    assert seen[-1] == 1.0


def test_evaluation_epochs():
    assert evaluation_epochs(800) == (0, 1, 2, 5, 10, 20, 50, 100, 200, 300, 400, 500, 600, 700, 800)
    assert evaluation_epochs(1) == (0, 1)


@pytest.mark.parametrize("mode", ["hidden", "last"])
def test_only_the_chosen_part_moves(mode):
    network = networks.get("3layer")
    result = train("3layer", mode)
    before = start(network)
    trained = {"hidden": {"W", "b1", "U", "b2"}, "last": {"A"}}[mode]
    assert set(result.trained) == trained
    assert all(np.abs(result.trained[n][0] - before[n]).max() > 1e-6 for n in trained)
    for name in set(before) - trained:
        np.testing.assert_array_equal(result.frozen[name], before[name])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rates": (0.0,)}, "rate must be"),
        ({"rates": (float("nan"),)}, "rate must be"),
        ({"decays": (-1e-3,)}, "not negative"),
        ({"rates": (0.1, 0.2)}, "as many rates as decays"),
        ({"rates": (), "decays": ()}, "at least one"),
        ({"n": 5}, "do not fill a batch"),
        ({"mode": "al"}, "Did you mean 'all'"),
        ({"epochs": [99]}, "epochs 0 to 12"),
    ],
)
def test_mistakes_get_a_sentence(options, words):
    with pytest.raises(InputError, match=words):
        train(**options)


def test_a_mode_that_a_network_lacks():
    import dataclasses

    fixed = dataclasses.replace(networks.two_layer, modes=("hidden",))
    with pytest.raises(InputError, match="only in: hidden"):
        get_model(fixed, "all")


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e39])
def test_data_that_is_not_finite_is_named_by_row(bad):
    X, Y = PROBLEM.sample(40, seed=0)
    X[7, 2] = bad
    model = get_model(networks.two_layer, "all")
    with pytest.raises(InputError, match="row 7"):
        train_grid(model, start(networks.two_layer), [0.1], [0.0], (X, Y), schedule=SHORT, seed=SEED)


def test_shapes_that_do_not_fit():
    X, Y = PROBLEM.sample(40, seed=0)
    model = get_model(networks.two_layer, "all")
    for pair in [(X, Y[:39]), (X[:, 0], Y), (X[:0], Y[:0])]:
        with pytest.raises(InputError, match="train sample needs"):
            train_grid(model, start(networks.two_layer), [0.1], [0.0], pair, schedule=SHORT, seed=SEED)
    with pytest.raises(InputError, match="differ in their numbers of columns"):
        train_grid(
            model,
            start(networks.two_layer),
            [0.1],
            [0.0],
            (X, Y),
            schedule=SHORT,
            seed=SEED,
            evaluate={"test": (X[:, :3], Y)},
        )


def test_columns_that_do_not_fit_the_network():
    X, Y = PROBLEM.sample(40, seed=0)
    model, params = get_model(networks.two_layer, "all"), start(networks.two_layer)
    for pair in [(X, Y[:, :1]), (X[:, :5], Y)]:
        with pytest.raises(InputError, match="6 inputs to 2 outputs"):
            train_grid(model, params, [0.1], [0.0], pair, schedule=SHORT, seed=SEED)
    with pytest.raises(InputError, match="another name"):
        train_grid(model, params, [0.1], [0.0], (X, Y), schedule=SHORT, seed=SEED, evaluate={"train": (X, Y)})
    with pytest.raises(InputError, match="not numbers"):
        train_grid(model, params, [0.1], [0.0], (X.astype(str).astype(object) + "?", Y), schedule=SHORT, seed=SEED)


def test_shapes_are_checked_while_tests_run(rng):
    params = start(networks.two_layer)
    with pytest.raises(TypeError, match="Type-check error"):
        networks.resnet.first_output(params, jnp.asarray(rng.standard_normal(6)))


def test_divergence_does_not_depend_on_the_size_of_labels():
    X, Y = PROBLEM.sample(40, seed=0)
    model, params = get_model(networks.two_layer, "all"), start(networks.two_layer)
    result = train_grid(model, params, [50.0], [0.1], (X, 1e-4 * Y), schedule=SHORT, seed=SEED)
    assert result.diverged.tolist() == [True]


@pytest.mark.parametrize(
    "fields", [{"epochs": 0}, {"batch": 0}, {"momentum": 1.0}, {"warmup": -0.1}, {"drop_at": 0}, {"speed": 3}]
)
def test_impossible_schedules(fields):
    with pytest.raises(InputError, match=next(iter(fields))):
        Schedule.checked(**fields)
