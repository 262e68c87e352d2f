"""What the figures show: verdicts on true and on false numbers."""

import json
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kernelgap.paper.claims import Verdict, get
from kernelgap.paper.claims.experiments.fig4 import exact_error
from kernelgap.paper.claims.figures import (
    FRESH,
    at_edges,
    best,
    bounded,
    fit,
    kept_reference,
    lacking,
    method_of,
    named,
    points,
)
from kernelgap.paper.figures import EXPERIMENTS, Built, KernelLines, Reference, RidgePaths, Search, reference
from kernelgap.paper.figures.reference import Point, fits_of
from kernelgap.paper.figures.searches import FIRST_SEED
from kernelgap.training.built import Solution
from kernelgap.training.search import Space
from support.claims import judged


def row(method: str, *errors: float, width: int | None = 100, beta: float | None = None) -> dict[str, Any]:
    learner = "network" if width and ("all" in method or "hidden" in method) else "kernel"
    three = errors if len(errors) == 3 else (errors[0], 0.9 * errors[0], 1.1 * errors[0])
    spread = dict(zip(("median", "least", "greatest"), three, strict=True))
    means = {"mean": spread["median"], "validation_error": spread["median"]}
    return {"method": method, "learner": learner, "width": width, "beta": beta, "edges": "", **spread, **means}


def numbers_of(name: str, line: float, rows: Iterable[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """Of a search that covers all that the experiment at the paper's scale does."""
    about = {
        "name": name,
        "scale": "full",
        "threshold": line,
        "epochs": 800,
        "kept": None,
        "searched": ["all of it"],
        "bounded": False,
    }
    return {**about, "seeds": [0, 1, 2, 3, 4], "search_seeds": [1000, 1001], "rows": list(rows), **changes}


def whole(name: str, errors: dict[str, float]) -> dict[tuple[str, int, float | None], dict[str, Any]]:
    """A point for each method, width and beta of the paper's scale, with an error for each kind of method."""
    found = {}
    for part in EXPERIMENTS[name].scales["paper"].grids:
        if not isinstance(part, Built | KernelLines):
            method = method_of(part)
            error = next(value for key, value in errors.items() if method.startswith(key) or key == "own")
            for width, beta in product(part.widths, part.betas or (None,)):
                found[method, width, beta] = row(method, error, width=width, beta=beta)
    return found


FIG2 = [
    ("fig2a", "all", {"3resnet(all)": 0.015, "3layer(all)": 1.9, "2layer(all)": 1.9, "own": 5.2}),
    ("fig2b", "hidden", {"3resnet(hidden)": 0.1, "3layer(hidden)": 1.5, "2layer(hidden)": 1.8, "own": 2.5}),
]


@pytest.mark.parametrize(("name", "mode", "errors"), FIG2)
def test_figure_2_needs_the_resnet_alone_under_the_threshold(name: str, mode: str, errors: dict[str, float]) -> None:
    claim = get(name)
    true = whole(name, errors)
    resnet, two, three = f"3resnet({mode})", f"2layer({mode})", f"3layer({mode})"
    if name == "fig2b":
        true[resnet, 100, None] = row(resnet, 0.3)
    lines = [row("ck2", 2.39, width=None)]
    verdict = claim.judge(numbers_of(name, 1.35, [*true.values(), *lines]))
    assert verdict.outcome == "holds", verdict
    assert "all of it" in verdict.reason
    assert "Seeds 0 to 4" in verdict.reason
    value = true[resnet, 100, None]["median"]
    for method, false, outcome in (
        (resnet, (1.4,), "fails"),
        (two, (1.3,), "fails"),
        (two, (1.3, 0.1, 1.9), "fails"),
        ("3layer(last)", (2.3,), "fails"),  # under what the source's kernels reach
        ("2layer(NTK)", (0.3,), "fails"),
        (resnet, (value, value / 2, 1.5), "undecided"),  # one seed is over the line
        (three, (2.0, 1.2, 2.1), "undecided"),
        (resnet, (4 * value,), "undecided"),  # worse than in the figure
        (resnet, (0.9, value * 1.7, 1.3), "undecided"),  # one lucky seed is as good as in the figure
        (two, (5 * errors[two],), "undecided"),
        (resnet, (value / 10,), "holds"),  # better than in the figure
    ):
        verdict = claim.judge(numbers_of(name, 1.35, [*{**true, (method, 100, None): row(method, *false)}.values()]))
        assert verdict.outcome == outcome, (method, false, verdict)
        assert outcome == "holds" or method in verdict.reason
    assert claim.judge(numbers_of(name, 1.35, [*true.values(), row("ck2", 1.0, width=None)])).outcome == "fails"


@pytest.mark.parametrize(("name", "mode", "errors"), FIG2)
def test_figure_2_holds_for_no_search_that_covers_less_than_the_sources(
    name: str, mode: str, errors: dict[str, float]
) -> None:
    claim = get(name)
    true = whole(name, errors)
    if name == "fig2b":
        true[f"3resnet({mode})", 100, None] = row(f"3resnet({mode})", 0.3)
    rival = f"2layer({mode})"
    for less, words in (
        (numbers_of(name, 1.35, [r for key, r in true.items() if key != (rival, 1000, None)]), f"{rival} at m = 1000"),
        (numbers_of(name, 1.35, [r for key, r in true.items() if key[0] != "3layer(NTK)"]), "3layer(NTK) at m = 20"),
        (numbers_of(name, 1.35, true.values(), bounded=True), "rates and decays without bounds"),
        (numbers_of(name, 1.35, true.values(), epochs=200), "800 epochs"),
        (numbers_of(name, 1.35, true.values(), seeds=[0, 1, 2]), "5 seeds"),
        (
            numbers_of(name, 1.35, [{**r, "edges": "largest rate" * (r["method"] == rival)} for r in true.values()]),
            "(largest rate tried)",
        ),
    ):
        verdict = claim.judge(less)
        assert verdict.outcome == "undecided", words
        assert words in verdict.reason
    worse = {**true, (f"3resnet({mode})", 200, None): row(f"3resnet({mode})", 2.0, width=200)}
    assert claim.judge(numbers_of(name, 1.35, worse.values(), bounded=True)).outcome == "undecided"
    narrow = [r for key, r in true.items() if key[1] != 500 and key[1] < 1000]
    assert "in the figure, was not run there" in claim.judge(numbers_of(name, 1.35, narrow)).reason


@pytest.mark.parametrize(
    ("name", "learned", "not_learned"), [("fig3a", 0.3, 0.2), ("fig3b", 0.5, 0.3), ("slides.b", 0.5, 0.0)]
)
def test_figure_3_is_refused_on_either_side(name: str, learned: float, not_learned: float) -> None:
    claim, figure = get(name), name.replace(".", "_")
    method = "3resnet(hidden)" if name == "fig3b" else "3resnet(all)"
    true = {
        (m, width, beta): row(m, 0.01 if beta is not None and beta >= learned else 1.5, width=width, beta=beta)
        for m, width, beta in whole(figure, {method: 1.0})
    }

    def judged(changed: dict[tuple[str, int, float | None], dict[str, Any]], **about: Any) -> Verdict:
        return claim.judge(numbers_of(figure, 1.35, {**true, **changed}.values(), **about))

    assert judged({}).outcome == "holds"
    widths = {width for _, width, _ in true}
    for beta, errors, outcome in (
        (learned, (1.4, 1.36, 1.5), "fails"),
        (not_learned, (1.0,), "fails"),
        (learned, (0.1, 0.01, 1.4), "undecided"),
        (not_learned, (1.4, 1.3, 1.5), "undecided"),
    ):
        false = {(method, width, beta): row(method, *errors, width=width, beta=beta) for width in widths}
        verdict = judged(false)
        assert verdict.outcome == outcome
        assert f"beta = {beta:g}" in verdict.reason
    one = {(method, 100, not_learned): row(method, 1.0, beta=not_learned)}
    assert judged(one).outcome == "fails"  # at one of the widths
    other = {(method, 100, learned): {**row(method, 1.9, beta=learned), "validation_error": 0.001}}
    assert judged(other).outcome == "fails"  # the width is not chosen by the test
    unlearned = {(method, width, learned): row(method, 1.9, width=width, beta=learned) for width in widths}
    assert judged(unlearned, bounded=True).outcome == judged({}, bounded=True).outcome == "undecided"
    at_edge = {(method, 100, not_learned): {**row(method, 1.9, beta=not_learned), "edges": "smallest decay"}}
    assert "(smallest decay tried)" in judged(at_edge).reason
    assert judged(at_edge).outcome == "undecided"


@pytest.mark.parametrize(("name", "stated", "widest"), [("fig4a", 0.69, 100_000), ("fig4b", 0.98, 50_000)])
def test_figure_4_holds_for_no_search_that_covers_less_than_the_sources(name: str, stated: float, widest: int) -> None:
    claim = get(name)
    sgd = {"kind": "sgd", "status": "done", "train_error": 0.01, "test_error": 1.0, "norm": 300.0}
    made = {**sgd, "kind": "built", "seed": 0, "width": 200, "test_error": 0.1, "norm": 60.0}
    diverged = {"status": "diverged", "train_error": None, "test_error": None, "norm": None}
    grid = [
        {**sgd, "seed": seed, "width": 200, "rate": rate, "decay": decay}
        for seed, rate, decay in product(range(5), (1.0, 20.0, 25.0), (1e-6, 1e-4, 1e-2))
    ]
    grid = [{**r, **(diverged if r["rate"] == 25.0 else {})} for r in grid]
    grid = [{**r, "train_error": 0.9 if r["decay"] == 1e-2 else r["train_error"]} for r in grid]
    wide = [{**sgd, "seed": seed, "width": widest, "rate": 20.0, "decay": 1e-6} for seed in range(5)]

    def judged(rows: list[dict[str, Any]], epochs: int = 800) -> Verdict:
        return claim.judge({"name": name, "epochs": epochs, "kept": None, "rows": [*rows, made]})

    def without(**values: Any) -> list[dict[str, Any]]:
        return [r for r in (*grid, *wide) if all(r[key] != value for key, value in values.items())]

    assert judged([*grid, *wide]).outcome == "holds"
    assert "Selected on test" in judged([*grid, *wide]).reason
    assert judged([*grid, *wide, {**wide[0], "test_error": stated - 0.01}]).outcome == "fails"
    assert judged([*grid, *wide, {**wide[0], "norm": 50.0}]).outcome == "fails"
    assert judged([*grid, *wide, {**wide[0], "norm": 50.0, "train_error": 0.9}]).outcome == "holds"
    lone = judged(wide[:1])
    assert lone.outcome == "undecided"
    for words in ("width 200", "5 seeds", "a rate that diverges", "a decay with which nothing is fitted"):
        assert words in lone.reason.split("Selected")[0]
    for less, words in (
        (judged(grid), f"widths to {widest:,}"),
        (judged([*grid, *({**r, "width": 20_000} for r in wide)]), f"widths to {widest:,}"),
        (judged([*grid, *wide], epochs=200), "800 epochs"),
        (judged([*grid, *wide[:4]]), f"5 seeds at width {widest:,}"),
        (judged(without(rate=25.0)), "a rate that diverges at width 200"),
        (judged(without(decay=1e-6)), "decays down to 1e-06"),
        (judged(without(decay=1e-2)), "a decay with which nothing is fitted at width 200"),
    ):
        assert less.outcome == "undecided", words
        assert words in less.reason
    assert judged([{**wide[0], "width": 200, "test_error": stated - 0.01}]).outcome == "fails"
    assert judged([{**r, **diverged} for r in grid]).outcome == "undecided"  # nothing was found, nothing refuted


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
    true = whole(
        "slides_a", {"3resnet(all)": 0.01, "3resnet(hidden)": 0.02, "3layer(h": 0.9, "2layer(h": 0.95, "own": 1.2}
    )

    def outcome(changed: dict[str, tuple[float, ...]], **other: Any) -> str:
        rows = [{**r, **row(m, *changed.get(m, (r["median"],)), width=w)} for (m, w, _), r in true.items()]
        return claim.judge(numbers_of("slides_a", 0.72, [{**r, **other} for r in rows])).outcome

    assert outcome({}) == "holds"
    assert outcome({"2layer(hidden)": (0.5,)}) == "fails"
    assert outcome({"3resnet(all)": (0.8,), "3resnet(hidden)": (0.8,)}) == "fails"
    assert outcome({"3resnet(hidden)": (1.0,)}) == "holds"  # one of two ways is enough
    assert outcome({"3resnet(hidden)": (0.7, 0.1, 0.9)}) == "holds"  # the other way is chosen
    assert outcome({"3resnet(all)": (0.03, 0.01, 0.9), "3resnet(hidden)": (1.0,)}) == "undecided"


def test_the_way_to_train_is_chosen_by_validation() -> None:
    rows = [row("3resnet(all)", 0.01), {**row("3resnet(hidden)", 2.0), "validation_error": 0.001}]
    assert best(rows, width=100)["method"] == "3resnet(hidden)"


def test_a_part_of_an_experiment_is_searched_on_some_seeds_and_judged_on_fresh_ones() -> None:
    space = Space(rates=(0.01, 0.05), decays=(1e-3,), seeds=2, least=(0.005, 5e-4), most=(0.1, 2e-3))
    quick = (Search("3resnet", "all", (4,), space, betas=(0.5, 1.0)),)
    numbers = points("fig3a", quick, "quick", 0)
    json.dumps(numbers, allow_nan=False)
    point = best(numbers["rows"], beta=1.0)
    assert numbers["seeds"] == list(range(FRESH, FRESH + 5))
    assert set(numbers["search_seeds"]) <= {FRESH + FIRST_SEED, FRESH + FIRST_SEED + 1}
    assert point["least"] <= point["median"] <= point["greatest"]
    assert 0.005 <= point["rate"] <= 0.1
    table = fit("fig3a", quick, "quick", FRESH)
    judged = table[(table.stage == "judged") & (table.beta == 1.0)]
    assert sorted(judged.seed) == numbers["seeds"]
    assert point["median"] == judged.test_error.median()
    assert point["validation_error"] == pytest.approx(judged.validation_error.mean())
    assert numbers["bounded"]
    assert not points("fig3a", (RidgePaths("2layer", "last", (4,), (1.0,), betas=(1.0,)),), "quick", 0)["bounded"]
    assert not any(bounded(part) for part in EXPERIMENTS["fig3a"].scales["paper"].grids)
    verdict = get("fig3a").judge(numbers)
    assert verdict.outcome != "holds"
    for words in ("Seeds 2000 to 2004", "3resnet(all) at m = 4 by a search within rates 0.005 to 0.1", "800 epochs"):
        assert words in verdict.reason


def test_points_over_widths_say_what_was_not_run_and_which_ridge_is_the_last() -> None:
    numbers = points("fig2a", (RidgePaths("2layer", "last", (20,), (0.01, 0.1, 1.0)),), "quick", 0)
    json.dumps(numbers, allow_nan=False)
    (found,) = numbers["rows"]
    assert (found["method"], found["width"], found["beta"], found["rate"]) == ("2layer(last)", 20, None, None)
    assert found["edges"] == "largest ridge"  # at width 20 nothing is better than answering 0
    assert at_edges([found]) == [f"{named(found)} (largest ridge tried)"]
    missing = lacking(numbers)
    assert "2layer(last) at m = 50, 100, 200, 500, 1000" in missing
    assert "3resnet(all) at m = 20, 50, 100, 200, 500, 1000" in missing


def reference_of(name: str, scale: str, points: list[Point], **more: Any) -> Reference:
    experiment = EXPERIMENTS[name]
    return Reference(
        experiment=name,
        scale=scale,
        title=experiment.title,
        problem=experiment.problem,
        samples=experiment.samples,
        x=experiment.x,
        threshold=1.35,
        points=points,
        files={},
        seeds=[0, 1, 2, 3, 4],
        search_seeds=[1000, 1001, 1002],
        version="9.9",
        code="abc",
        **{"date": "2030-01-02", "environment": {}, "sentence": "", "gap": None, **more},
    )


def test_figure_4_at_full_scale_judges_the_fits_that_are_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(reference, "RESULTS", tmp_path)
    numbers = {"median": 0.1, "mean": 0.1, "least": 0.1, "greatest": 0.1, "best_on_test": 0.1, "standard_error": None}
    built = [Point(method="built(vertices)", learner="built", width=200, seeds=5, norm=60.0, **numbers)]
    rows = pd.DataFrame(
        [
            {"kind": "sgd", "seed": seed, "width": width, "rate": rate, "decay": decay, "status": "done"}
            for seed, rate, decay, width in product(range(5), (1.0, 25.0), (1e-6, 1e-2), (200,))
        ]
    ).assign(train_error=0.5, test_error=1.0, norm=300.0)
    gone = rows.rate == 25.0
    rows = rows.assign(status=rows.status.mask(gone, "diverged"), test_error=rows.test_error.mask(gone, np.inf))
    widest = rows[rows.rate == 1.0].assign(width=100_000, decay=1e-6).drop_duplicates("seed")
    for scale, table in (("paper", rows), ("widest", widest)):
        (tmp_path / f"fig4a-{scale}").mkdir()
        text = reference_of("fig4a", scale, built, fits=fits_of(table)).as_text()
        (tmp_path / f"fig4a-{scale}" / "reference.json").write_text(text)
    claim = get("fig4a")
    numbers = claim.measure("full", 0)
    json.dumps(numbers, allow_nan=False)
    assert (len(numbers["rows"]), numbers["epochs"]) == (20 + 5 + 2, 800)
    verdict = claim.judge(numbers)
    assert verdict.outcome == "holds"
    assert "Judged on kept results of kernelgap 9.9, 2030-01-02 (scale paper); kept" in verdict.reason
    assert "10 fits diverged" in verdict.reason
    lower = fits_of(rows.assign(test_error=0.5))
    (tmp_path / "fig4a-paper" / "reference.json").write_text(
        reference_of("fig4a", "paper", built, fits=lower).as_text()
    )
    assert claim.judge(claim.measure("full", 0)).outcome == "fails"


def test_full_scale_judges_the_kept_reference_of_the_paper_scale(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(reference, "RESULTS", tmp_path)
    assert kept_reference("fig3a") is None
    errors = {"best_on_test": 0.01, "standard_error": None, "rate": 0.05, "decay": 1e-7, "edges": "smallest decay"}
    kept = whole("fig3a", {"3resnet(all)": 0.01})
    rows = [{**{k: v for k, v in r.items() if k != "edges"}, **errors, "seeds": 5} for r in kept.values()]
    rows = [{**r, "median": None, "greatest": None, "mean": None} if r["beta"] == 0.0 else r for r in rows]
    made = reference_of("fig3a", "paper", [Point.model_validate(r) for r in rows])
    (tmp_path / "fig3a-paper").mkdir()
    (tmp_path / "fig3a-paper" / "reference.json").write_text(made.as_text())
    numbers = points("fig3a", (), "full", 0)
    json.dumps(numbers, allow_nan=False)
    assert (numbers["seeds"], numbers["search_seeds"]) == ([0, 1, 2, 3, 4], [1000, 1001, 1002])
    assert {r["edges"] for r in numbers["rows"]} == {"smallest decay"}
    verdict = get("fig3a").judge(numbers)
    assert verdict.outcome == "fails"  # learned at beta = 0.2
    assert "kept results of kernelgap 9.9, 2030-01-02" in verdict.reason
    assert "beta = 0.2" in verdict.reason
    other = made.model_copy(update={"samples": 999})
    (tmp_path / "fig3a-paper" / "reference.json").write_text(other.as_text())
    assert kept_reference("fig3a") is None


def test_the_rademacher_argument_is_refused_beyond_its_bound_or_if_its_samples_grow_otherwise() -> None:
    claim, numbers, verdict = judged("sec82.rademacher", "holds", seed=1)
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
    numbers = {"train": 1200, "rows": [row] * 3, "cifar10": {"1000": [45.6, 43.7]}, "cifar10_widths": {}}
    verdict = claim.judge(numbers)
    assert verdict.outcome == "undecided"
    assert "Close on digits" in verdict.reason
    assert "1.9 with 1,000 images" in verdict.reason
    wide = claim.judge({**numbers, "rows": [{**row, "only ordinary": 20, "only gated": 12}] * 3})
    assert (wide.outcome, "reach beyond" in wide.reason) == ("undecided", True)
    near, off = [[70.0, 69.5], [70.2, 69.9], [69.8, 69.4]], [[70.0, 66.5], [70.2, 66.9], [69.8, 66.4]]
    for widths, outcome in (
        ({"64": off, "256": near}, "holds"),
        ({"64": near, "128": near}, "undecided"),  # not wide enough
        ({"64": near, "256": off}, "undecided"),
        ({"256": near[:2]}, "undecided"),  # two seeds
        ({"256": [*near[:2], [70.0, 65.0]]}, "undecided"),  # the interval reaches beyond what is close
    ):
        verdict = claim.judge({**numbers, "cifar10_widths": widths})
        assert verdict.outcome == outcome, widths
        assert ("at width" in verdict.reason) == (len(next(iter(widths.values()))) == 3)
    apart = [{**row, "only ordinary": 20, "only gated": 12}] * 3
    assert claim.judge({**numbers, "rows": apart, "cifar10_widths": {"256": near}}).outcome == "undecided"
    far = {**row, "gated": 0.9, "only ordinary": 50}
    assert claim.judge({**numbers, "rows": [far] * 3}).outcome == "fails"
    assert claim.judge({**numbers, "rows": [row, {**row, "gates kept": False}]}).outcome == "fails"
    assert "itself" in claim.judge({**numbers, "rows": [{**row, "ordinary": 0.5}]}).reason
