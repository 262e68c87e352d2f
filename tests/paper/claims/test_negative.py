"""What no kernel learns: verdicts on true and on false numbers, and the mathematics on small cubes."""

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from kernelgap.paper.claims import get
from kernelgap.paper.claims.negative.cost import step_multiplications
from kernelgap.paper.claims.negative.theorems import anisotropic, features
from kernelgap.paper.theory.rank_argument import (
    leverages,
    squared_distance,
    squared_distance_over_the_cube,
    subsets,
    within_reach,
)
from support.claims import judged

ROW = {
    "problem": "hard",
    "kernel": "ck2",
    "n": 10,
    "targets": 1000,
    "all_targets": True,
    "method": "float64",
    "mean": 0.5,
    "least": 0.3,
    "share_above_paper_floor": 1.0,
    "theorem": "holds",
    "any_kernel_mean": 0.3,
}


@pytest.mark.parametrize("name", ["thm2.kernels", "thm2.d2", "thm3.features"])
def test_one_kernel_that_gets_under_the_floor_is_enough(name: str) -> None:
    claim = get(name)
    assert claim.judge({"rows": [ROW, ROW]}).outcome == "holds"
    under = {**ROW, "share_above_paper_floor": 0.9, "theorem": "fails"}
    verdict = claim.judge({"rows": [ROW, under]})
    assert verdict.outcome == "fails"
    assert "90.00%" in verdict.reason
    assert claim.judge({"rows": [ROW, {**ROW, "theorem": "does not apply"}]}).outcome == "undecided"


def test_the_kernel_of_ones_own_is_a_mercer_kernel() -> None:
    X = np.random.default_rng(0).choice([-1.0, 1.0], size=(40, 8)) / np.sqrt(8)
    K = anisotropic(X, X)
    assert np.allclose(K, K.T)
    assert np.linalg.eigvalsh(K).min() > -1e-10
    rotated = X[:, ::-1]  # the same inner products
    assert not np.allclose(anisotropic(rotated, rotated), K)


def test_features_made_to_fit_some_targets_do_fit_them() -> None:
    d, k, count = 6, 3, 9
    best = features(d, k, count, 0)[f"all coordinates and {count - d} of the parities"]
    X = (1.0 - 2.0 * (np.arange(2**d)[:, None] >> np.arange(d) & 1)) / np.sqrt(d)
    S = next(iter(combinations(range(d), k)))
    signs = X * np.sqrt(d)
    target = signs[:, 1] + 0.3 * signs[:, list(S)].prod(axis=1)
    assert np.linalg.lstsq(best(X), target, rcond=None)[1].sum() == pytest.approx(0, abs=1e-20)


def correlation(*shares: float) -> dict[str, Any]:
    """By d = 10, 14, 18, of one kernel; another is above everywhere."""
    row = {"n": 100, "kernel": "ck2", "mean": 0.3, "least": 0.2}
    rows = [{**row, "d": d, "share": share} for d, share in zip((10, 14, 18), shares, strict=True)]
    return {"k": 4, "alpha": 0.3, "draws": 2, "rows": [*rows, *({**r, "kernel": "ntk2", "share": 1.0} for r in rows)]}


def test_correlation_kernels_may_fail_at_small_d_and_the_verdict_names_the_d_from_which_on_they_do_not() -> None:
    judge = get("thm2.correlation").judge
    always, late = judge(correlation(1.0, 1.0, 1.0)), judge(correlation(0.5, 0.9, 1.0))
    assert (always.outcome, late.outcome) == ("holds", "holds")
    assert "At every d" in always.reason
    assert "From d = 18 on, not at d = 14" in late.reason
    assert "50.00% or more (ck2, d = 10)" in late.measured
    assert "From d = 18 on" in judge(correlation(1.0, 0.5, 1.0)).reason  # what came before an exception does not count


def test_correlation_kernels_fail_if_the_share_does_not_grow_with_d() -> None:
    judge = get("thm2.correlation").judge
    falling, growing = judge(correlation(1.0, 1.0, 0.5)), judge(correlation(0.2, 0.5, 0.9))
    assert (falling.outcome, growing.outcome) == ("fails", "undecided")
    assert "At d = 18" in falling.reason
    assert "90.00%" in growing.reason


def test_the_floor_is_refused_when_a_kernel_gets_under_it() -> None:
    claim = get("bound.sharp")
    row = {"kernel": "ck2", "n": 10, "mean": 0.4, "high": 0.41, "bound": 0.35}
    met = {"n": 20, "mean": 0.3, "low": 0.3, "high": 0.3, "bound": 0.3}
    assert claim.judge({"rows": [row], "best": [met]}).outcome == "holds"
    assert claim.judge({"rows": [row, {**row, "mean": 0.3, "high": 0.34}], "best": [met]}).outcome == "fails"
    assert claim.judge({"rows": [row], "best": [{**met, "bound": 0.29}]}).outcome == "fails"


def test_the_gradient_floor_is_refused_when_a_run_gets_above_it() -> None:
    claim = get("gradient.floor")
    row = {
        "network": "2layer",
        "d": 6,
        "k": 1,
        "bound": 0.5,
        "mean": 0.2,
        "spread": 0.03,
        "signs": 0.5,
        "most_signs": 0.9,
    }
    numbers = {"steps": 30, "seeds": 8, "rows": [row]}
    assert claim.judge(numbers).outcome == "holds"
    wrong = {**row, "bound": 0.5 / 6}  # C^3 in place of C = 6
    assert claim.judge({**numbers, "rows": [row, wrong]}).outcome == "fails"
    assert claim.judge({**numbers, "rows": [{**row, "signs": 0.95}]}).outcome == "fails"
    assert claim.judge({**numbers, "rows": [{**row, "bound": 1.0}]}).outcome == "undecided"


COST = {"mean": 0.02, "high": 0.03, "threshold": 0.45, "risks": [0.01, 0.03], "steps": 1000, "d": 256, "k": 5}


def test_cost_is_judged_by_memory_first_then_by_time() -> None:
    judge = get("thm3.cost").judge
    numbers = {**COST, "features": 10**9, "training_numbers": 30_000, "training_multiplications": 10**8}
    assert judge(numbers).outcome == "holds"
    late = judge({**numbers, "features": 10**7})
    assert late.outcome == "undecided"
    first = next(d for d in range(256, 1000) if Fraction(comb(d, 5), comb(256, 5)) > 10 * Fraction(d, 256) ** 2)
    assert f"from d = {first} on" in late.reason
    assert judge({**numbers, "features": 1000}).outcome == "fails"
    for unlearned in ({"high": None}, {"high": 0.5}):
        assert judge({**numbers, **unlearned}).outcome == "undecided"


def test_the_multiplications_of_a_step_are_those_of_its_matrices() -> None:
    """Counted one product after the other, for one sample."""
    d, k, m = 7, 3, 11
    forwards = m * (d + 1) + k * m + m * (k + 1) + k * m  # (W, b1), A, (V, b2), A
    backwards = m * k + m * (k + 1) + m * k + m * k + m * (d + 1)  # A' r, d(V, b2), V' delta, A', d(W, b1)
    assert step_multiplications(d, k, m) == forwards + backwards + m * (d + 1) + m * (k + 1)


def test_lemma_d1_on_every_function_of_a_tiny_cube() -> None:
    rng = np.random.default_rng(0)
    f = rng.standard_normal(2**5)
    for S in ((0, 1), (1, 2, 4), (0, 1, 2, 3, 4)):
        formula, brute = squared_distance(f, S[0], S, 0.3), squared_distance_over_the_cube(f, S[0], S, 0.3)
        assert formula == pytest.approx(brute, rel=1e-13)
    assert len(subsets(5)) == 32
    assert subsets(5)[:3] == [(), (0,), (1,)]


def test_lemma_d1_is_refused_when_an_exception_or_an_error_is_seen() -> None:
    claim, numbers, _ = judged("lemma.d1", "holds", seed=0)
    assert numbers["near"] > 10
    assert claim.judge({**numbers, "small_weight": 1}).outcome == "fails"
    assert claim.judge({**numbers, "large_rest": 1}).outcome == "fails"
    assert claim.judge({**numbers, "worst_in_units_of_rounding": 2.0}).outcome == "fails"
    assert claim.judge({**numbers, "near": 0}).outcome == "undecided"


def test_the_best_vector_of_lemma_d2_is_found() -> None:
    """Against a search: no vector singles a column out better than its leverage says."""
    rng = np.random.default_rng(0)
    M = rng.standard_normal((4, 9))
    h = leverages(M)
    assert h.sum() == pytest.approx(4)
    best = np.linalg.pinv(M @ M.T) @ M
    for r in range(9):
        products = (M.T @ np.column_stack([best[:, r], rng.standard_normal((4, 2000))])) ** 2
        ratios = products[r] / (products.sum(axis=0) - products[r])
        assert ratios[0] == pytest.approx(h[r] / (1 - h[r]))
        assert ratios.max() <= h[r] / (1 - h[r]) * (1 + 1e-9)
    assert within_reach(np.hstack([np.eye(3), np.zeros((3, 4))])).tolist() == [True] * 3 + [False] * 4


def test_lemma_d2_is_refused_when_every_column_is_reached() -> None:
    claim, numbers, _ = judged("lemma.d2", "holds", seed=0)
    row = {"n": 5, "r": 10, "matrix": "false", "reached": 10, "leverage": 10.0}
    assert claim.judge({"rows": [*numbers["rows"], row]}).outcome == "fails"
    assert claim.judge({"rows": [{**row, "reached": 6}]}).outcome == "fails"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thm2.kernels", "thm2.d2", "thm2.correlation", "thm3.features", "bound.sharp"])
def test_measured_whole(name: str) -> None:
    claim = get(name)
    assert claim.judge(claim.measure("quick", 1)).outcome == "holds"
