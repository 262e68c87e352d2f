"""What the figures show: verdicts on true and on false numbers."""

from typing import Any

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.paper.claims import get
from kernelgap.paper.claims.experiments.fig4 import exact_error
from kernelgap.paper.claims.figures import fit, least, picked
from kernelgap.paper.figures import Grid
from kernelgap.training.built import Solution


def row(network: str, error: float, mode: str = "all", kind: str = "sgd", width: int | None = 100) -> dict[str, Any]:
    method = f"{network}({mode})" if width else network
    return {"method": method, "network": network, "mode": mode, "kind": kind, "width": width, "test_error": error}


@pytest.mark.parametrize(("name", "kernels"), [("fig2a", 5.2), ("fig2b", 2.5)])
def test_figure_2_needs_the_resnet_alone_under_the_threshold(name: str, kernels: float) -> None:
    claim = get(name)
    others = [row("2layer", 2.0), row("3resnet", kernels, "last", "ridge"), row("ck2", 2.39, kind="ridge", width=None)]
    numbers = {"name": name, "threshold": 1.35, "rows": [row("3resnet", 0.02), *others]}
    assert claim.judge(numbers).outcome == "holds"
    for false in (row("3resnet", 1.4), row("2layer", 1.3), row("ck2", 1.0, kind="ridge", width=None)):
        wrong = [r for r in numbers["rows"] if (r["network"], r["kind"]) != (false["network"], false["kind"])]
        assert claim.judge({**numbers, "rows": [*wrong, false]}).outcome == "fails"
    near = row("3layer", 2.3, "last", "ridge")  # under what the source's kernels reach
    assert claim.judge({**numbers, "rows": [*numbers["rows"], near]}).outcome == "fails"


@pytest.mark.parametrize(
    ("name", "learned", "not_learned"), [("fig3a", 0.3, 0.2), ("fig3b", 0.5, 0.3), ("slides.b", 0.5, 0.0)]
)
def test_figure_3_is_refused_on_either_side(name: str, learned: float, not_learned: float) -> None:
    claim = get(name)
    betas = (0.0, 0.2, 0.3, 0.5, 1.0)
    rows = [{"beta": beta, "test_error": 0.01 if beta >= learned else 1.5} for beta in betas]
    assert claim.judge({"threshold": 1.35, "rows": rows}).outcome == "holds"
    for beta, error in ((learned, 1.4), (not_learned, 1.0)):
        false = [{**r, "test_error": error} if r["beta"] == beta else r for r in rows]
        verdict = claim.judge({"threshold": 1.35, "rows": false})
        assert verdict.outcome == "fails"
        assert f"beta = {beta:g}" in verdict.reason


@pytest.mark.parametrize(("name", "stated"), [("fig4a", 0.69), ("fig4b", 0.98)])
def test_figure_4_is_refused_if_sgd_finds_something(name: str, stated: float) -> None:
    claim = get(name)
    sgd = {"kind": "sgd", "train_error": 0.01, "test_error": 1.0, "norm": 300.0}
    made = {"kind": "built", "train_error": 0.1, "test_error": 0.1, "norm": 60.0}
    assert claim.judge({"name": name, "rows": [sgd, made]}).outcome == "holds"
    assert claim.judge({"name": name, "rows": [{**sgd, "test_error": stated - 0.01}, made]}).outcome == "fails"
    assert claim.judge({"name": name, "rows": [{**sgd, "norm": 50.0}, made]}).outcome == "fails"
    assert claim.judge({"name": name, "rows": [{**sgd, "norm": 50.0, "train_error": 0.9}, made]}).outcome == "holds"


def test_built_solutions_are_refused_beyond_their_norm_or_error() -> None:
    claim = get("fig4.built")
    good = [(4e-4, 9.6, 0.11), (1e-4, 12.4, 0.03), (6e-5, 13.7, 0.01)]
    rows = [{"width": 200, "d": 6, "decay": decay, "norm": norm, "error": error} for decay, norm, error in good]
    assert claim.judge({"rows": rows}).outcome == "holds"
    for at in range(3):
        for key, value in (("norm", 14.5), ("error", 0.2)):
            assert claim.judge({"rows": [*rows[:at], {**rows[at], key: value}, *rows[at + 1 :]]}).outcome == "fails"


def test_the_exact_error_of_a_built_solution_is_that_of_its_points() -> None:
    rng = np.random.default_rng(0)
    W = np.hstack([rng.standard_normal((8, 6)), np.zeros((8, 2))])
    solution = Solution(W, np.array([1, -1] * 4) / np.sqrt(8))
    X = rng.choice([-1.0, 1.0], size=(40_000, 8)) / np.sqrt(8)
    errors = (np.maximum(X @ W.T, 0) @ solution.a - np.sign(X[:, :6]).prod(axis=1)) ** 2
    assert exact_error(solution, 8) == pytest.approx(errors.mean(), abs=4 * errors.std() / 200)
    with pytest.raises(ValueError, match="6 coordinates"):
        exact_error(Solution(np.ones((8, 8)), solution.a), 8)


def test_slides_a_needs_the_resnet_alone() -> None:
    claim = get("slides.a")
    rows = [row("3resnet", 0.01), row("2layer", 0.95), row("ck2", 1.2, kind="ridge", width=None)]
    assert claim.judge({"threshold": 0.72, "rows": rows}).outcome == "holds"
    assert claim.judge({"threshold": 0.72, "rows": [*rows, row("2layer", 0.5)]}).outcome == "fails"
    assert claim.judge({"threshold": 0.72, "rows": [row("3resnet", 0.8), *rows[1:]]}).outcome == "fails"


def test_a_part_of_an_experiment_is_fitted_and_picked_on_validation() -> None:
    parts = (Grid("2layer-signs", "hidden", (4,), (0.1, 1.0), (1e-4,)),)
    table = fit("fig4a", parts, "quick", 0)
    numbers = picked("fig4a", parts, ("method", "width"), "quick", 0)
    rows = numbers["rows"]
    assert len(table) == 2
    assert len(rows) == 1
    assert numbers["threshold"] == problems.get("parity(d=40, k=6)").threshold
    assert rows[0]["validation_error"] == table.validation_error.min()
    assert least(rows, width=4)["test_error"] == table.loc[table.validation_error.idxmin()].test_error


def test_the_rademacher_argument_is_refused_beyond_its_bound_or_if_its_samples_grow_otherwise() -> None:
    claim = get("sec82.rademacher")
    numbers = claim.measure("quick", 1)
    verdict = claim.judge(numbers)
    assert verdict.outcome == "holds"
    assert "bound 1.7 at d = 40, N = 5000" in verdict.measured
    assert "says nothing" in verdict.reason
    above = {**numbers["measured"][0], "found": 100.0}
    assert claim.judge({**numbers, "measured": [*numbers["measured"], above]}).outcome == "fails"
    square = [{**row, "stated": row["d"] ** 2} for row in numbers["rows"]]
    assert claim.judge({**numbers, "rows": square}).outcome == "fails"
    many = [{**row, "test_error": 0.2} for row in numbers["figure"]]
    assert "speaks at Figure 4's sizes" in claim.judge({**numbers, "figure": many}).reason


def test_gates_on_digits_leave_the_talks_networks_undecided_and_can_refute_it() -> None:
    claim = get("slides.gated")
    row = {"ordinary": 0.98, "gated": 0.98, "only ordinary": 3, "only gated": 3, "tested": 600, "gates kept": True}
    numbers = {"train": 1200, "rows": [row] * 3, "cifar10": {"1000": [45.6, 43.7]}}
    verdict = claim.judge(numbers)
    assert verdict.outcome == "undecided"
    assert "Close on digits" in verdict.reason
    assert "1.9 with 1,000 images" in verdict.reason
    wide = claim.judge({**numbers, "rows": [{**row, "only ordinary": 20, "only gated": 12}] * 3})
    assert (wide.outcome, "reach beyond" in wide.reason) == ("undecided", True)
    far = {**row, "gated": 0.9, "only ordinary": 50}
    assert claim.judge({**numbers, "rows": [far] * 3}).outcome == "fails"
    assert claim.judge({**numbers, "rows": [row, {**row, "gates kept": False}]}).outcome == "fails"
    assert "itself" in claim.judge({**numbers, "rows": [{**row, "ordinary": 0.5}]}).reason
