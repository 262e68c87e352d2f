"""What holds for every kernel: symmetry, positivity, diagonal, blocks, text; and each one's own formula."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.kernels import kernel as kernel_module
from kernelgap.kernels.formulas.random_features import CLOSED_FORMS
from kernelgap.kernels.pairs import NumpyArithmetic, NumpyPairs, Polar

EVERY = [
    "gaussian",
    "gaussian(bandwidth=0.7)",
    "laplace",
    "laplace(bandwidth=2.0, factor=0.5)",
    "linear",
    "polynomial(degree=2, offset=0.5)",
    "arcsin",
    "arcsin(bias=True)",
    "recursive",
    "recursive(depth=4, bias=True)",
    "ck2",
    "ck2(bias=True)",
    "ck3(hidden_bias=True)",
    "ck(depth=4)",
    "ck3res(bias=True, hidden_bias=True)",
    "ntk2",
    "ntk2(train='hidden')",
    "ntk3",
    "ntk3(bias=True, hidden_bias=True)",
    "ntk(depth=4)",
    "ntk3res",
    "ntk3res(bias=True, hidden_bias=True, train='hidden')",
    *(f"random_features(feature='{feature}')" for feature in CLOSED_FORMS),
    "random_features(count=20, seed=3)",
    "random_features(feature='step', weights='signs', count=7, bias=True)",
    "ntk2 + 0.5 * gaussian(bandwidth=1.0)",
    "arcsin * ck2",
    "(linear + gaussian) * laplace",
    "2.0 * ck2 * (linear + 0.5 * laplace) + arcsin",
]

inputs = st.builds(
    lambda seed, n, d, scale, kind: {
        "gaussian": lambda rng: scale * rng.standard_normal((n, d)),
        "signs": lambda rng: rng.choice([-1.0, 1.0], size=(n, d)),
        "repeated": lambda rng: np.repeat(rng.standard_normal((n, d)), 2, axis=0),
        "parallel": lambda rng: rng.standard_normal((n, 1)) * rng.standard_normal((1, d)),
        "with zeros": lambda rng: np.concatenate([np.zeros((2, d)), scale * rng.standard_normal((n, d))]),
        "shifted": lambda rng: 100.0 + rng.standard_normal((n, d)),
    }[kind](np.random.default_rng(seed)),
    seed=st.integers(0, 10**6),
    n=st.integers(1, 12),
    d=st.integers(1, 6),
    scale=st.sampled_from([1e-3, 1.0, 50.0]),
    kind=st.sampled_from(["gaussian", "signs", "repeated", "parallel", "with zeros", "shifted"]),
)


@pytest.mark.parametrize("text", EVERY)
@settings(max_examples=25, deadline=None)
@given(X=inputs)
def test_symmetric_and_positive_semi_definite(text, X):
    kernel = kernels.get(text).fit(X)
    values = kernel(X)
    np.testing.assert_array_equal(values, values.T)
    eigenvalues = np.linalg.eigvalsh(values)
    assert eigenvalues[0] >= -1e-11 * max(eigenvalues[-1], 1e-300)
    np.testing.assert_allclose(np.diagonal(values), kernel.diagonal(X), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("text", EVERY)
def test_blocks_and_order(text, monkeypatch):
    monkeypatch.setattr(kernel_module, "TILE", 4)
    rng = np.random.default_rng(0)
    X, Z = rng.standard_normal((11, 3)), rng.standard_normal((6, 3))
    kernel = kernels.get(text).fit(X)
    whole = kernel(np.concatenate([X, Z]))
    cross = kernel(X, Z)
    assert cross.shape == (11, 6)
    assert cross.dtype == np.float64
    np.testing.assert_allclose(whole[:11, 11:], cross, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(kernel(Z, X), cross.T, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(kernel(X, X.copy()), kernel(X), rtol=1e-12, atol=1e-13)
    monkeypatch.setattr(kernel_module, "TILE", 100)
    np.testing.assert_allclose(kernel(X, Z), cross, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("text", EVERY)
def test_text_makes_the_same_kernel(text):
    X = np.random.default_rng(1).standard_normal((5, 3))
    kernel = kernels.get(text).fit(X)
    again = kernels.get(kernel.spec)
    assert again == kernel
    np.testing.assert_array_equal(again(X), kernel(X))
    assert kernel.spec in repr(kernel)
    assert kernels.get(kernel) is kernel


def test_bias_is_one_more_coordinate():
    rng = np.random.default_rng(2)
    X, Z = rng.standard_normal((5, 3)), rng.standard_normal((4, 3))
    ones = [np.concatenate([M, np.ones((len(M), 1))], axis=1) for M in (X, Z)]
    for name in ("arcsin", "recursive", "linear", "polynomial", "ck2", "ck3", "ntk2", "ntk3", "ntk3res", "ck3res"):
        np.testing.assert_allclose(kernels.get(f"{name}(bias=True)")(X, Z), kernels.get(name)(*ones), rtol=1e-12)
    sampled = kernels.random_features(count=9, bias=True), kernels.random_features(count=9)
    np.testing.assert_allclose(sampled[0](X, Z), sampled[1](*ones), rtol=1e-12)


def test_formulas():
    rng = np.random.default_rng(3)
    X, Z = rng.standard_normal((6, 4)), rng.standard_normal((5, 4))
    distance = np.linalg.norm(X[:, None] - Z, axis=2)
    cosine = (X @ Z.T) / np.linalg.norm(X, axis=1)[:, None] / np.linalg.norm(Z, axis=1)
    expected = {
        "gaussian(bandwidth=1.5)": rbf_kernel(X, Z, gamma=1 / (2 * 1.5**2)),
        "laplace(bandwidth=1.5)": np.exp(-distance / 1.5),
        "polynomial(degree=3, offset=2.0)": polynomial_kernel(X, Z, degree=3, gamma=1, coef0=2.0),
        "arcsin": np.arcsin(cosine),
        "recursive": 1 / (2 - cosine),
        "recursive(depth=2)": 1 / (2 - 1 / (2 - cosine)),
        "linear": X @ Z.T,
    }
    for text, values in expected.items():
        np.testing.assert_allclose(kernels.get(text)(X, Z), values, rtol=1e-11, atol=1e-13)


def test_the_recursive_kernel_is_a_power_series_of_the_cosine():
    """1/(2 - c) = sum_p 2^-(p+1) c^p: the expectation over p of a product of p random signs' features."""
    c = np.linspace(-1, 1, 9)
    Z = np.stack([c, np.sqrt(1 - c**2)], axis=1)
    series = sum(2.0 ** -(p + 1) * c**p for p in range(60))
    np.testing.assert_allclose(kernels.get("recursive")(np.array([[1.0, 0.0]]), Z)[0], series, rtol=1e-12)


class MixedUp(NumpyArithmetic):
    """Angle and cosine in each other's place."""

    @classmethod
    def polar(cls, cosine):
        right = NumpyArithmetic.polar(cosine)
        return Polar(right.angle, right.sine, right.cosine)


@pytest.mark.parametrize("text", ["arcsin", "recursive"])
def test_cosines_in_place_of_angles_change_the_answer(text, monkeypatch):
    rng = np.random.default_rng(3)
    X, Z = rng.standard_normal((6, 4)), rng.standard_normal((5, 4))
    right = kernels.get(text)(X, Z)
    monkeypatch.setattr(NumpyPairs, "arithmetic", MixedUp())
    monkeypatch.setattr(NumpyPairs, "NEAR", -np.inf)
    assert np.max(np.abs(kernels.get(text)(X, Z) - right)) > 0.1


def gaussian_by_waves(X, Z, bandwidth, count, rng, cauchy):
    """Bochner: exp(-|x-z|^2/2h^2) = E cos(<w,x-z>), w Gaussian; for exp(-|x-z|/h) w is multivariate Cauchy."""
    W = rng.standard_normal((count, X.shape[1])) / bandwidth
    if cauchy:
        W = W / np.abs(rng.standard_normal((count, 1)))
    waves = np.cos(np.einsum("cd,nmd->nmc", W, X[:, None] - Z))
    return waves.mean(axis=2), waves.std(axis=2) / count**0.5


@pytest.mark.parametrize(("name", "cauchy"), [("gaussian", False), ("laplace", True)])
def test_distance_kernels_by_monte_carlo(name, cauchy):
    rng = np.random.default_rng(4)
    X, Z = rng.standard_normal((4, 3)), rng.standard_normal((3, 3))
    mean, error = gaussian_by_waves(X, Z, 1.3, 200_000, rng, cauchy)
    values = kernels.get(f"{name}(bandwidth=1.3)")(X, Z)
    assert np.all(np.abs(values - mean) < 4.5 * error)
    assert not np.all(np.abs(values**0.9 - mean) < 4.5 * error)


def test_nearly_parallel_inputs_keep_their_digits():
    """K(x, x + tiny): with half of the digits lost, 1 - K / K(x,x) would be off by 1e-9."""
    x = np.array([[3.0, -1.0, 2.0]])
    across = np.array([[1.0, 3.0, 0.0]]) / np.sqrt(10)
    for size in (1e-4, 1e-6, 1e-8, 1e-10):
        z = x + size * np.sqrt(14) * across
        angle = np.arctan(size)
        slope = kernels.get("random_features(feature='step')")(x, z)[0, 0]
        # unit vectors are off by eps or so, and the angle between them by 2 eps
        assert slope == pytest.approx((1 - angle / np.pi) / 2, abs=np.finfo(float).eps)
        assert np.pi / 2 - kernels.get("arcsin")(x, z)[0, 0] == pytest.approx(angle, rel=1e-6)
        assert np.pi / 2 + kernels.get("arcsin")(x, -z)[0, 0] == pytest.approx(angle, rel=1e-6)
        far = kernels.get("laplace(bandwidth=1.0)")(x + 1e3, z + 1e3)[0, 0]
        assert 1 - far == pytest.approx(size * np.sqrt(14), rel=1e-2, abs=2e-13)


def test_median_bandwidth():
    X = np.array([[0.0], [1.0], [3.0]])  # distances 1, 2, 3
    kernel = kernels.get("gaussian").fit(X)
    assert kernel.spec == "gaussian(bandwidth=2.0)"
    assert kernels.get("gaussian(factor=0.5)").fit(X).spec == "gaussian(bandwidth=1.0)"
    np.testing.assert_array_equal(kernel(X), kernels.get("gaussian")(X))
    np.testing.assert_allclose(kernels.get("gaussian")(X, X[:1]), kernels.get("gaussian")(X[:1], X).T, rtol=1e-14)
    assert kernels.get("gaussian").fit(np.ones((4, 2))).spec == "gaussian(bandwidth=1.0)"
    many = np.random.default_rng(0).standard_normal((3000, 2))
    assert kernels.get("laplace").fit(many).bandwidth == pytest.approx(np.sqrt(2 * np.log(2) * 2), rel=0.05)


def test_arithmetic_of_kernels():
    X = np.random.default_rng(6).standard_normal((7, 3))
    a, b = kernels.get("ck2"), kernels.get("gaussian(bandwidth=1.0)")
    np.testing.assert_allclose((a + b)(X), a(X) + b(X))
    np.testing.assert_allclose((a * b)(X), a(X) * b(X))
    np.testing.assert_allclose((2 * a + b * 0.5)(X), 2 * a(X) + 0.5 * b(X))
    assert (2 * (a + b)).spec == "2.0 * (ck2 + gaussian(bandwidth=1.0))"
    for nonsense in (lambda: a + 1, lambda: a * "b"):
        with pytest.raises(TypeError):
            nonsense()
    for number in (-1, 0, True, np.nan, 10**400):
        with pytest.raises(InputError, match="multiplied by must be a positive number"):
            number * a


NESTED = {
    "6.0 * ck2": lambda a, b, c: 2 * (3 * a),
    "ck2": lambda a, b, c: 0.5 * (2 * a),
    "ck2 + linear + arcsin": lambda a, b, c: a + (b + c),
    "ck2 * linear * arcsin": lambda a, b, c: a * (b * c),
    "2.0 * (ck2 + linear)": lambda a, b, c: 2 * (a + b),
    "2.0 * ck2 * linear": lambda a, b, c: (2 * a) * b,
    "6.0 * ck2 * linear * arcsin": lambda a, b, c: (2 * a) * (b * (3 * c)),
    "6.0 * (ck2 + linear) * arcsin": lambda a, b, c: 2 * ((3 * (a + b)) * c),
    "2.0 * ck2 + linear + 3.0 * (linear + arcsin)": lambda a, b, c: (2 * a + b) + 3 * (b + c),
    "(ck2 + linear) * (linear + arcsin)": lambda a, b, c: (a + b) * (b + c),
}


@pytest.mark.parametrize("text", NESTED)
def test_nested_kernels_are_flat_and_made_again_from_their_text(text):
    X = np.random.default_rng(6).standard_normal((7, 3))
    parts = [kernels.get(name) for name in ("ck2", "linear", "arcsin")]
    kernel = NESTED[text](*parts)
    assert kernel.spec == text
    assert kernels.get(text) == kernel
    np.testing.assert_allclose(kernel(X), NESTED[text](*(part(X) for part in parts)), rtol=1e-13)


def test_spacing_and_whole_numbers_do_not_change_the_text():
    spec = "2.0 * ck2(bias=True) + gaussian(bandwidth=3.0)"
    for text in (
        "2*ck2( bias = True )+gaussian(bandwidth=3)",
        "2.0 *  ck2(bias=True)\n + gaussian(bandwidth=3.0)",
        spec,
    ):
        assert kernels.get(text).spec == spec


def test_precomputed_stands_alone():
    for text in ("precomputed + ck2", "2.0 * precomputed", "1.0 * precomputed", "ck2 * precomputed"):
        with pytest.raises(InputError, match="stands for a whole Gram matrix"):
            kernels.get(text)


@pytest.mark.parametrize("text", ["ntk2", "ntk3res", "ck3res", "ntk3"])
def test_homogeneous_at_any_scale(text):
    X = np.random.default_rng(8).standard_normal((6, 3))
    kernel = kernels.get(text)
    for scale in (1e-100, 1e100):
        np.testing.assert_allclose(kernel(scale * X) / scale / scale, kernel(X), rtol=1e-12)


def test_own_kernels():
    X = np.random.default_rng(7).standard_normal((5, 3))
    whole = kernels.from_function(lambda A, B: (A @ B.T) ** 2)
    rows = kernels.from_function(lambda x, z: float(x @ z) ** 2, pairwise=True)
    np.testing.assert_allclose(whole(X), rows(X))
    np.testing.assert_allclose((whole + kernels.get("linear"))(X), (X @ X.T) ** 2 + X @ X.T)
    np.testing.assert_allclose(whole.diagonal(X), np.sum(X**2, axis=1) ** 2)
    for function, pairwise, words in [
        (lambda A, B: A @ B.T + np.arange(len(B)), False, "not symmetric"),
        (lambda A, B: np.ones(3), False, "gave the shape"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), False, "contains NaN in row 0"),
        (lambda x, z: x, True, "one number"),
    ]:
        with pytest.raises(InputError, match=words):
            kernels.from_function(function, pairwise=pairwise)(X)
    with pytest.raises(InputError, match="takes a function"):
        kernels.from_function(3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ntk4", "Unknown kernel 'ntk4'. Did you mean 'ntk"),
        ("gausian", "Did you mean 'gaussian'"),
        ("gaussian(width=2)", "Unknown argument of gaussian 'width'"),
        ("gaussian(bandwidth=-1)", "bandwidth must be a positive number or 'median', not -1"),
        ("laplace(factor='x')", "factor must be a positive number"),
        ("ck(depth=0)", "depth must be a whole number of at least 1, not 0"),
        ("polynomial(degree=1.5)", "degree must be a whole number"),
        ("polynomial(offset=-1.0)", "offset must be a number of at least 0"),
        ("polynomial(offset='a')", "offset must be a number of at least 0, not 'a'"),
        ("ck2(bias='no')", "bias must be True or False, not 'no'"),
        ("ck3(hidden_bias=3)", "hidden_bias must be True or False, not 3"),
        ("ntk3(hidden_bias=3)", "hidden_bias must be True or False, not 3"),
        ("ntk3res(hidden_bias=0)", "hidden_bias must be True or False, not 0"),
        ("cntk(image=(2, 2, 1), pooling='x')", "pooling must be True or False, not 'x'"),
        ("ntk2(train='some')", "Unknown part of a network 'some'"),
        ("random_features(feature='rleu')", "Did you mean 'relu'"),
        ("random_features(weights='signs')", "No closed form is known"),
        ("random_features(count=0)", "count must be a whole number"),
        ("random_features(seed=-1)", "seed must be a whole number of at least 0, not -1"),
        ("random_features(count=2, seed='a')", "seed must be a whole number of at least 0, not 'a'"),
        ("random_features(feature=3)", "Unknown feature '3'"),
        ("random_features(count=2, bias=2)", "bias must be True or False, not 2"),
        ("ck2(bias=True, bias=False)", "gives bias twice"),
        ("ck2(bias=yes)", "the value of bias is not a plain number or text"),
        ("ck2(bias={[]: 1})", "the value of bias is not a plain number or text"),
        ("ck2(**{})", "is not a kernel such as"),
        ("ck2 * True", "is not a kernel such as"),
        ("0 * ck2", "multiplied by must be a positive number, not 0"),
        ("1e999 * ck2", "multiplied by must be a positive number, not inf"),
        ("ck2 +", "is not a kernel such as"),
        ("ck2 - ck3", "is not a kernel such as"),
        ("__import__('os')", "is not a kernel such as"),
        ("3.0", "is not a kernel such as"),
        ("-1.0 * ck2", "is not a kernel such as"),
        ("", "is not a kernel such as"),
    ],
)
def test_mistakes_in_the_text(text, words):
    with pytest.raises(InputError, match=re.escape(words)):
        kernels.get(text)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, np.nan]], "X contains NaN in row 0, column 1"),
        ([[0.0, 0.0], [np.inf, 0.0]], "X contains infinity in row 1, column 0"),
        ([1.0, 2.0], "two dimensions"),
        ([["a"]], "table of numbers"),
        (np.ones((3, 0)), "two dimensions"),
        ([[10**400]], "table of numbers"),
        (1j * np.ones((2, 2)), "X is complex: pass real numbers"),
        ([[1.0, 1j]], "X is complex: pass real numbers"),
        (sparse.csr_array(np.eye(2)), r"X is sparse.*: pass X\.toarray\(\)"),
    ],
)
def test_bad_inputs(X, words):
    with pytest.raises(InputError, match=words):
        kernels.get("ntk2")(X)


def test_a_bad_precomputed_matrix():
    for matrix, words in [(sparse.eye_array(2), "sparse"), (1j * np.eye(2), "complex"), ([["a"]], "table of numbers")]:
        with pytest.raises(InputError, match=words):
            kernels.get("precomputed")(matrix)


def test_columns_must_match():
    with pytest.raises(InputError, match="X has 2 columns and Z has 3"):
        kernels.get("ck2")(np.ones((2, 2)), np.ones((2, 3)))


def test_a_gram_matrix_that_does_not_fit_is_refused_with_numbers(monkeypatch):
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 10**6)
    monkeypatch.setattr(kernel_module, "available_memory", lambda: 10**6)
    X = np.ones((400, 2))
    with pytest.raises(InputError, match=r"400 x 400 needs 0.00119 GiB, and 0.000931 GiB are free.*about 353 x 353"):
        kernels.get("ntk2")(X)
    assert kernels.get("ntk2")(X[:300]).shape == (300, 300)


def test_a_precomputed_matrix_has_its_own_diagonal():
    K = np.array([[2.0, 1.0], [1.0, 3.0]])
    np.testing.assert_array_equal(kernels.get("precomputed").diagonal(K), [2.0, 3.0])
    with pytest.raises(InputError, match="give the square one"):
        kernels.get("precomputed").diagonal(K[:1])
