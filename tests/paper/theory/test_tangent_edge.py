"""The edge of a tangent kernel: against a general optimiser, and where it is known."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from kernelgap.paper.theory.plain_sgd import TwoLayer
from kernelgap.paper.theory.tangent_edge import bounded_edge, tangent_edges

CUBE = np.array(list(product([-1.0, 1.0], repeat=5)))


@pytest.mark.parametrize("size", [1e-3, 1.0, 50.0])
def test_the_edge_is_the_greatest_over_weights_of_bounded_norm(size: float) -> None:
    rng = np.random.default_rng(0)
    root = rng.standard_normal((6, 4))
    second, first = root.T @ root / 6, rng.standard_normal(4)
    values, vectors = np.linalg.eigh(second)
    found = bounded_edge(values, (vectors.T @ first) ** 2, size)
    best = minimize(
        lambda w: w @ second @ w - 2 * w @ first,
        np.zeros(4),
        constraints={"type": "ineq", "fun": lambda w: size - w @ w},
        options={"ftol": 1e-14},
    )
    assert found == pytest.approx(-best.fun / size, rel=1e-5)


def test_an_edge_is_a_share_of_the_target_and_falls_with_what_the_kernel_cannot_see() -> None:
    chi = [CUBE[:, :k].prod(axis=1) for k in (1, 2, 5)]
    starts = [TwoLayer.at_start(5, 30, seed) for seed in range(5)]
    edges = np.array([tangent_edges(start, CUBE, np.stack(chi, axis=1)) for start in starts])
    assert ((edges > 0) & (edges < 1)).all()
    assert (np.diff(np.median(edges, axis=0)) < 0).all()


def test_without_biases_a_product_of_three_has_no_edge() -> None:
    """Derivatives are then x_i times a step of an odd function: of even degree, or 1."""
    start = TwoLayer.at_start(5, 30, 0)
    start.b[:] = 0
    features = start.tangent_features(CUBE)
    features = np.concatenate([features[:, :150], np.zeros((32, 60))], axis=1)  # over W alone
    assert np.abs(features.T @ CUBE[:, :3].prod(axis=1)).max() < 1e-5
    assert np.abs(features.T @ CUBE[:, :2].prod(axis=1)).max() > 0.1


def test_the_scale_of_the_target_does_not_matter() -> None:
    start, chi = TwoLayer.at_start(5, 20, 1), CUBE[:, :2].prod(axis=1, keepdims=True)
    assert tangent_edges(start, CUBE, 3 * chi)[0] == pytest.approx(tangent_edges(start, CUBE, chi)[0])


def test_a_target_that_no_feature_sees_has_no_edge() -> None:
    assert bounded_edge(np.ones(3), np.zeros(3), 1.0) == 0.0
