"""The kernels of infinitely wide networks against wide random ones; wrong formulas are caught."""

from functools import cache, partial

import numpy as np
import pytest

from kernelgap import kernels
from kernelgap.kernels.pairs import NumpyArithmetic, NumpyPairs, Polar
from support.wide_network import agrees, moments, three_layer, two_layer

X = np.random.default_rng(5).standard_normal((5, 4)) * np.array([[0.5], [1.0], [1.5], [1.0], [2.0]])
X[3] = -X[1] + 0.1 * X[0]  # nearly opposite

# kernel, network, by how much the network with N(0, 1/m) entries is smaller
LIMITS = {
    "ntk2": (two_layer, 2),
    "ntk3": (partial(three_layer, residual=False), 4),
    "ntk3res": (partial(three_layer, residual=True), 2),
}


@cache
def measured_kernels(name, bias):
    """Mean and error of the kernels of random networks: computed once for all tests."""
    network, _ = LIMITS[name]
    width, seeds = (2**14, 100) if name == "ntk2" else (2**10, 40)
    return moments(lambda rng: network(X, width, rng, bias=bias), seeds)


def limit(name, train, bias):
    hidden = f", hidden_bias={bias}" if name != "ntk2" else ""
    return kernels.get(f"{name}(bias={bias}, train='{train}'{hidden})")


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", LIMITS)
def test_tangent_and_conjugate_kernels_are_those_of_a_wide_network(name, bias):
    measured = measured_kernels(name, bias)
    for train in ("all", "hidden", "last"):
        assert agrees(limit(name, train, bias)(X) / LIMITS[name][1], measured[train]), train


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ntk3", "ntk3res"])
def test_a_very_wide_network(name):
    network, smaller = LIMITS[name]
    measured = moments(lambda rng: network(X, 2**14, rng, bias=True), 12)
    for train in ("all", "hidden", "last"):
        assert agrees(limit(name, train, True)(X) / smaller, measured[train]), train


def test_the_conjugate_kernels_are_the_last_layers():
    for ck, ntk in {"ck2": "ntk2", "ck3": "ntk3", "ck3res": "ntk3res", "ck(depth=5)": "ntk(depth=5"}.items():
        same = f"{ntk}, train='last')" if "(" in ntk else f"{ntk}(train='last')"
        np.testing.assert_allclose(kernels.get(ck)(X), kernels.get(same)(X), rtol=1e-14)


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_deep_kernels_follow_from_integrals(depth):
    """Layer by layer, with E s(u)s(v) and E s'(u)s'(v) from numerical integration over angles."""
    x, z = X[0], X[4]

    def expectations(p, q, r):
        # u = sqrt(p) R cos(a), v = sqrt(q) R cos(a - t): E R^2 = 2, a uniform; both positive on an arc of length pi - t
        t = np.arccos(r / np.sqrt(p * q))
        a = np.linspace(t - np.pi / 2, np.pi / 2, 20001)
        product = np.cos(a) * np.cos(a - t)
        return np.sqrt(p * q) * 2 * np.trapezoid(product, a) / (2 * np.pi), (np.pi - t) / (2 * np.pi)

    p, q, r = x @ x, z @ z, x @ z
    tangent = r
    for _ in range(depth):
        value, slope = expectations(p, q, r)
        tangent = 2 * value + 2 * slope * tangent
        r = 2 * value
    assert kernels.get(f"ck(depth={depth})")(X[:1], X[4:])[0, 0] == pytest.approx(r, rel=1e-7)
    assert kernels.get(f"ntk(depth={depth})")(X[:1], X[4:])[0, 0] == pytest.approx(tangent, rel=1e-7)


def test_known_values_on_unit_vectors():
    x = np.array([[1.0, 0.0]])
    z = np.array([[0.0, 1.0], [0.6, 0.8], [-1.0, 0.0], [1.0, 0.0]])
    # (sin t + 2 (pi - t) cos t) / pi at t = pi/2, arccos(0.6), pi and 0
    t = np.arccos(0.6)
    expected = [1 / np.pi, (0.8 + 1.2 * (np.pi - t)) / np.pi, 0.0, 2.0]
    np.testing.assert_allclose(kernels.get("ntk2")(x, z)[0], expected, atol=1e-15)
    np.testing.assert_allclose(kernels.get("ntk2")(x, z)[0], [0.31830989, 1.10044722, 0.0, 2.0], atol=1e-8)


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
def test_scale_on_unit_vectors(depth):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(kernels.get(f"ck(depth={depth})").diagonal(unit), 1.0, rtol=1e-14)
    np.testing.assert_allclose(kernels.get(f"ntk(depth={depth})").diagonal(unit), depth + 1.0, rtol=1e-14)


class CosinesForAngles(NumpyArithmetic):
    """A mistake that is easily made."""

    @classmethod
    def polar(cls, cosine):
        right = NumpyArithmetic.polar(cosine)
        return Polar(right.cosine, right.sine, right.cosine)


@pytest.mark.parametrize("name", LIMITS)
def test_feeding_cosines_where_angles_belong_is_caught(name, monkeypatch):
    smaller = LIMITS[name][1]
    measured = measured_kernels(name, False)["all"]
    assert agrees(limit(name, "all", False)(X) / smaller, measured)
    monkeypatch.setattr(NumpyPairs, "arithmetic", CosinesForAngles())
    monkeypatch.setattr(NumpyPairs, "NEAR", -np.inf)
    assert not agrees(limit(name, "all", False)(X) / smaller, measured)


def test_leaving_out_what_the_two_layers_of_a_resnet_share_is_caught():
    measured = measured_kernels("ntk3res", False)["last"]
    assert agrees(kernels.get("ck3res")(X) / 2, measured)
    assert not agrees((kernels.get("ck2")(X) + kernels.get("ck3")(X) / 2) / 2, measured)
