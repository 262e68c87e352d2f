"""Ridge paths against separate solves, scikit-learn, and brute force; the choice of the ridge; sick Gram matrices."""

import re
import warnings

import numpy as np
import pytest
from flint import arb, arb_mat
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV

from kernelgap import kernels, regression
from kernelgap.errors import InputError
from kernelgap.kernels.cube.balls import precision
from kernelgap.regression import (
    ConditionWarning,
    NotPositiveWarning,
    at_edge,
    choose_ridge,
    default_ridges,
    factorisation,
    judge_ridges,
    ridge_path,
    solve_ridge,
)
from kernelgap.regression.factorisation import Banded, Tridiagonal
from kernelgap.regression.spectrum import EPS, MOST_ROUNDING, with_jitter

RIDGES = np.geomspace(1e-5, 10, 7)


def data(n=60, d=3, k=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.stack([np.sin((i + 1) * X[:, 0]) for i in range(k)], axis=1) + 0.1 * rng.standard_normal((n, k))


X, Y = data()
KERNEL = kernels.get("laplace(bandwidth=1.0)")
GRAM = KERNEL(X)
NEW = data(20, seed=1)


@pytest.mark.parametrize("n", [1, 2, 3, 17, 60])
def test_factorisation(n):
    factors = Tridiagonal.of(GRAM[:n, :n])
    Q = factors.rotate_back(np.eye(n))
    np.testing.assert_allclose(Q.T @ Q, np.eye(n), atol=1e-13)
    T = np.diag(factors.diagonal) + np.diag(factors.beside, 1) + np.diag(factors.beside, -1)
    np.testing.assert_allclose(Q @ T @ Q.T, GRAM[:n, :n], atol=1e-13)
    np.testing.assert_allclose(factors.rotate(Y[:n]), Q.T @ Y[:n], atol=1e-13)
    np.testing.assert_allclose(factors.eigenvalues, np.linalg.eigvalsh(GRAM[:n, :n]), atol=1e-13)
    assert factors.extremes == pytest.approx((factors.eigenvalues[0], factors.eigenvalues[-1]), abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 20, 32, 33, 34, 60, 64, 65, 97, 300])
def test_banded_factorisation(n, monkeypatch):
    monkeypatch.setattr(factorisation, "ROWS", 50)
    monkeypatch.setattr(factorisation, "COLUMNS", 7)
    inputs, targets = data(n, seed=5)
    gram = KERNEL(inputs) - 0.3 * np.eye(n)  # not positive
    factors = Banded.of(gram.copy())
    Q = factors.rotate_back(np.eye(n))
    np.testing.assert_allclose(Q.T @ Q, np.eye(n), atol=1e-12)
    width = len(factors.bands)
    B = sum(np.diag(factors.bands[i, : n - i], -i) for i in range(width))
    B = B + np.tril(B, -1).T
    np.testing.assert_allclose(Q @ B @ Q.T, gram, atol=1e-12)
    np.testing.assert_allclose(factors.rotate(targets), Q.T @ targets, atol=1e-12)
    np.testing.assert_allclose(
        factors.rotate_back(factors.solve(factors.rotate(targets), 2.0)),
        np.linalg.solve(gram + 2.0 * np.eye(n), targets),
        rtol=1e-8,
        atol=1e-12,
    )
    eigenvalues = np.linalg.eigvalsh(gram)
    assert factors.extremes == pytest.approx((eigenvalues[0], eigenvalues[-1]), rel=1e-6, abs=1e-12)
    assert factors.size >= np.abs(eigenvalues).max() * (1 - 1e-12)
    assert factors.exceeds(eigenvalues[0] - 1e-6)
    assert not factors.exceeds(eigenvalues[0] + 1e-6)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_path_is_as_many_separate_solves(overwrite):
    gram = GRAM.copy()
    path = ridge_path(gram, Y, RIDGES, overwrite=overwrite)
    cross = KERNEL(NEW[0], X)
    for i, ridge in enumerate(RIDGES):
        alone = np.linalg.solve(GRAM + ridge * np.eye(len(X)), Y)
        np.testing.assert_allclose(path.coefficients[i], alone, rtol=1e-8)
        np.testing.assert_allclose(path.predict(cross)[i], cross @ alone, rtol=1e-8, atol=1e-12)
        error = np.mean(np.sum((cross @ alone - NEW[1]) ** 2, axis=1))
        assert path.errors(cross, NEW[1])[i] == pytest.approx(error)
    assert np.array_equal(gram, GRAM) or overwrite


def test_the_order_of_ridges_does_not_matter():
    there, back = ridge_path(GRAM, Y, RIDGES), ridge_path(GRAM, Y, RIDGES[::-1])
    apart = np.linalg.norm(there.coefficients - back.coefficients[::-1], axis=1)
    # other columns of one product: n roundings of Q'a, and Y's share of a is at most 1 / ridge
    assert np.all(apart <= len(X) * EPS * np.linalg.norm(there.coefficients, axis=1))


def test_equal_to_scikit_learn():
    for name, own in {"rbf": "gaussian(bandwidth=1.0)", "linear": "linear", "poly": "polynomial(degree=3)"}.items():
        peer = KernelRidge(kernel=name, alpha=0.3, gamma={"rbf": 0.5, "poly": 1.0}.get(name)).fit(X, Y)
        path = ridge_path(kernels.get(own)(X), Y, [0.3])
        ours = path.predict(kernels.get(own)(NEW[0], X))[0]
        np.testing.assert_allclose(ours, peer.predict(NEW[0]), rtol=1e-8, atol=1e-8)


def brute_leave_one_out(ridge):
    total = 0.0
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        alone = np.linalg.solve(GRAM[np.ix_(rest, rest)] + ridge * np.eye(len(X) - 1), Y[rest])
        total += np.sum((GRAM[i, rest] @ alone - Y[i]) ** 2)
    return total / len(X)


def test_leave_one_out_and_gcv_in_closed_form():
    path = ridge_path(GRAM, Y, RIDGES)
    np.testing.assert_allclose(path.leave_one_out, [brute_leave_one_out(ridge) for ridge in RIDGES], rtol=1e-8)
    for i, ridge in enumerate(RIDGES):
        hat = GRAM @ np.linalg.inv(GRAM + ridge * np.eye(len(X)))
        left = Y - hat @ Y
        gcv = np.mean(np.sum(left**2, axis=1)) / (1 - np.trace(hat) / len(X)) ** 2
        assert path.gcv[i] == pytest.approx(gcv, rel=1e-6)
    ridge_path(GRAM[:1, :1], Y[:1], RIDGES).leave_one_out.shape == RIDGES.shape  # noqa: B015 (it must not fail)


def test_default_ridges():
    path = ridge_path(5 * GRAM, Y)
    assert path.ridges[0] == pytest.approx(5e-9)
    assert path.ridges[-1] == pytest.approx(500)
    steps = np.diff(np.log10(path.ridges))
    np.testing.assert_allclose(steps, steps[0])
    assert default_ridges(1.0, 1061)[0] == pytest.approx(1e-9)
    assert default_ridges(1.0, 10_000)[[0, -1]] == pytest.approx([8.9e-8, 100], rel=0.01)  # what rounding allows
    with pytest.raises(InputError, match="no positive trace"):
        ridge_path(0 * GRAM, Y)


@pytest.mark.parametrize("by", regression.SELECTIONS)
def test_choice(by):
    choice = choose_ridge(GRAM, Y, by=by, rng=np.random.RandomState(0))
    assert choice.ridge in choice.ridges
    assert choice.errors.argmin() == list(choice.ridges).index(choice.ridge)
    alone = np.linalg.solve(GRAM + choice.ridge * np.eye(len(X)), Y)
    np.testing.assert_allclose(choice.coefficients, alone, rtol=1e-8, atol=1e-8)


def test_a_ridge_is_judged_as_it_is_chosen():
    choice = choose_ridge(GRAM, Y, by="holdout", rng=np.random.default_rng(3), held_out=0.3)
    judged = judge_ridges(GRAM, Y, rng=np.random.default_rng(3), held_out=0.3)
    assert judged.ridge == choice.ridge
    np.testing.assert_array_equal(judged.ridges, choice.ridges)
    np.testing.assert_allclose(judged.errors, choice.errors, rtol=1e-12)
    np.testing.assert_allclose(solve_ridge(GRAM, Y, judged.ridge), choice.coefficients, rtol=1e-8)


@pytest.mark.parametrize("ridge", [1e-6, 0.3])
def test_one_ridge_alone(ridge):
    before = GRAM.copy()
    expected = np.linalg.solve(GRAM + ridge * np.eye(len(GRAM)), Y)
    np.testing.assert_allclose(solve_ridge(GRAM, Y, ridge), expected, rtol=1e-8)
    np.testing.assert_array_equal(GRAM, before)


@pytest.mark.parametrize(("shift", "ridge"), [(-0.5, 0.1), (0.0, 0.0)])  # not positive; singular without a ridge
def test_one_ridge_of_a_sick_matrix_is_that_of_a_path(shift, ridge):
    rows = np.repeat(X[:20], 3, axis=0)
    gram = KERNEL(rows) + shift * np.eye(60)
    with pytest.warns(NotPositiveWarning):
        expected = ridge_path(gram, Y, ridge).coefficients[0]
    with pytest.warns(NotPositiveWarning):
        np.testing.assert_array_equal(solve_ridge(gram, Y, ridge), expected)


@pytest.mark.parametrize("by", ["holdout", "folds"])
def test_a_choice_over_many_samples_is_that_of_separate_solves(by):
    inputs, targets = data(450, seed=8)
    gram = KERNEL(inputs)
    choice = choose_ridge(gram, targets, RIDGES, by=by, rng=np.random.RandomState(0))
    np.testing.assert_allclose(
        choice.coefficients, np.linalg.solve(gram + choice.ridge * np.eye(450), targets), rtol=1e-7, atol=1e-9
    )
    assert choice.spectrum.smallest == pytest.approx(np.linalg.eigvalsh(gram)[0], rel=1e-6)
    sick = gram - 0.5 * np.eye(450)
    with pytest.warns(NotPositiveWarning) as caught:
        mended = choose_ridge(sick, targets, [1e-3, 3.0], by=by, rng=np.random.RandomState(0))
    assert len(caught) == 1
    assert (mended.ridge, mended.spectrum.positive) == (3.0, False)


def test_one_ridge_at_a_time():
    with pytest.raises(InputError, match="ridge_path"):
        solve_ridge(GRAM, Y, [0.1, 0.2])


def test_folds_are_those_of_a_grid_search():
    order = np.random.RandomState(3).permutation(len(X))
    parts = np.array_split(order, 4)
    splits = [(np.setdiff1d(order, part), part) for part in parts]
    peer = GridSearchCV(
        KernelRidge(kernel="precomputed"), {"alpha": RIDGES}, cv=splits, scoring="neg_mean_squared_error"
    ).fit(GRAM, Y)
    choice = choose_ridge(GRAM, Y, RIDGES, by="folds", folds=4, rng=np.random.RandomState(3))
    assert choice.ridge == peer.best_params_["alpha"]
    np.testing.assert_allclose(choice.errors / Y.shape[1], -peer.cv_results_["mean_test_score"], rtol=1e-8)


def test_a_matrix_that_is_not_positive_is_reported_and_mended():
    sick = GRAM - 0.5 * np.eye(len(X))
    smallest = np.linalg.eigvalsh(sick)[0]
    with pytest.warns(NotPositiveWarning, match=f"smallest eigenvalue is {smallest:.3g}") as caught:
        path = ridge_path(sick, Y, RIDGES)
    assert len(caught) == 1
    assert not path.spectrum.positive
    assert path.spectrum.smallest == pytest.approx(smallest)
    assert path.spectrum.jitter == pytest.approx(-smallest - RIDGES[0])
    assert "not positive semi-definite" in str(path.spectrum)


def test_each_ridge_gets_only_what_it_needs():
    sick = GRAM - 0.5 * np.eye(len(X))
    smallest = np.linalg.eigvalsh(sick)[0]
    ridges = np.array([10.0, 0.01, 1.0])
    with pytest.warns(NotPositiveWarning, match="on top of the smallest ridge, and to others what they need"):
        path = ridge_path(sick, Y, ridges)
    np.testing.assert_allclose(path.added, [10.0, -smallest, 1.0], rtol=1e-10)
    for i in (0, 2):
        alone = np.linalg.solve(sick + ridges[i] * np.eye(len(X)), Y)
        np.testing.assert_allclose(path.coefficients[i], alone, rtol=1e-8)


@pytest.mark.parametrize("by", regression.SELECTIONS)
def test_a_ridge_is_judged_by_what_it_needs_itself(by):
    sick = GRAM - 0.5 * np.eye(len(X))
    with pytest.warns(NotPositiveWarning):
        both = choose_ridge(sick, Y, [0.01, 3.0], by=by, rng=np.random.RandomState(0))
    with pytest.warns(NotPositiveWarning, match="The ridge outweighs it"):
        alone = choose_ridge(sick, Y, [3.0], by=by, rng=np.random.RandomState(0))
    assert both.errors[1] == pytest.approx(alone.errors[0], rel=1e-12)
    assert (both.ridge, both.spectrum.jitter) == (3.0, 0.0)
    np.testing.assert_array_equal(both.coefficients, alone.coefficients)


@pytest.mark.parametrize("spread", [1.0, 1e3])
def test_a_large_matrix_of_low_rank_is_positive(spread):
    """Its smallest eigenvalue is found far closer than the n eps of the largest that are allowed for rounding."""
    n = 1500
    factor = np.random.default_rng(0).standard_normal((n, 300)) * np.geomspace(1.0, 1 / spread, 300)
    smallest, largest = Banded.of(factor @ factor.T).extremes
    assert abs(smallest) < 0.2 * n * np.finfo(float).eps * largest
    assert largest == pytest.approx(np.linalg.norm(factor.T @ factor, 2), rel=1e-7)


def test_a_ridge_that_outweighs_it_needs_no_jitter_but_it_is_said():
    with pytest.warns(NotPositiveWarning, match="The ridge outweighs it"):
        path = ridge_path(GRAM - 0.5 * np.eye(len(X)), Y, [3.0])
    assert path.spectrum.jitter == 0


def test_a_singular_matrix_without_a_ridge_is_reported():
    flat = kernels.get("linear")(X)  # rank 3
    with pytest.warns(NotPositiveWarning, match="singular to rounding"):
        path = ridge_path(flat, Y, 0.0)
    assert path.spectrum.positive
    assert 0 < path.spectrum.jitter < 1e-10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ridge_path(flat, Y, 1e-6).spectrum.jitter == 0
        assert ridge_path(flat, Y).spectrum.jitter == 0
        assert ridge_path(GRAM, Y, 0.0).spectrum.jitter == 0


def conflicting(n):
    """Rows that are there twice, with targets that have nothing to do with each other."""
    rng = np.random.default_rng(n)
    inputs = np.repeat(rng.standard_normal((n // 2, 3)), 2, axis=0)
    return kernels.get("gaussian(bandwidth=1.0)")(inputs), rng.standard_normal((n, 1))


def exact_predictions(gram, targets, ridge):
    """K (K + ridge I)^-1 Y with 300 bits."""
    with precision(300):
        K = arb_mat([[arb(float(value)) for value in row] for row in gram])
        shifted = K + arb(float(ridge)) * arb_mat(np.eye(len(gram), dtype=int).tolist())
        found = K * shifted.solve(arb_mat([[arb(float(value))] for value in targets[:, 0]]))
        return np.array([[float(found[i, 0].mid())] for i in range(len(gram))])


@pytest.mark.parametrize("solve", [solve_ridge, lambda *given: ridge_path(*given).coefficients[0]])
def test_a_ridge_that_rounding_shows_through_is_said(solve):
    """At 1e-12 predictions are off by a thousandth. Roundings of a factorisation add up to sqrt(n) eps condition."""
    gram, targets = conflicting(20)
    with pytest.warns(
        ConditionWarning, match=r"condition number .* leaves about 2 digits of the predictions"
    ) as caught:
        coefficients = solve(gram, targets, 1e-12)
    assert len(caught) == 1
    condition = np.linalg.eigvalsh(gram)[-1] / 1e-12
    off = np.max(np.abs(gram @ coefficients - exact_predictions(gram, targets, 1e-12)))
    assert off < 20**0.5 * EPS * condition * np.linalg.norm(targets)
    safe = float(re.search(r"From a ridge of (\S+) on", str(caught[0].message))[1])
    assert safe == pytest.approx(1e-12 * EPS * condition / MOST_ROUNDING, rel=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        coefficients = solve(gram, targets, safe)
    off = np.max(np.abs(gram @ coefficients - exact_predictions(gram, targets, safe)))
    assert off < 20**0.5 * MOST_ROUNDING * np.linalg.norm(targets)


@pytest.mark.parametrize("n", [10, 200, 1100])
def test_default_paths_raise_no_alarm_even_there(n):
    """The worst that they can meet: all the rows nearly the same, so that one eigenvalue is the whole trace."""
    gram = np.ones((n, n))
    spectrum = with_jitter(0.0, float(n), n, default_ridges(1.0, n), quiet=False)
    assert spectrum.jitter == 0
    least = default_ridges(1.0, n)[0]
    assert EPS * spectrum.condition(least) < MOST_ROUNDING
    if n < 1000:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ridge_path(gram, np.random.default_rng(0).standard_normal((n, 1)))
            ridge_path(*conflicting(n))


@pytest.mark.parametrize("by", ["holdout", "folds"])
def test_a_choice_reports_a_matrix_that_is_not_positive_once(by):
    sick = GRAM - 0.5 * np.eye(len(X))
    smallest = np.linalg.eigvalsh(sick)[0]
    with pytest.warns(NotPositiveWarning, match="not positive semi-definite") as caught:
        choice = choose_ridge(sick, Y, [1e-3, 1e-2], by=by, rng=np.random.RandomState(0))
    assert len(caught) == 1
    assert choice.spectrum.smallest == pytest.approx(smallest, rel=1e-6)
    added = (choice.ridge + choice.spectrum.jitter) * np.eye(len(X))
    np.testing.assert_allclose(choice.coefficients, np.linalg.solve(sick + added, Y), rtol=1e-6)


def test_healthy_matrices_raise_no_alarm():
    rng = np.random.default_rng(0)
    repeated = np.repeat(rng.standard_normal((40, 2)), 3, axis=0)
    for text in ("ntk2", "ntk3", "ck2", "gaussian", "laplace", "arcsin", "ntk3res"):
        for inputs in (repeated, 100 + repeated, repeated[:, :1]):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert ridge_path(kernels.get(text).fit(inputs)(inputs), np.ones((120, 1))).spectrum.positive


@pytest.mark.parametrize(
    ("gram", "targets", "ridges", "words"),
    [
        (GRAM[:5], Y[:5], 1.0, "square"),
        (GRAM, Y[:5], 1.0, "one row for each of the 60 samples"),
        (GRAM, Y[:, 0], 1.0, "one row for each"),
        (np.where(np.eye(60), np.nan, GRAM), Y, 1.0, "The Gram matrix contains NaN in row 0, column 0"),
        (GRAM, np.where(Y[7, 1] == Y, np.inf, Y), 1.0, "Y contains infinity in row 7, column 1"),
        (np.where(np.arange(60) == 3, GRAM + 0.1, GRAM), Y, 1.0, "symmetric, but entries"),
        ([["a"]], Y[:1], 1.0, "table of numbers"),
        (GRAM, Y, -1.0, "at least 0"),
        (GRAM, Y, [], "at least 0"),
        (GRAM, Y, [np.nan], "at least 0"),
        (GRAM, Y, "much", "at least 0"),
        (-GRAM, Y, 0.0, "no positive eigenvalue"),
    ],
)
def test_bad_input(gram, targets, ridges, words):
    with pytest.raises(InputError, match=words):
        ridge_path(gram, targets, ridges)


@pytest.mark.parametrize("by", regression.SELECTIONS)
def test_any_numbers_are_factorised_in_float64(by):
    whole = np.round(1000 * GRAM)
    expected = choose_ridge(whole, Y, [1.0, 10.0], by=by, rng=np.random.RandomState(0))
    for kind in (np.int64, np.float32):
        choice = choose_ridge(whole.astype(kind), Y, [1.0, 10.0], by=by, rng=np.random.RandomState(0))
        np.testing.assert_allclose(choice.coefficients, expected.coefficients, rtol=1e-10)


def test_refusals_of_the_choice():
    rng = np.random.RandomState(0)
    for arguments, words in [
        ({"by": "luck"}, "Unknown way to choose the ridge"),
        ({"by": "holdout", "held_out": 1.0}, "between 0 and 1"),
        *(({"by": "holdout", "held_out": bad}, "between 0 and 1") for bad in ("a", None, True, np.nan)),
        *(({"by": "folds", "folds": bad}, "between 2 and 60 of folds") for bad in (1, 61, 2.5, "a", None, True)),
        ({"by": "holdout", "ridges": True}, "at least 0"),
        ({"by": "holdout", "ridges": ["1", "2"]}, "at least 0"),
    ]:
        with pytest.raises(InputError, match=words):
            choose_ridge(GRAM, Y, rng=rng, **arguments)
    with pytest.raises(InputError, match="1 sample"):
        choose_ridge(GRAM[:1, :1], Y[:1], by="holdout", rng=rng)


def test_what_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 30_000)
    with pytest.raises(InputError, match="Factorising a Gram matrix of 60 x 60 needs"):
        ridge_path(GRAM, Y, 1.0)


def test_a_path_that_does_not_fit_is_refused(monkeypatch):
    path = ridge_path(GRAM, Y, RIDGES)
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 2 * 8 * 60 * 7 * 4 - 1)
    with pytest.raises(InputError, match=r"The coefficients for 7 ridges and 4 outputs .* needs .* Take fewer ridges"):
        _ = path.coefficients
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 2 * 8 * 60 * 7 * 4)
    with pytest.raises(InputError, match="Predictions of 100 samples for 7 ridges"):
        path.predict(np.zeros((100, 60)))


def test_predictions_need_their_training_samples():
    path = ridge_path(GRAM, Y, RIDGES)
    for wrong in (GRAM[:, :5], GRAM[0]):
        with pytest.raises(InputError, match="a column for each of the 60 training samples"):
            path.predict(wrong)
    with pytest.raises(InputError, match="one row for each of the 60 samples"):
        path.errors(GRAM, Y[:1])
    with pytest.raises(InputError, match="4 columns, as in training, not 1"):
        path.errors(GRAM, Y[:, :1])


def test_a_choice_at_an_edge():
    noise = np.random.default_rng(0).standard_normal(Y.shape)
    for targets, ridges, edge in [
        (Y, [1e4, 1e3], "smallest"),
        (Y, [1e-6, 1e3], "smallest"),
        (Y + noise, [1e-6, 2.0, 1e4], None),
        (noise, [1e-6, 1e-3, 1.0], "largest"),
        (noise, 1.0, None),
    ]:
        choice = choose_ridge(GRAM, targets, ridges, by="loo", rng=np.random.RandomState(0))
        assert at_edge(choice.ridge, choice.ridges) == edge
