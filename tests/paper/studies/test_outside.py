"""Rivals outside the floor: what is measured of each, and what is said of it."""

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.certificates import any_kernel
from kernelgap.paper.claims.claim import Picture
from kernelgap.paper.claims.negative.adaptive import Contest
from kernelgap.paper.studies import outside as module
from kernelgap.paper.studies.outside import outside


def contest(n: int) -> Contest:
    return Contest.draw(problems.sec8(), n, seed=0)


def row(learner: str, n: int, risk: float, seed: int = 0) -> dict[str, object]:
    about = {"learner": learner, "n": n, "seed": seed, "risk": risk, "share": 0.0}
    return {**about, "floor": any_kernel(problems.sec8(), n).mean_risk, "threshold": 1.35}


ROWS = [
    *(row("ResNet, all layers by SGD", 500, risk, s) for s, risk in enumerate((0.02, 0.01, 2.0))),
    *(row("lasso, degree 4", n, risk) for n, risk in ((50, 1.6), (100, 1.36))),
    row("lasso, degree 8", 50, 0.001),
    row("recursive feature machine, gaussian", 500, 1.37),
]


def test_one_output_of_each_kind_stands_for_all() -> None:
    """A predictor that knows F has the threshold as its risk, and one that knows H none."""
    made = contest(10)
    base, target = (
        module._by_output("x", made, lambda c, output, f=f: lambda T: f(T)[:, output])
        for f in (made.problem.base, made.problem.target)
    )
    assert base["risk"] == pytest.approx(made.problem.threshold)
    assert base["share"] == pytest.approx(0.0, abs=1e-12)
    assert (target["risk"], target["share"]) == pytest.approx((0.0, 1.0))


def test_lasso_to_degree_8_learns_the_composite_signal_and_to_degree_4_the_base_signal_alone() -> None:
    made = contest(60)
    whole = module._by_output("x", made, lambda c, output: module._fit_lasso(c, output, 8))
    part = module._by_output("x", made, lambda c, output: module._fit_lasso(c, output, 4))
    assert whole["risk"] < 0.2 < made.problem.threshold <= part["risk"] + 0.05
    assert whole["share"] > 0.7
    assert abs(part["share"]) < 0.1


def test_the_summary_has_medians_and_says_who_is_under_the_threshold() -> None:
    rows = outside.summarise(ROWS)
    resnet = next(each for each in rows if each["learner"].startswith("ResNet"))
    assert (resnet["median"], resnet["least"], resnet["greatest"], resnet["seeds"]) == (0.02, 0.01, 2.0, 3)
    assert {each["learner"]: each["features"] for each in rows if each["features"]} == {
        "lasso, degree 4": 31_931,
        "lasso, degree 8": 8_656_937,
    }
    sentence = outside.sentence(rows)
    under, above = sentence.split(" Not under it")
    assert "lasso, degree 8 (median 0.001 with 50 samples)" in under
    assert "lasso, degree 4 (median 1.36 with 100 samples)" in above
    assert "recursive feature machine" in above


def test_the_chart_has_the_floor_beside_the_learners() -> None:
    chart = outside.charts(outside.summarise(ROWS))["outside"]
    assert isinstance(chart, Picture)
    floor = next(line for line in chart.lines if line.name.startswith("any scalar kernel"))
    assert np.all(np.asarray(floor.y) > 1.3)  # of some hundreds of samples


@pytest.mark.slow
def test_a_network_learns_and_so_do_its_features() -> None:
    rows = module._network(500, 1, seed=0)
    assert {each["learner"] for each in rows} == {module.RESNET, module.REFITTED}
    assert all(each["risk"] < 1.35 for each in rows)
