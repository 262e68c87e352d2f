"""Curves on pools of rows: against regression on real tables, in closed cases, and wrong input."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

import kernelgap as kg
from kernelgap.curves import need_on_pool, predict_on_pool
from kernelgap.curves.pool_spectrum import PoolSpectrum
from kernelgap.curves.theory import solve
from kernelgap.errors import InputError
from kernelgap.images.pool import pool_of_images
from kernelgap.regression import ridge_path

KERNELS = ("gaussian", "laplace", "ntk3(bias=True)")
RIDGES = (1e-4, 1e-2, 1.0)
NEAR = 3  # E0 above which single fits vary widely
FASHION = Path(__file__).parents[2] / "runs" / "images" / "fashion-mnist.npz"


def of_sklearn(name):
    """A table of scikit-learn's, scaled: classes, or a number."""
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return X, np.eye(y.max() + 1)[y] if name != "diabetes" else y[:, None]


def of_column(name, column):
    """Another question on such a table: a column from the others."""
    X, _ = of_sklearn(name)
    return np.delete(X, column, axis=1), X[:, [column]]


def of_photo(name, rows=1500):
    """A pixel of a photograph from the 24 around it."""
    grey = datasets.load_sample_image(name).mean(axis=2)
    squares = np.lib.stride_tricks.sliding_window_view(grey, (5, 5)).reshape(-1, 25)
    some = squares[np.random.default_rng(0).permutation(len(squares))[:rows]]
    return np.delete(some, 12, axis=1), some[:, [12]]


TABLES = {
    "diabetes": lambda: of_sklearn("diabetes"),
    "breast_cancer": lambda: of_sklearn("breast_cancer"),
    "wine": lambda: of_sklearn("wine"),
    "iris": lambda: of_sklearn("iris"),
    "digits": lambda: of_sklearn("digits"),
    "diabetes, body mass": lambda: of_column("diabetes", 2),
    "breast_cancer, mean texture": lambda: of_column("breast_cancer", 1),
    "china.jpg": lambda: of_photo("china.jpg"),
    "flower.jpg": lambda: of_photo("flower.jpg"),
}


def scaled(X, Y):
    Y = Y - Y.mean(axis=0)
    return StandardScaler().fit_transform(X[:, X.std(axis=0) > 0]), Y / np.sqrt((Y**2).sum(axis=1).mean())


def errors_of(X, Y, kernels=KERNELS, ridges=RIDGES, repeats=20, least=40):
    """|predicted / measured - 1|, and those with E0 above 3 apart; three sizes for each kernel and ridge."""
    plain, near = [], []
    for kernel in kernels:
        n = np.unique(np.geomspace(least, len(X) // 2, 3).round())[:, None]
        curve = predict_on_pool(X, Y, kernel, n, np.array(ridges), seed=0, repeats=repeats)
        for point in curve.calibration.points:
            place = np.flatnonzero(n[:, 0] == point.n)[0], ridges.index(point.ridge)
            assert curve.test_error[place] == pytest.approx(point.predicted)
            (near if curve.overfitting[place] > NEAR else plain).append(abs(point.error))
    return plain, near


def test_predictions_agree_with_regression_on_a_real_table():
    plain, _ = errors_of(*scaled(*TABLES["diabetes"]()))
    assert len(plain) >= 20
    assert np.median(plain) < 0.05
    assert np.quantile(plain, 0.9) < 0.15


@pytest.mark.slow
def test_predictions_agree_with_regression_on_tables_and_on_images():
    """The median over all is under 10%."""
    data = {name: scaled(*table()) for name, table in TABLES.items()}
    if FASHION.exists():  # scripts/fetch_images.py fashion-mnist --into runs/images
        data["fashion-mnist"] = pool_of_images(FASHION, rows=3000, seed=0)
    every = []
    for name, (X, Y) in data.items():
        plain, near = errors_of(X, Y, repeats=20 if len(X) < 2000 else 5)
        every += plain
        print(
            f"| {name} | {len(X):,} | {len(plain)} | {np.median(plain):.1%} | {np.quantile(plain, 0.95):.1%} | "
            f"{', '.join(f'{each:.0%}' for each in near)} |"
        )
        assert np.median(plain) < 0.15, name  # photographs, with their flat and their sharp parts, are the worst
    print(f"all: {len(every)} points, {np.median(every):.1%}, 95%: {np.quantile(every, 0.95):.1%}")
    assert np.median(every) < 0.1
    assert np.quantile(every, 0.9) < 0.25


@pytest.fixture(scope="module")
def pool():
    """Rows of a function with noise."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 8))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(300)


def test_of_the_eigenvalues_of_the_pool_alone_it_would_be_wrong(pool):
    """The check above can fail: taken for the spectrum itself, those of a finite pool are off by far more."""
    X, y = pool
    kernel = kg.kernels.get("laplace").fit(X)
    values, vectors = np.linalg.eigh(kernel(X, X))
    energies = (vectors.T @ y) ** 2 / len(X)
    groups = kg.curves.Groups(np.zeros(300), np.log(values / len(X)), energies)
    naive = solve(groups, np.array([150.0]), np.array([1e-2])).test_error[0]
    curve = predict_on_pool(X, y, kernel, 150, 1e-2, seed=0, repeats=20)
    (point,) = curve.calibration.points
    assert abs(naive / point.mean - 1) > 0.3
    assert abs(point.error) < 0.05


def test_with_all_rows_it_is_the_leave_one_out_error(pool):
    """In closed form by another factorisation."""
    X, y = pool
    ridges = [1e-3, 0.1, 10.0]
    path = ridge_path(kg.kernels.get("laplace").fit(X)(X, X), y[:, None], ridges)
    curve = predict_on_pool(X, y, "laplace", 300, ridges, seed=0, check=())
    assert np.allclose(curve.test_error, path.leave_one_out, rtol=1e-3)
    assert curve.calibration is None


def test_the_equations_hold_as_written(pool):
    """t = delta + (M - n) kappa with 1 / kappa = tr (K + t I)^-1, by inverses."""
    X, y = pool
    K = kg.kernels.get("laplace").fit(X)(X, X)
    n, delta = 100, 0.05
    t = brentq(lambda t: t - delta - 200 / np.trace(np.linalg.inv(K + t * np.eye(300))), 1e-3, 1e5, xtol=1e-10)
    inverse = np.linalg.inv(K + t * np.eye(300))
    kappa = 1 / np.trace(inverse)
    learned = np.trace(K @ inverse)
    assert learned + delta / kappa == pytest.approx(n, rel=1e-9)
    step = 1e-4 * t
    shifted = np.linalg.inv(K + (t + step) * np.eye(300))
    between = -(np.trace(K @ shifted) - learned) / np.log(np.trace(inverse) / np.trace(shifted))
    leave_one_out = np.mean((inverse @ y / np.diag(inverse)) ** 2)
    amplified = n / (delta / kappa + between)
    curve = predict_on_pool(X, y, "laplace", n, delta, seed=0, check=())
    assert curve.effective_dimension == pytest.approx(learned, rel=1e-5)
    assert curve.overfitting == pytest.approx(amplified, rel=1e-3)
    expected = leave_one_out * amplified / (300 / (t / kappa + between))
    assert curve.test_error == pytest.approx(expected, rel=1e-3)
    assert curve.train_error == pytest.approx((delta / kappa / n) ** 2 * expected, rel=2e-3)


def test_the_best_ridge_is_the_best_of_many(pool):
    X, y = pool
    ridges = np.concatenate([[0.0], np.geomspace(1e-6, 1e4, 2000)])
    for n in (20, 150, 300):
        tried = predict_on_pool(X, y, "laplace", n, ridges, seed=0, check=()).test_error
        best = predict_on_pool(X, y, "laplace", n, "best", seed=0, check=())
        assert best.test_error <= tried.min() * (1 + 1e-5)  # splines on two grids
        again = predict_on_pool(X, y, "laplace", n, best.ridge, seed=0, check=())
        assert again.test_error == pytest.approx(best.test_error, rel=1e-4)


def test_the_need_is_the_first_number_that_gets_there(pool):
    X, y = pool
    curve = predict_on_pool(X, y, "laplace", [50, 200], "best", seed=0, check=())
    need = need_on_pool(curve, float(curve.test_error[1]))
    assert 195 <= need.samples <= 200
    assert "about" in need.sentence
    none = need_on_pool(curve, 1e-9)
    assert none.samples is None
    assert "more than the 300" in none.sentence


def test_beyond_the_rank_least_squares_has_its_known_error():
    """y = noise alone, 5 inputs, no ridge: the test error is noise^2 n / (n - 5)."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((2000, 5)), rng.standard_normal(2000)
    curve = predict_on_pool(X, y, "linear", [20, 50, 500], 0.0, seed=0, check=())
    assert np.allclose(curve.test_error, np.var(y) * np.array([20 / 15, 50 / 45, 500 / 495]), rtol=0.01)
    assert np.allclose(curve.effective_dimension, 5, rtol=1e-3)


def test_the_calibration_is_of_this_kernel_and_these_rows(pool):
    X, y = pool
    first = predict_on_pool(X, y, "laplace", [20, 100], 0.1, seed=0)
    other = predict_on_pool(X[:, ::-1], y, "laplace", [20, 100], 0.1, seed=0)
    assert (first.calibration.kernel, first.calibration.problem) == (first.kernel, first.pool)
    assert first.calibration.problem != other.calibration.problem
    assert [point.n for point in first.calibration.points] == [20, 100]
    assert all(len(point.measured) == 5 for point in first.calibration.points)
    assert "Checked by 10 fits with 20 to 100 samples" in first.calibration.sentence
    again = predict_on_pool(X, y, "laplace", [20, 100], 0.1, seed=0)
    assert again.calibration == first.calibration


def not_positive(X, Z):
    return -np.abs(X @ Z.T)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n must be at least 1"),
        ({"n": math.nan}, "n contains NaN"),
        ({"n": 301}, "n must be at most 300, the rows of the pool, not 301"),
        ({"ridge": -1.0}, "ridge must be at least 0"),
        ({"ridge": math.nan}, "ridge contains NaN"),
        ({"ridge": "least"}, "'best'"),
        ({"check": [200]}, "at most 150 samples"),
        ({"check": [0]}, "check must be at least 1"),
        ({"repeats": 0}, "repeats"),
        ({"kernel": kg.kernels.from_function(not_positive)}, "not positive semi-definite"),
        ({"kernel": "linear", "X": np.zeros((300, 2))}, "is 0"),
        ({"kernel": "nothing"}, "nothing"),
        ({"Y": np.zeros(299)}, "300"),
        ({"X": np.zeros(300)}, "two dimensions"),
        ({"X": np.zeros((5, 2)), "Y": np.zeros(5)}, "at least 10 rows"),
    ],
)
def test_wrong_input_is_refused_with_a_sentence(pool, arguments, message):
    given = {"X": pool[0], "Y": pool[1], "kernel": "laplace", "n": 50, "ridge": 0.1, **arguments}
    with pytest.raises(InputError, match=message):
        predict_on_pool(**given, seed=0)


def test_no_memory_is_said_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 2**20)
    with pytest.raises(InputError, match="smaller pool"):
        PoolSpectrum.of(np.eye(1000), np.zeros((1000, 1)), 0.0, "it")
