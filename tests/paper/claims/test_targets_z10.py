"""G = z^10 on two linear features: the target against the whole cube, and verdicts on true and on false numbers."""

from typing import Any

import numpy as np
import pytest

from kernelgap.paper.claims import get
from kernelgap.paper.claims.targets.z10 import TenthPower, shares
from kernelgap.problems.inputs import whole_cube


def test_the_target_is_two_unit_features_and_their_tenth_powers() -> None:
    problem = TenthPower(8, 0.3)
    X = whole_cube(8)
    F = problem.base(X)
    w = np.zeros((2, 8))
    w[0, :4] = w[1, 4:] = 0.5
    np.testing.assert_allclose(F, np.sqrt(8) * X @ w.T, atol=1e-12)
    np.testing.assert_allclose((w**2).sum(axis=1), 1)
    G = problem.composite(X) / 0.3
    np.testing.assert_allclose(G[:, 0], G[:, 1])
    np.testing.assert_allclose(G[:, 0] * 1024 / G[:, 0].max(), F[:, 0] ** 10 - F[:, 1] ** 10, atol=1e-8)
    assert (problem.composite(X) ** 2).sum(axis=1).mean() == pytest.approx(problem.threshold)
    # nothing of G(F) is affine in F
    assert abs(np.mean(G[:, 0])) < 1e-12
    np.testing.assert_allclose(G.T @ F, 0, atol=1e-9)


def test_shares_are_those_of_a_least_squares_fit() -> None:
    """Of degree 2: what products of two signs explain of z^10 over the cube."""
    signs = whole_cube(4) * 2
    z = signs.sum(axis=1) / 2
    pairs = np.stack([signs[:, i] * signs[:, j] for i in range(4) for j in range(i)], axis=1)
    values = z**10 - (z**10).mean()
    left = values - pairs @ np.linalg.lstsq(pairs, values, rcond=None)[0]
    found = shares()
    assert found[2] == pytest.approx(1 - left.var() / values.var())
    assert sum(found.values()) == pytest.approx(1)
    assert found[1] == pytest.approx(0)


def interval(low: float, high: float) -> dict[str, float]:
    return {"value": (low + high) / 2, "low": low, "high": high, "constant": 1.0}


def numbers(network: dict[str, float], kernels: dict[str, float], error: float) -> dict[str, Any]:
    rows = [{"d": d, "needed": [1000.0, 1200.0]} for d in (16, 32)]
    meeting = {"learner": "gaussian", "test_error": error, "standard_error": 0.004}
    return {
        "shares": [0.0, 0.86, 0.0, 0.14],
        "width": 100,
        "threshold": 0.18,
        "rows": rows,
        "kernels": rows,
        "exponents": {"network": network, "kernels": kernels},
        "meeting": {"d": 128, "samples": 3500, "rows": [meeting]},
    }


@pytest.mark.parametrize(
    ("network", "kernels", "error", "outcome"),
    [
        (interval(0.3, 0.6), interval(1.5, 1.9), 0.13, "holds"),
        (interval(1.2, 1.5), interval(1.5, 1.9), 0.13, "fails"),
        (interval(0.3, 0.6), interval(0.4, 0.8), 0.13, "fails"),  # kernels need no higher power
        (interval(0.3, 1.1), interval(1.5, 1.9), 0.13, "undecided"),
        (interval(0.3, 0.6), interval(1.5, 1.9), 0.03, "undecided"),  # a kernel gets there with as many samples
    ],
)
def test_the_network_must_be_linear_and_kernels_not(network: Any, kernels: Any, error: float, outcome: str) -> None:
    assert get("complexity.z10").judge(numbers(network, kernels, error)).outcome == outcome


def test_what_did_not_get_there_leaves_it_open() -> None:
    claim = get("complexity.z10")
    missed = {**numbers(interval(0.3, 0.6), interval(1.5, 1.9), 0.13), "exponents": None}
    assert claim.judge(missed).outcome == "undecided"
    missed["rows"][0]["needed"] = [1000.0, None]
    missed["kernels"] = [{"d": 16, "needed": [500.0]}, {"d": 32, "needed": [900.0]}]
    assert claim.picture is not None
    assert [line.x for line in claim.picture(missed).lines] == [[32], [16, 32]]


@pytest.mark.slow
def test_end_to_end() -> None:
    claim = get("complexity.z10")
    assert claim.judge(claim.measure("quick", 0)).outcome == "holds"
