"""Predicted curves: against kernel regression on the cube, the floor for any kernel, and wrong input."""

import math

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.certificates import any_kernel
from kernelgap.curves import measure, predict
from kernelgap.errors import InputError

KERNELS = (
    *("ck2", "ck2(bias=True)", "ck3", "ck3(bias=True, hidden_bias=True)", "ck3res(bias=True)", "ntk2", "ntk3"),
    *("ntk3(bias=True, hidden_bias=True)", "ntk3res", "gaussian", "gaussian(factor=0.5)", "laplace"),
    *("arcsin(bias=True)", "recursive(bias=True)", "recursive(bias=True, depth=3)", "polynomial(degree=3)"),
)
SEEDS = range(5)


def random_case(seed):
    """A problem, a kernel, a number of samples and ridges from 1e-6 to 1, all drawn."""
    rng = np.random.default_rng([seed, 21])
    d = int(rng.integers(10, 101))
    k = int(rng.integers(2, 5))
    alpha = float(rng.choice([0.1, 0.3, 1.0]))
    text = f"hard(d={d}, k={k}, alpha={alpha}, seed={seed})"
    text = str(rng.choice([text, text, "sec8", "slides", f"parity(d={d}, k={k})"]))
    n = int(np.exp(rng.uniform(np.log(50), np.log(600 if seed < 1000 else 4000))))
    return text, str(rng.choice(KERNELS)), n, np.geomspace(1e-6, 1.0, 4)


def errors_of(seeds):
    """Relative errors of the predictions; those near an interpolation threshold, where fits vary widely, apart."""
    plain, near = [], []
    for seed in seeds:
        text, kernel, n, ridges = random_case(seed)
        problem = kg.problems.get(text)
        measured = measure(problem, kernel, n, ridges, seeds=SEEDS)
        curve = predict(problem, kernel, n, ridges)
        for i, one in enumerate(measured):
            error = abs(one.mean / curve.risk[i] - 1)
            (near if curve.overfitting[i] > 3 else plain).append(error)
    return np.array(plain), np.array(near)


def test_predictions_agree_with_regression():
    plain, _ = errors_of(range(5))
    assert len(plain) >= 15
    assert np.median(plain) < 0.02
    assert np.quantile(plain, 0.95) < 0.1  # of 20 cases; the slow check has the quantile of 500


@pytest.mark.slow
def test_predictions_agree_with_regression_in_500_cases():
    plain, near = errors_of(range(1000, 1140))
    assert len(plain) + len(near) >= 500
    assert np.median(plain) < 0.02
    assert np.quantile(plain, 0.95) < 0.05


def test_a_curve_of_another_kernel_does_not_agree():
    """The check above can fail: the kernels differ by more than its tolerance."""
    problem = kg.problems.get("sec8")
    measured = measure(problem, "ck3", 300, [1e-3], seeds=SEEDS)[0].mean
    assert abs(measured / predict(problem, "ntk3", 300, 1e-3).risk - 1) > 0.1


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("text", ["sec8", "hard(d=20, k=3, alpha=0.3)"])
def test_no_prediction_is_below_the_floor_for_any_kernel(text, kernel):
    problem = kg.problems.get(text)
    n = np.unique(np.round(np.geomspace(1, 1e9, 60)))
    for ridge in (0.0, 1e-3, "best"):
        curve = predict(problem, kernel, n, ridge)
        floors = np.array([any_kernel(problem, int(each)).mean_risk for each in n])
        assert (curve.risk >= floors * (1 - 1e-9) - 1e-12).all()
    for risk in (0.5 * problem.threshold, 0.01 * problem.threshold):
        need = curve.samples_for(risk)
        assert need is None or need >= any_kernel(problem, 1).samples_for(risk)


def test_samples_for_is_the_first_number_that_reaches_the_risk():
    problem = kg.problems.get("hard(d=12, k=3, alpha=0.3)")
    curve = predict(problem, "ntk2(bias=True)", 10, "best")
    need = curve.samples_for(0.05)
    around = predict(problem, "ntk2(bias=True)", [need - 1, need], "best").risk
    assert around[1] <= 0.05 < around[0]


def test_a_kernel_without_a_degree_never_gets_there():
    """linear sees nothing of a product of three."""
    problem = kg.problems.get("hard(d=12, k=3, alpha=0.3)")
    assert predict(problem, "linear", 10, "best").samples_for(0.1) is None


def test_the_parts_add_up():
    curve = predict(kg.problems.get("sec8"), "ck3", [100, 1000], [[0.0], [1e-2]])
    assert curve.risk.shape == (2, 2)
    assert curve.learned.shape == curve.by_degree.shape == (2, 2, 31)
    assert np.allclose(curve.by_degree.sum(axis=-1), curve.risk)
    assert set(np.flatnonzero(curve.by_degree[0, 0])) == {2, 8}


def test_noise_counts_in_the_test_error_alone():
    problem = kg.problems.get("hard(d=12, k=3, alpha=0.3)")
    noisy = predict(problem, "ck2(bias=True)", 300, 0.1, noise=0.5)
    assert noisy.test_error - noisy.risk == pytest.approx(3 * 0.25)
    assert noisy.risk > predict(problem, "ck2(bias=True)", 300, 0.1).risk
    own = kg.problems.get("hard(d=12, k=3, alpha=0.3, noise=0.5)")
    assert predict(own, "ck2(bias=True)", 300, 0.1).risk == pytest.approx(noisy.risk)


def test_noisy_labels_as_measured():
    problem = kg.problems.get("hard(d=16, k=3, alpha=0.3, noise=0.4)")
    measured = measure(problem, "ntk2(bias=True)", 400, [0.1, 1.0], seeds=range(10))
    predicted = predict(problem, "ntk2(bias=True)", 400, [0.1, 1.0]).risk
    assert np.allclose([m.mean for m in measured], predicted, rtol=0.05)


def test_the_median_distance_is_that_of_the_cube():
    problem = kg.problems.get("hard(d=20, k=3, alpha=0.3)")
    X, _ = problem.sample(1000, 0)
    of_data = kg.kernels.get("gaussian").fit(X).bandwidth
    curve = predict(problem, "gaussian", 100, 1e-3)
    assert kg.kernels.get(curve.kernel).bandwidth == pytest.approx(of_data, rel=0.03)


def test_single_numbers_give_numbers():
    curve = predict(kg.problems.get("sec8"), "ck2", 500, 1e-3)
    assert all(isinstance(v, float) for v in (curve.risk, curve.n, curve.ridge, curve.test_error, curve.train_error))


def test_far_out():
    curve = predict(kg.problems.get("sec8"), "ntk3(bias=True)", np.geomspace(1, 1e12, 1000), "best")
    assert np.isfinite(curve.risk).all()
    assert (np.diff(curve.risk) <= 1e-9 * curve.risk[:-1]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sec8", "ck2", 0), "n must be at least 1"),
        (("sec8", "ck2", -5), "n must be at least 1"),
        (("sec8", "ck2", math.nan), "n"),
        (("sec8", "ck2", []), "n is empty"),
        (("sec8", "ck2", "many"), "n must be"),
        (("sec8", "ck2", 10, -1.0), "ridge must be at least 0"),
        (("sec8", "ck2", 10, math.nan), "ridge"),
        (("sec8", "ck2", 10, "least"), "'best'"),
        (("sec8", "ck2", [1, 2, 3], [0.1, 0.2]), "do not fit"),
        (("concept1(d=6, k=2, alpha=0.3)", "ck2", 10), "no Fourier expansion"),
        (("hard(d=6, d1=4, k=2, alpha=0.3, background='gaussian')", "ck2", 10), "no Fourier expansion"),
        (("sec8", "random_features(feature='sign', count=50)", 10), "formula"),
    ],
)
def test_wrong_input_is_refused_with_a_sentence(arguments, message):
    text, *rest = arguments
    with pytest.raises(InputError, match=message):
        predict(kg.problems.get(text), *rest)


@pytest.mark.parametrize("noise", [-0.1, math.nan, "some"])
def test_wrong_noise(noise):
    with pytest.raises(InputError, match="noise"):
        predict(kg.problems.get("sec8"), "ck2", 10, noise=noise)


def test_a_need_of_several_ridges_is_refused():
    curve = predict(kg.problems.get("sec8"), "ck2", 10, [0.1, 0.2])
    with pytest.raises(InputError, match="one ridge"):
        curve.samples_for(0.1)
