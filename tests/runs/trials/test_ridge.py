"""Trials by ridge regression: against SGD's own model, against dense kernels, and what they refuse."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap import kernels, networks, problems
from kernelgap.errors import InputError
from kernelgap.kernels.empirical.kernel import empirical
from kernelgap.runs import make_ridge_trial, plan_chunks, run_chunk
from kernelgap.runs.trials import ridge as by_ridge
from kernelgap.runs.trials.trial import read_trial

PROBLEM = "hard(d=7, k=2, alpha=0.5)"
RIDGES = (0.003, 0.1, 3.0)
BIASED, SUM = "ck3(bias=True, hidden_bias=True)", "gaussian(factor=2.0) + ck2"
COMMON = {"problem": PROBLEM, "samples": 25, "seed": 3, "validation_samples": 40, "test_samples": 60}


def results(**what):
    (chunk,) = plan_chunks([make_ridge_trial(ridge=ridge, **what, **COMMON) for ridge in RIDGES[::-1]])
    return run_chunk(chunk).results


def samples():
    problem = problems.get(PROBLEM)
    X, Y = problem.sample(25, 3)
    new, _ = problem.sample(60, [3, 2])
    return X, Y, new, problem.target(new)


def risk(outputs, target):
    return np.mean(np.sum((outputs - target) ** 2, axis=1))


def test_a_kernel():
    X, Y, new, target = samples()
    kernel = kernels.get("gaussian(factor=2.0)").fit(X)
    for ridge, result in zip(RIDGES, results(kernel="gaussian(factor=2.0)"), strict=True):
        a = np.linalg.solve(kernel(X) + ridge * np.eye(25), Y)
        assert result.status == "done"
        assert result.test_error == pytest.approx(risk(kernel(new, X) @ a, target))
        assert result.train_error == pytest.approx(risk(kernel(X) @ a, Y))


def start(name):
    network = networks.get(name)
    k = problems.get(PROBLEM).outputs
    return network, network.init(jax.random.key(3), inputs=7, outputs=k, width=12)


@pytest.mark.parametrize("name", ["2layer", "3layer", "3resnet", "3resnet-full"])
def test_the_tangent_kernel_of_a_network(name):
    """The full kernel, formed and solved directly, from the outputs at the start."""
    X, Y, new, target = samples()
    network, params = start(name)
    kernel = empirical(network, params)
    with jax.enable_x64(True):
        double = {name: jnp.asarray(np.asarray(weight), jnp.float64) for name, weight in params.items()}
        at_train, at_new = (np.asarray(network.apply(double, jnp.asarray(inputs))) for inputs in (X, new))
    gram, cross = kernel.full(X), kernel.full(new, X)
    scale = np.mean(np.diagonal(gram))
    for ridge, result in zip(RIDGES, results(network=name, mode="ntk", width=12), strict=True):
        a = np.linalg.solve(gram + ridge * scale * np.eye(len(gram)), (Y - at_train).ravel())
        assert result.test_error == pytest.approx(risk(at_new + (cross @ a).reshape(target.shape), target), rel=1e-5)
        assert result.status == "done"


@pytest.mark.parametrize("name", ["2layer", "3resnet"])
def test_the_conjugate_kernel_of_a_network(name):
    X, Y, new, target = samples()
    network, params = start(name)
    kernel = empirical(network, params, "last")
    gram = kernel(X)
    scale = np.mean(np.diagonal(gram))
    for ridge, result in zip(RIDGES, results(network=name, mode="last", width=12), strict=True):
        a = np.linalg.solve(gram + ridge * scale * np.eye(25), Y)
        assert result.test_error == pytest.approx(risk(kernel(new, X) @ a, target), rel=1e-6)


def test_equations_that_are_not_solved_are_no_result(monkeypatch):
    monkeypatch.setattr("kernelgap.runs.trials.ridge.TOLERANCE", 1e-18)
    for result in results(network="2layer", mode="ntk", width=4):
        assert (result.status, result.test_error) == ("unsolved", np.inf)


def test_descriptions():
    trial = make_ridge_trial(kernel="gaussian(factor=2.0)", ridge=0.1, **COMMON)
    assert (trial.method, trial.width) == ("gaussian", None)
    assert read_trial(trial.model_dump_json()) == trial
    network = make_ridge_trial(network="3resnet", mode="ntk", width=9, ridge=0.1, **COMMON)
    assert (network.method, network.label) == ("3resnet(NTK)", "3resnet(NTK) width 9 seed 3")
    assert len({trial.id, network.id, trial.model_copy(update={"ridge": 0.2}).id}) == 3


@pytest.mark.parametrize(
    ("spellings", "canonical", "method"),
    [
        (["ck2", " ck ", "ck(depth=1)", "ck2(bias=False)"], "ck2", "ck2"),
        (["ck3(hidden_bias=True, bias=True)", "ck(bias=True, depth=2, hidden_bias=True)"], BIASED, "ck3"),
        (["ntk(depth=3)"], "ntk(depth=3)", "ntk"),
        (["ck3res", "ntk3res(train='last')"], "ck3res", "ck3res"),
        (["ntk3res(bias=True)"], "ntk3res(bias=True)", "ntk3res"),
        (["gaussian", "gaussian(factor=1.0)", "gaussian(factor=1)"], "gaussian", "gaussian"),
        (["gaussian(factor=2.0)", "gaussian( factor = 2 )"], "gaussian(factor=2.0)", "gaussian"),
        (["gaussian(factor=2.0) + ck2", "gaussian(factor=2)+ck"], SUM, SUM),
        (["ck2 + ck3"], "ck2 + ck3", "ck2 + ck3"),
        (["2 * laplace(factor=2.0)"], "2.0 * laplace(factor=2.0)", "2.0 * laplace(factor=2.0)"),
    ],
)
def test_the_same_kernel_is_the_same_trial(spellings, canonical, method):
    trials = [make_ridge_trial(kernel=text, ridge=0.1, **COMMON) for text in spellings]
    assert len({trial.id for trial in trials}) == 1
    assert trials[0].kernel == canonical
    assert trials[0].method == method
    assert kernels.get(trials[0].kernel) == kernels.get(spellings[0])
    assert read_trial(trials[0].model_dump_json()) == trials[0]


def test_identities_stay():
    """Of trials in canonical words; stored runs are found by them."""
    for kernel, identity in {
        "ck2": "3421bb934f1397ba",
        BIASED: "d519aae227592dc1",
        "gaussian(factor=2.0)": "90391b2adce96f24",
        "arcsin": "27961cd118e39c7f",
    }.items():
        assert make_ridge_trial(kernel=kernel, ridge=0.1, **COMMON).id == identity


def test_solving_leaves_jax_as_it_was(monkeypatch):
    seen = []
    result = by_ridge._result
    monkeypatch.setattr(by_ridge, "_result", lambda *a: seen.append(jnp.ones(1).dtype) or result(*a))
    results(network="2layer", mode="ntk", width=4)
    assert seen == [jnp.float32] * 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "needs a kernel, or a network"),
        ({"kernel": "ntk9"}, "Unknown kernel 'ntk9'"),
        ({"kernel": "ck2", "width": 3}, "either a kernel, or a network"),
        ({"network": "2layer", "mode": "all", "width": 3}, "Unknown mode for ridge regression 'all'"),
        ({"network": "2leyer", "mode": "ntk", "width": 3}, "Did you mean '2layer'"),
        ({"network": "2layer", "mode": "ntk"}, "needs a kernel, or a network with mode and width"),
        ({"kernel": "ck2", "ridge": 0.0}, "ridge = 0.0"),
    ],
)
def test_refusals(change, words):
    with pytest.raises(InputError, match=words):
        make_ridge_trial(**{"ridge": 1.0, **COMMON, **change})
