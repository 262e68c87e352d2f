"""What the talk says beyond the paper: verdicts on true and on false numbers."""

import copy
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.paper.claims import get
from kernelgap.paper.claims.kept_images import CIFAR10, shared_sizes
from kernelgap.paper.claims.talk.circuits import AFFINE, circuit_of, floor_row
from kernelgap.paper.claims.talk.l1 import (
    coefficients,
    monomials,
    needed,
    quadratic_risk,
)
from kernelgap.paper.claims.talk.oops import KEPT, values_of
from kernelgap.regression.monomials import count_monomials, evaluate_monomials
from support.claims import judged

DOCS = Path(__file__).parents[3] / "docs"


def l1(**false: Any) -> dict[str, Any]:
    rows = [
        {"d": d, "n": n, "seed": s, "lasso": 4e-4 if n >= 50 else 0.3, "ridge": 3.0, "floor": 0.25}
        for d in (10, 20)
        for n in (25, 50, 100)
        for s in range(3)
    ]
    nuclear = [{"d": 40, "n": n, "seed": s, "nuclear": 1e-5, "floor": 0.12} for n in (120, 240) for s in range(3)]
    beyond = [{"d": d, "degree": k, "monomials": count_monomials(d, k)} for d, k in ((20, 3), (30, 8), (256, 5))]
    return {"rows": rows, "nuclear": nuclear, "beyond": beyond, "threshold": 0.27, **false}


def test_convex_methods_beyond_l2_have_to_get_under_the_floor_where_ridge_does_not() -> None:
    judge, good = get("talk.l1").judge, l1()
    assert judge(good).outcome == "holds"
    assert "50 of 176, 50 of 1,351" in judge(good).reason
    assert "8,987,138,113" in judge(good).reason
    for name, values, outcome in (
        ("lasso", [0.3] * 3, "fails"),
        ("lasso", [4e-4, 4e-4, 0.3], "undecided"),
        ("ridge", [0.1] * 3, "fails"),
    ):
        rows = [{**r, name: values[r["seed"]]} if r["n"] == 100 else r for r in good["rows"]]
        assert judge(l1(rows=rows)).outcome == outcome
    assert judge(l1(nuclear=[{**r, "nuclear": 0.2} for r in good["nuclear"]])).outcome == "fails"


def test_lasso_needs_the_samples_from_which_on_every_seed_has_learned() -> None:
    rows = l1()["rows"]
    assert needed(rows, 10, 0.027) == 50
    assert needed(rows, 10, 1e-6) is None


def test_a_distance_of_coefficients_is_a_risk() -> None:
    """Over all points of a cube."""
    d, k = 6, 3
    problem = problems.hard(d=d, k=k, alpha=0.3, seed=2)
    sets = monomials(d, k)
    assert len(sets) == count_monomials(d, k) == 42
    signs = np.array(list(product((-1.0, 1.0), repeat=d)))
    truth = coefficients(problem, sets)
    assert evaluate_monomials(signs, sets) @ truth == pytest.approx(problem.target(signs / np.sqrt(d)))
    other = truth + 0.1 * np.random.default_rng(0).standard_normal(truth.shape)
    difference = evaluate_monomials(signs, sets) @ (other - truth)
    assert np.mean(np.sum(difference**2, axis=1)) == pytest.approx(np.sum((other - truth) ** 2))


def test_the_risk_of_a_quadratic_form_is_its_mean_over_the_cube() -> None:
    D = np.random.default_rng(1).standard_normal((6, 6))
    D = (D + D.T) / 2
    Z = np.array([(1.0, *signs) for signs in product((-1.0, 1.0), repeat=5)])
    assert quadratic_risk(D) == pytest.approx(np.mean(np.sum((Z @ D) * Z, axis=1) ** 2))


def circuits(**false: Any) -> dict[str, Any]:
    row = {"trials": 50, "largest_gap": 0.0, "least_gap": 0.0}
    rows = [
        {**row, "circuit": "ntk", "affine": True, "found": 0},
        {**row, "circuit": "net", "affine": False, "found": 49},
    ]
    floors = [{"circuit": "ntk", "weights": 60, "mean": 3.0, "floor": 0.25}]
    return {"rows": rows, "floors": floors, "square": {"trials": 9, "convex": 9, "witnesses": 9}, **false}


def test_circuits_are_refused_where_a_witness_is_false_or_missing_or_the_floor_is_broken() -> None:
    judge, good = get("talk.circuits").judge, circuits()
    assert judge(good).outcome == "holds"
    assert "identity" in judge(good).reason
    affine, other = good["rows"]
    assert judge(circuits(rows=[{**affine, "found": 1}, other])).outcome == "fails"
    assert judge(circuits(rows=[affine, {**other, "found": 0}])).outcome == "fails"
    assert judge(circuits(floors=[{**good["floors"][0], "mean": 0.2}])).outcome == "fails"
    assert judge(circuits(square={"trials": 9, "convex": 8, "witnesses": 9})).outcome == "fails"


def test_a_circuit_of_a_network_is_that_network() -> None:
    """Of the tangent kind: C(W) - C(0) is linear in W, and has as many weights as the network."""
    circuit, start = circuit_of("2layer", "ntk", 0)
    assert start.shape == (4 * 10 + 4 + 4 * 4,)
    rng = np.random.default_rng(0)
    V, W, x = rng.standard_normal(60), rng.standard_normal(60), rng.standard_normal(10)
    zero = circuit(np.zeros(60), x)
    assert circuit(2 * V - W, x) - zero == pytest.approx(2 * circuit(V, x) - circuit(W, x) - zero, abs=1e-4)


def test_the_floor_is_under_an_affine_circuit() -> None:
    row = floor_row(*AFFINE[0], seed=1)
    assert row["weights"] == 16
    assert row["mean"] > row["floor"] > 0


def oops(**changed: list[float]) -> dict[str, Any]:
    values = {KEPT: [0.02] * 5, "width": [0.2] * 5, "start": [0.2] * 5, "rate": [0.1] * 5} | changed
    judged = {"width": 16.0, "start": 0.01, "rate": 8.0}
    rows = [
        {
            "condition": name,
            "value": judged.get(name, 0.0),
            "seed": s,
            "relative": x,
            "changed": 0.1,
            "train_error": 0.1,
        }
        for name, of_seeds in values.items()
        for s, x in enumerate(of_seeds)
    ]
    rows += [{**row, "value": 2048**0.5, "train_error": 2.3} for row in rows if row["condition"] == "rate"]
    return {"width": 2048, "rows": rows, "judged": judged}


def test_each_condition_broken_alone_has_to_take_the_network_away_with_every_seed() -> None:
    judge = get("talk.oops").judge
    assert judge(oops()).outcome == "holds"
    assert "start" in judge(oops(start=[0.03] * 5)).reason
    assert judge(oops(start=[0.03] * 5)).outcome == "fails"
    assert judge(oops(rate=[0.1, 0.1, 0.1, 0.1, 0.03])).outcome == "undecided"
    kept = judge(oops(**{KEPT: [0.2] * 5}))
    assert (kept.outcome, "does not follow" in kept.reason) == ("undecided", True)


def test_a_run_that_overflowed_is_infinitely_far() -> None:
    numbers = oops()
    numbers["rows"][7]["relative"] = None
    assert values_of(numbers, "width", 16.0) == [0.2, 0.2, np.inf, 0.2, 0.2]
    assert get("talk.oops").judge(numbers).outcome == "holds"


def test_kernels_on_cifar_are_undecided_without_the_sources_own_and_refuted_by_a_kernel_that_reaches_the_network() -> (
    None
):
    claim, numbers, verdict = judged("cifar.kernels", "undecided", seed=0)
    assert "91.2%" in verdict.reason
    assert "62.1 +- 1%" in verdict.measured
    level = copy.deepcopy(numbers)
    level["since"].append({"accuracy": 96.5, "who": "nobody", "how": "not at all"})
    assert claim.judge(level).outcome == "fails"
    behind = {**numbers, "rows": [{**r, "accuracy": 70.0} if r["method"] == "ntk" else r for r in numbers["rows"]]}
    assert claim.judge(behind).outcome == "fails"
    own = [{"method": "conv-resnet-8", "accuracy": 96.0}, {"method": "cntk", "accuracy": 77.2}]
    whole = [*numbers["rows"], *({**row, "images": 50_000, "half": 0.4} for row in own)]
    assert claim.judge({**numbers, "rows": whole}).outcome == "holds"


def test_what_was_kept_is_what_the_page_says() -> None:
    """The table of CIFAR-10 in docs/images.md, read anew."""
    lines = (DOCS / "images.md").read_text().partition("**CIFAR-10**")[2].splitlines()
    header = next(line for line in lines if line.startswith("| images |"))
    sizes = [int(cell.replace(",", "")) for cell in header.strip("| ").split("|")[1:]]
    page: dict[str, dict[int, tuple[float, float]]] = {}
    for line in lines[lines.index(header) + 2 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line[1:-1].split("|")]
        found = {n: re.fullmatch(r"([\d.]+) ± ([\d.]+)", cell) for n, cell in zip(sizes, cells[1:], strict=True)}
        name = re.findall(r"`([^`]+)`", cells[0])[0]
        page[name] = {n: (float(match[1]), float(match[2])) for n, match in found.items() if match}
    assert {name: dict(of_size) for name, of_size in CIFAR10.items()} == {name: page[name] for name in CIFAR10}
    assert shared_sizes("conv-resnet-8", "ntk") == [1000, 5000]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["talk.l1", "talk.circuits", "talk.oops"])
def test_measured_whole(name: str) -> None:
    claim = get(name)
    assert claim.judge(claim.measure("quick", 1)).outcome == "holds"
