import numpy as np
import pytest

from kernelgap.paper.theory.start import Start, compare, f, forward, g, gradient, with_one


@pytest.fixture
def pieces(rng: np.random.Generator) -> dict[str, np.ndarray]:
    start = Start.draw(rng, d=4, k=3, m=30, sigma_w=0.7, sigma_v=2.0)
    return {
        "A": start.A,
        "first": start.W0 + 0.2 * rng.standard_normal(start.W0.shape),
        "second": start.V0 + 0.2 * rng.standard_normal(start.V0.shape),
        "x1": with_one(rng.standard_normal((1, 4))),
        "y": rng.standard_normal((1, 3)),
    }


def _objective(A: np.ndarray, first: np.ndarray, second: np.ndarray, x1: np.ndarray, y: np.ndarray) -> float:
    return float(0.5 * ((y - forward(A, first, second, x1).output) ** 2).sum())


def test_the_formula_is_the_slope_by_finite_differences(
    pieces: dict[str, np.ndarray], rng: np.random.Generator
) -> None:
    W, V = rng.standard_normal(pieces["first"].shape), rng.standard_normal(pieces["second"].shape)
    step = 1e-6
    ahead = {**pieces, "first": pieces["first"] + step * W, "second": pieces["second"] + step * V}
    behind = {**pieces, "first": pieces["first"] - step * W, "second": pieces["second"] - step * V}
    slope = (_objective(**ahead) - _objective(**behind)) / (2 * step)
    done = forward(pieces["A"], pieces["first"], pieces["second"], pieces["x1"])
    change = f(pieces["A"], pieces["second"], done, W, pieces["x1"]) + g(pieces["A"], done, V)
    assert ((pieces["y"] - done.output) * change).sum() == pytest.approx(-slope, rel=1e-6)
    grads = gradient(pieces["A"], pieces["second"], done, pieces["x1"], pieces["y"])
    assert (grads.W * W).sum() + (grads.V * V).sum() == pytest.approx(slope, rel=1e-6)


def test_autodiff_and_formula_agree_to_rounding_and_a_wrong_formula_does_not(
    pieces: dict[str, np.ndarray], rng: np.random.Generator
) -> None:
    W, V = rng.standard_normal(pieces["first"].shape), rng.standard_normal(pieces["second"].shape)
    both = compare(**pieces, W_direction=W, V_direction=V)
    assert both.clear
    assert abs(both.automatic - both.formula) <= both.rounding
    assert both.rounding < 1e-8 * abs(both.formula)
    done = forward(pieces["A"], pieces["first"], pieces["second"], pieces["x1"])
    skipped = f(pieces["A"], 0 * pieces["second"], done, W, pieces["x1"]) + g(pieces["A"], done, V)
    wrong = float(((pieces["y"] - done.output) * skipped).sum())
    assert abs(wrong - both.automatic) > 1e3 * both.rounding
