"""Where floors end and what the examples say: verdicts on true and on false numbers."""

import copy
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.paper.claims import get
from kernelgap.paper.claims.negative.adaptive import OWN, SHARED, Contest, machines, until_no_improvement
from kernelgap.paper.claims.negative.sketch import samples_for_share
from kernelgap.paper.claims.negative.trivial import NETWORK, every_point, needed
from support.claims import judged


@pytest.mark.parametrize("name", ["thm2.example", "conf.example"])
def test_an_example_is_refused_if_its_inequality_does_not_stay_true(name: str) -> None:
    claim = get(name)
    numbers = claim.measure("quick", 0)
    assert claim.judge(numbers).outcome == "holds"
    for wrong in ({"further": [True, False, True, True]}, {"before": True}, {"d": None, "further": []}):
        false = copy.deepcopy(numbers)
        false["rows"][1]["theorem"] |= wrong
        assert claim.judge(false).outcome == "fails"
    assert claim.judge({**numbers, "exponent": 2.0}).outcome == "fails"  # d^2 samples, to the power k/2: d^k


def test_the_examples_bite_where_they_are_said_to() -> None:
    verdict = get("thm2.example").judge(get("thm2.example").measure("quick", 0))
    assert "from d = 3.2e+16 (k = 2)" in verdict.measured  # (1000 * 2!)^(10/2)
    assert "from d = 43 (k = 2), 431 (k = 3), 2951 (k = 4)" in verdict.reason
    assert "from d = 22,469 on" in get("conf.example").judge(get("conf.example").measure("quick", 0)).measured


def test_theorem_3s_example_needs_one_c_for_every_k() -> None:
    claim, numbers, _ = judged("thm3.example", "holds", seed=0)
    growing = copy.deepcopy(numbers)
    for i, row in enumerate(growing["times"]):
        row["c"] = 100.0 + i
    assert claim.judge(growing).outcome == "fails"
    never = copy.deepcopy(numbers)
    never["times"] = [{**row, "log10_d": None} for row in never["times"]]
    assert claim.judge(never).outcome == "fails"
    late = copy.deepcopy(numbers)
    late["rows"][0]["theorem"]["further"][2] = False
    assert claim.judge(late).outcome == "fails"


def test_the_printed_sketch_would_hold_if_no_kernel_got_to_alpha_squared() -> None:
    claim, numbers, verdict = judged("thm2.sketch", "fails", seed=3)
    assert "the linear kernel has 0.09" in verdict.reason
    above = {**numbers, "rows": [{**row, "share": 1.0} for row in numbers["rows"]]}
    assert claim.judge(above).outcome == "holds"
    many = {**numbers, "rows": [{**row, "n": 10**6} for row in numbers["rows"]]}
    assert claim.judge(many).outcome == "undecided"


def test_the_corrected_sketch_is_refused_if_a_kernel_gets_under_it() -> None:
    claim = get("thm2.sketch.corrected")
    row = {"d": 24, "k": 4, "n": 53, "kernel": "ck2", "level": 1.0, "share": 1.0, "share_high": 1.0}
    assert claim.judge({"rows": [row]}).outcome == "holds"
    assert claim.judge({"rows": [row, {**row, "share": 0.9, "share_high": 0.95}]}).outcome == "fails"
    assert claim.judge({"rows": [row, {**row, "share": 0.98, "share_high": 1.0}]}).outcome == "undecided"


def test_samples_for_a_share_are_the_most_that_the_floor_allows() -> None:
    problem = problems.hard(d=24, k=4, alpha=0.3)
    assert samples_for_share(problem, 2 * 0.3**2) == 53  # C(24, 4) (1 - 2/4) / 100 = 53.13


def trivial(**false: Any) -> dict[str, Any]:
    rows = [
        {"learner": learner, "d": d, "n": n, "seed": s, "risk": 0.001 if n >= 40 else 1.0}
        for learner in ("gaussian", NETWORK)
        for d in (16, 64)
        for n in (20, 40, 80)
        for s in (0, 1)
    ]
    numbers = {"dimensions": [16, 64], "level": 0.3**2 / 16, "rows": rows, "targets": 20, "floors": [0.27, 0.0, 0.0]}
    return {**numbers, "paper_applies": False, "uniform": [{"d": 64, "n": 10_000}], **false}


def test_on_few_coordinates_kernels_have_to_learn_with_samples_that_do_not_grow() -> None:
    judge = get("thm2.trivial").judge
    good = trivial()
    assert judge(good).outcome == "holds"
    assert "gaussian 40, 3resnet 40" in judge(good).measured

    def changed(learner: str, d: int, risk: float) -> list[dict[str, Any]]:
        return [{**r, "risk": risk} if (r["learner"], r["d"]) == (learner, d) else r for r in good["rows"]]

    assert judge(trivial(rows=changed("gaussian", 64, 1.0))).outcome == "fails"
    assert judge(trivial(rows=changed(NETWORK, 64, 1.0))).outcome == "undecided"
    assert judge(trivial(floors=[0.27, 0.1, 0.0])).outcome == "fails"
    assert judge(trivial(paper_applies=True)).outcome == "fails"
    grows = [{**r, "risk": 1.0} if r["d"] == 64 and r["n"] < 81 and r["n"] > 20 else r for r in good["rows"]]
    more = [{**r, "n": 160, "risk": 0.001} for r in good["rows"] if r["n"] == 80]
    assert "needs more" in judge(trivial(rows=[*grows, *more])).reason


def test_samples_needed_are_those_from_which_on_every_seed_has_learned() -> None:
    rows = trivial()["rows"]
    assert needed(rows, "gaussian", 16, 0.005) == 40
    assert needed(rows, "gaussian", 16, 0.0005) is None
    assert needed([{**r, "risk": None} for r in rows], "gaussian", 16, 0.005) is None


def test_every_point_is_every_input_of_the_distribution() -> None:
    problem = problems.hard(d=9, k=3, alpha=0.3, d1=6, background="zero", seed=1)
    points = {tuple(row) for row in every_point(problem)}
    assert len(points) == 64
    assert {tuple(row) for row in problem.sample(2000, 0)[0]} == points


def adaptive(risk: float, share: float = 0.0, spread: float = 0.002, shared: float = 1.0) -> dict[str, Any]:
    """The machines with one metric for all have ``shared`` more risk, and always the larger validation error."""
    rows = [
        {"n": n, "seed": s, "kind": kind, "validation": error, "risk": risk + more + spread * s, "share": share}
        for n in (500, 1000)
        for s in range(5)
        for kind, error, more in ((SHARED, 3.0, shared), (OWN, 2.0, 0.0))
    ]
    rows = [{**row, "chosen": ["a"], "edges": 0} for row in rows]
    return {"threshold": 1.35, "rows": rows, "floors": {}}


def test_a_machine_that_gets_under_the_line_refutes_that_it_does_not() -> None:
    judge = get("adaptive.sec8").judge
    assert judge(adaptive(1.36)).outcome == "holds"
    assert judge(adaptive(1.0)).outcome == "fails"
    assert "N = 500, 1000" in judge(adaptive(1.0)).reason
    assert judge(adaptive(1.2, spread=0.05)).outcome == "undecided"
    assert judge(adaptive(1.36, share=0.2)).outcome == "undecided"
    assert judge(adaptive(1.3)).outcome == "fails"  # under the line by little
    assert judge(adaptive(1.346)).outcome == "undecided"  # the interval has the line in it
    assert judge(adaptive(1.36, shared=-0.5)).outcome == "holds"  # not the better on the test: that does not choose
    at_edge = adaptive(1.36)
    at_edge["rows"][3]["edges"] = 1
    assert judge(at_edge).outcome == "undecided"
    assert "1 at an edge" in judge(at_edge).reason


def test_rounds_end_when_they_gain_nothing_and_the_best_is_kept() -> None:
    def rounds(*errors: float) -> Iterator[Any]:
        return iter([SimpleNamespace(number=i, error=error) for i, error in enumerate(errors)])

    best, last = until_no_improvement(rounds(5.0, 6.0, 5.5, 4.0, 3.0, 2.999, 2.998, 2.997, 1.0), 2)
    assert (best.number, last) == (7, 7)  # the gains of rounds 5 to 7 are too small, and the 1.0 is never seen
    best, last = until_no_improvement(rounds(5.0, 6.0, 6.0, 6.0, 4.0, 4.0, 4.0, 4.0), 6)
    assert (best.number, last) == (4, 7)


def test_a_machine_that_knows_the_target_has_all_of_the_composite_signal() -> None:
    contest = Contest.draw(problems.get("sec8"), 200, 0)
    X, H = contest.test
    outputs = list(range(15))
    assert contest._share(X, H, outputs) == pytest.approx(1.0)
    assert contest._share(X, contest.problem.base(X), outputs) == pytest.approx(0.0)
    half = contest.problem.base(X)[:, [3]] + contest.problem.composite(X)[:, [3]] / 2
    assert contest._share(X, half, [3]) == pytest.approx(0.5)


def test_a_machine_with_enough_samples_learns_a_small_target() -> None:
    """With hardly any composite signal there is F to learn, and little to leave."""
    problem = problems.sec8(alpha=0.01)
    contest = Contest.draw(problem, 400, 1)
    found = contest.own(machines("gaussian", (1.0, 2.0, 4.0), True))
    assert 0 < found["risk"] < 0.05 * problem.outputs
    assert found["validation"] == pytest.approx(found["risk"], rel=0.2)  # over as many outputs
    assert len(found["chosen"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thm2.trivial", "thm2.sketch.corrected", "thm3.cost", "adaptive.sec8"])
def test_measured_whole(name: str) -> None:
    claim = get(name)
    assert claim.judge(claim.measure("quick", 1)).outcome == "holds"


def test_pictures_can_be_drawn_of_what_was_measured() -> None:
    for name in ("thm2.example", "thm3.example"):
        claim = get(name)
        assert claim.picture is not None
        picture = claim.picture(claim.measure("quick", 0))
        assert all(np.isfinite(line.y).all() for line in picture.lines)
