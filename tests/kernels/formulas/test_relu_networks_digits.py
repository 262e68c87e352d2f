"""Deep kernels of inputs that nearly agree keep their digits, against the textbook recursion with 4,000 bits."""

import numpy as np
import pytest
from flint import arb

from kernelgap import kernels
from kernelgap.kernels.cube.balls import precision
from kernelgap.kernels.pairs import NumpyArithmetic, NumpyPairs

BITS = 4000  # each layer's arccos halves the bits of an angle near 0
EPS = np.finfo(float).eps
# An angle t from a cosine is off by eps / t, and cosines are used down to 1 - cos t = NEAR; its share of a kernel of
# size depth + 1 goes through at most depth slopes. Nearer pairs are computed from x - z, and off by eps alone.
FROM_COSINES = EPS / np.sqrt(2 * NumpyPairs.NEAR)


def recursion(x, z, depth, bias, hidden_bias):
    """Conjugate and tangent kernel and the ResNet's, from cosines and their arccos."""
    dot = lambda u, v: sum((arb(float(a)) * arb(float(b)) for a, b in zip(u, v, strict=True)), arb(int(bias)))  # noqa: E731
    p, q, covariance = dot(x, x), dot(z, z), dot(x, z)
    tangent, seen = arb(0), []
    for layer in range(1, depth + 1):
        lengths = (p * q).sqrt()
        cosine = covariance / lengths
        t = cosine.acos()
        slope, output = 1 - t / arb.pi(), lengths * (t.sin() + (arb.pi() - t) * cosine) / arb.pi()
        tangent = (tangent + covariance) * slope
        seen.append((p, q, covariance, slope, output))
        one = 2**layer if hidden_bias else 0
        p, q, covariance = p + one, q + one, output + one
    (p1, q1, r1, s1, o1), (p2, q2, r2, s2, o2) = seen[0], seen[min(1, depth - 1)]
    shared = ((p1 * q2).sqrt() + (p2 * q1).sqrt()) / (arb.pi() * arb(2).sqrt())
    last, hidden = o1 + o2 / 2 + shared, r2 * s2 / 2 + r1 * s1 * (1 + s2 / 2)
    resnet = {"ntk3res": last + hidden, "ntk3res:last": last, "ntk3res:hidden": hidden}
    return {"ck": output, "ntk": tangent + output, "ntk:last": output, "ntk:hidden": tangent, **resnet}


@pytest.mark.parametrize("hidden_bias", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("depth", [2, 3, 5])
def test_deep_kernels_of_inputs_that_nearly_agree(depth, bias, hidden_bias, rng):
    for scale in (1e-4, 1.0, 1e3):
        for gap in (1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 1.0):
            x = scale * rng.standard_normal(4)
            z = x + gap * scale * rng.standard_normal(4)
            with precision(BITS):
                exact = recursion(x, z, depth, bias, hidden_bias)
            for name in exact:
                family, _, part = name.partition(":")
                if family == "ntk3res" and depth != 2:
                    continue
                deep = "" if family == "ntk3res" else f"depth={depth}, "
                train = f", train='{part}'" if part else ""
                kernel = kernels.get(f"{family}({deep}bias={bias}, hidden_bias={hidden_bias}{train})")
                size = np.sqrt(np.prod(kernel.diagonal(np.stack([x, z]))))
                allowed = depth * (FROM_COSINES if gap > 1e-5 else 4 * EPS)
                for value in (kernel(x[None], z[None])[0, 0], kernel(np.stack([x, z]))[0, 1]):
                    assert abs(float(arb(float(value)) - exact[name].mid())) <= allowed * size, (name, scale, gap)


@pytest.mark.parametrize("name", ["ntk3", "ntk3res"])
def test_cosines_alone_lose_half_of_the_digits(name, monkeypatch):
    """What the test above is there to see: without 1 - cosine, angles up to 4e-8 count as 0."""
    x = np.array([[0.6, 0.8]])
    z = x + np.array([[0.8, -0.6]]) * np.array([[1e-8], [3e-8], [1e-7]])
    right = kernels.get(name)(x, z)
    monkeypatch.setattr(NumpyArithmetic, "polar_near_one", classmethod(lambda cls, cosine, *_: cls.polar(cosine)))
    assert np.max(np.abs(kernels.get(name)(x, z) / right - 1)) > 1e-9


def test_symmetric_matrices_of_near_duplicates_stay_kernels(rng):
    """Symmetric, with an exact diagonal, and no eigenvalue below what rounding explains."""
    X = np.repeat(rng.standard_normal((20, 3)), 10, axis=0)
    X += 1e-8 * rng.standard_normal(X.shape)
    for name in ("ck3", "ntk3", "ntk(depth=6)", "ntk3res", "ntk3(hidden_bias=True)"):
        gram = kernels.get(name)(X)
        np.testing.assert_array_equal(gram, gram.T)
        np.testing.assert_array_equal(np.diagonal(gram), kernels.get(name).diagonal(X))
        values = np.linalg.eigvalsh(gram)
        assert values[0] >= -10 * EPS * np.trace(gram)
