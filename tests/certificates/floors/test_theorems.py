"""Theorems 2 and 3 as runs, and that their verdicts can turn out each way."""

from itertools import combinations

import numpy as np
import pytest

from kernelgap import kernels, problems
from kernelgap.certificates import FamilyRisks, any_kernel, feature_risks, oracle_risks, theorem2, theorem3
from kernelgap.certificates.floors.theorems import FAMILIES, _verdict
from kernelgap.errors import InputError


def family(risks, low=None, high=None, every=True, **others):
    risks = np.asarray(risks, dtype=float)
    return FamilyRisks(
        kernel="own",
        problem="own",
        n=3,
        risks=risks,
        low=risks if low is None else np.asarray(low, dtype=float),
        high=risks if high is None else np.asarray(high, dtype=float),
        all=every,
        method="float64",
        threshold=0.27,
        alpha=0.3,
        **others,
    )


def parities(sets):
    return lambda X: np.stack([np.sign(X)[:, list(s)].prod(axis=1) for s in sets], axis=1)


def test_theorem2_holds_for_every_family():
    problem = problems.hard(d=20, k=4, alpha=0.3)  # 4845 targets, 4 samples
    table = theorem2(problem)
    assert list(table.kernel) == [kernels.get(name).spec for name in FAMILIES]
    assert set(table.theorem) == {"holds"}
    assert (table.n == 4).all()
    assert table.all_targets.all()
    assert (table.targets == 4845).all()
    assert table.above_any_kernel_mean.all()
    assert (table["mean"] >= table.any_kernel_mean).all()
    assert (table.share_above_paper_floor == 1).all()


def test_the_theorem_says_nothing_of_too_many_samples():
    table = theorem2(problems.hard(d=10, k=3, alpha=0.3), ["ntk3"], n=50)
    assert table.theorem[0] == "does not apply"
    assert table.above_any_kernel_mean[0]


def test_theorem3_of_parities_and_of_all_of_them():
    problem = problems.hard(d=12, k=3, alpha=0.3)
    every = [s for k in (1, 3) for s in combinations(range(12), k)]
    table = theorem3(problem, {"coordinates": np.asarray, "all": parities(every)}).set_index("kernel")
    assert table.loc["coordinates", "mean"] == pytest.approx(problem.threshold, abs=1e-12)
    assert table.loc["all", "mean"] == pytest.approx(0, abs=1e-12)
    assert table.loc["all", "share_above_paper_floor"] == 0
    assert table.loc["all", "any_kernel_mean"] == 0


def test_a_span_that_knows_the_targets_refutes_a_smaller_count():
    """12 coordinates and 30 of 220 parities counted as 30 functions fewer: the check sees it."""
    problem = problems.hard(d=12, k=3, alpha=0.3, beta=0.0)
    found = feature_risks(problem, parities(list(combinations(range(12), 3))[:30]))
    assert found.interval[1] >= any_kernel(problem, n=30).mean_risk - 1e-12
    assert found.interval[1] < any_kernel(problem, n=29).mean_risk - 1e-4


def test_verdicts():
    assert _verdict((198 / 200, 198 / 200)) == "holds"
    assert _verdict((0.2, 0.9899)) == "fails"
    assert _verdict((0.98, 0.995)) == "undecided"


def test_a_floor_is_no_evidence_against_a_theorem():
    """Where the target was given away the floor is 0: nothing is above it, and nothing is shown to be below."""
    given_away = family(np.zeros(50), high=np.full(50, 0.27))
    assert given_away.share_above(0.005) == 0
    assert given_away.share_interval(0.005) == (0, 1)
    assert _verdict(given_away.share_interval(0.005)) == "undecided"
    assert given_away.interval == (0, pytest.approx(0.27))


def test_a_given_away_family_is_not_reported_below_the_mean():
    problem = problems.hard(d=8, k=3, alpha=0.3)
    table = theorem2(problem, ["gaussian(bandwidth=1e6)"], n=40)
    assert table.above_any_kernel_mean[0]
    found = oracle_risks(problem, "gaussian(bandwidth=1e6)", problem.sample(40, seed=0)[0])
    assert "given away" in found.note
    assert (found.risks == found.low).all()


def test_shares_of_drawn_targets_are_clopper_and_pearsons():
    drawn = family(np.r_[np.zeros(3), np.ones(97)], every=False)
    low, high = drawn.share_interval(0.5)
    assert (low, high) == (pytest.approx(0.8943, abs=1e-3), pytest.approx(0.9966, abs=1e-3))
    assert family(np.ones(100), every=False).share_interval(0.5) == (pytest.approx(0.005**0.01), 1.0)
    assert family(np.zeros(100), every=False).share_interval(0.5) == (0.0, pytest.approx(1 - 0.005**0.01))


def test_rounding_counts_against_a_share():
    blurred = family([0.1, 0.2, 0.3], low=[0.05, 0.15, 0.25], high=[0.15, 0.25, 0.35])
    assert blurred.share_above(0.2) == pytest.approx(1 / 3)
    assert blurred.share_interval(0.2) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert blurred.interval == (pytest.approx(0.15), pytest.approx(0.25))


def test_targets_that_are_not_told_apart_by_their_composite_signal_are_drawn():
    found = oracle_risks(problems.get("sec8"), "ck2", problems.get("sec8").sample(20, seed=0)[0], targets="all")
    assert not found.all
    assert len(found.risks) == 2000


def test_bad_counts_are_refused():
    problem = problems.hard(d=8, k=3, alpha=0.3)
    with pytest.raises(InputError, match="whole number of samples"):
        theorem2(problem, n=0)
    with pytest.raises(InputError, match="whole number of at least 1"):
        theorem2(problem, ["ck2"], targets=0)
