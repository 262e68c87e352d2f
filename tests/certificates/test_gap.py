"""The kernel gap, in numbers and in words, and what few seeds say of it."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm, t

from kernelgap import certificates, problems
from kernelgap.certificates import OracleRisk, any_kernel, kernel_gap
from kernelgap.certificates.gap import share_reached
from kernelgap.errors import InputError


def test_the_papers_experiment_in_one_sentence():
    floors = [
        OracleRisk("ntk2", "sec8", 500, 1.35, 1.41, (1.41, 1.42), "proof"),
        OracleRisk("ck2", "sec8", 500, 1.35, 1.3704, (1.3704, 1.3705), "proof"),
    ]
    gap = kernel_gap(problems.get("sec8"), 500, 0.021, method="3resnet(all)", floors=floors)
    assert gap.needed == 5_761_880  # 5,852,925 (1 - 0.021 / 1.35), rounded up
    assert gap.ratio == pytest.approx(11_523.76)
    assert gap.needed_matrix == 384_126  # a fifteenth of it, rounded up
    assert gap.sentence == (
        "3resnet(all) reached 0.021 (one start) with 500 samples; any scalar kernel fixed beforehand needs at least "
        "5,761,880 on average over which coordinates matter: a gap of 11,524 times (a matrix-valued kernel: 384,126); "
        "the best of the kernels here (ck2), with perfect knowledge of the target, cannot get under 1.37."
    )


def test_several_seeds_count_by_their_mean():
    several = kernel_gap(problems.get("sec8"), 500, [0.0013, 0.0102, 0.0035])
    assert several.error == pytest.approx(0.005)
    assert several.needed == kernel_gap(problems.get("sec8"), 500, 0.005).needed
    assert several.sentence.startswith("The network reached 0.005 on average over 3 seeds (0.0013 to 0.01) with 500")
    assert several.as_record()["errors"] == [0.0013, 0.0102, 0.0035]


def test_where_nothing_is_proved_nothing_is_claimed():
    gap = kernel_gap(problems.get("sec8"), 500, 1.4)
    assert gap.needed == 0
    assert "no gap is proved" in gap.sentence


def test_needed_samples_allow_the_error_and_one_fewer_does_not():
    problem = problems.get("hard(d=12, k=3, alpha=0.5)")
    needed = kernel_gap(problem, 10, 0.1).needed
    assert certificates.any_kernel(problem, needed).mean_risk <= 0.1
    assert certificates.any_kernel(problem, needed - 1).mean_risk > 0.1


@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize("draw", ["lognormal", "pareto", "two values"])
def test_the_share_of_starts_is_right_as_often_as_promised(seeds, draw, rng):
    """The share of all starts at or below the greatest of a few, by simulation: heavy tails and ties as well."""
    sizes = (20_000, seeds)
    if draw == "lognormal":
        errors, share = rng.lognormal(0, 3, sizes), lambda x: norm.cdf(np.log(x) / 3)
    elif draw == "pareto":
        errors, share = rng.pareto(0.5, sizes), lambda x: 1 - (1 + x) ** -0.5  # it has no mean
    else:
        errors, share = 1.0 * (rng.random(sizes) < 0.6), lambda x: np.where(x >= 1, 1.0, 0.4)
    right = (share(errors.max(axis=1)) >= share_reached(seeds)).mean()
    assert right >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / 20_000)
    too_much = share_reached(seeds, confidence=0.7)
    if draw != "two values":
        assert (share(errors.max(axis=1)) >= too_much).mean() < 0.9  # a larger share is not reached as often


def test_a_t_interval_would_be_too_sure(rng):
    """Why there is none for the mean: one start in twenty ends ten times higher, and 95% are promised."""
    errors = np.where(rng.random((20_000, 5)) < 0.05, 0.1, 0.01) * rng.uniform(0.99, 1.01, (20_000, 5))
    limit = errors.mean(axis=1) + t.ppf(0.95, 4) * errors.std(axis=1, ddof=1) / np.sqrt(5)
    assert (limit >= 0.05 * 0.1 + 0.95 * 0.01).mean() < 0.3
    share = np.where(errors.max(axis=1) > 0.05, 1.0, 0.94)  # of all starts, at or below the greatest
    assert (share >= share_reached(5)).all()


def test_picking_the_best_of_many_is_paid_for(rng):
    """The luckiest of 30 candidates that are all alike: the share for one is wrong too often, that for 30 is not."""
    errors = rng.random((4_000, 30, 3))  # the share of starts below x is x
    best = errors.max(axis=2)[np.arange(4_000), errors.mean(axis=2).argmin(axis=1)]
    assert (best >= share_reached(3, candidates=30)).mean() >= 0.95
    assert (best >= share_reached(3)).mean() < 0.8


def test_no_kernel_does_as_well_for_that_share_of_targets_with_fewer_samples():
    """Features that know n of the C parities: on a small cube the bound is met, and one sample fewer would not do."""
    problem = problems.get("hard(d=6, k=2, alpha=0.3)")
    bound, targets = any_kernel(problem, 1), list(combinations(range(6), 2))
    for known in range(1, len(targets) + 1):
        reached = known / len(targets)  # with no risk at all
        assert bound.samples_for(0.0, share=round(reached, 9) - 1e-9) == known
        assert bound.samples_for(0.0, share=reached / 2) <= known
    assert bound.samples_for(0.0) == bound.samples_for(0.0, share=1.0) == len(targets)
    with pytest.raises(InputError, match="share must be a number from 0 to 1"):
        bound.samples_for(0.1, share=1.5)


@pytest.mark.parametrize("share", [0.3, 0.549])
def test_samples_for_a_share_invert_the_share_above(share):
    problem = problems.get("sec8")
    needed = any_kernel(problem, 1).samples_for(0.05, share=share)
    assert any_kernel(problem, needed).share_above(0.05) <= 1 - share
    assert any_kernel(problem, needed - 1).share_above(0.05) > 1 - share


def test_an_interval_in_words():
    problem = problems.get("sec8")
    gap = kernel_gap(problem, 500, [0.01, 0.02, 0.03, 0.04, 0.05], candidates=17)
    assert gap.bound.share == pytest.approx((0.05 / 17) ** 0.2, abs=1e-3)
    assert gap.bound.needed == any_kernel(problem, 1).samples_for(0.05, share=gap.bound.share)
    assert gap.bound.ratio < gap.ratio_range[0] < gap.ratio < gap.ratio_range[1]
    assert "from the worst and the best seed" in gap.sentence
    assert gap.interval_sentence.startswith(
        "Whatever the distribution of errors, with confidence 95% at least 31.1% of all starts end at 0.05 or below "
        "(5 independent seeds, picked from 17 candidates); for as many targets any scalar kernel fixed beforehand needs"
    )
    record = gap.as_record()["interval"]
    assert (record["share"], record["error"], record["candidates"]) == (gap.bound.share, 0.05, 17)
    assert len(record["assumes"]) == 3


def test_one_start_and_seeds_that_fail_have_no_interval():
    problem = problems.get("sec8")
    one = kernel_gap(problem, 500, 0.01)
    assert one.bound is None
    assert (one.interval_sentence, one.as_record()["interval"]) == ("", None)
    failing = kernel_gap(problem, 500, [0.01, 1.4, 0.02])
    assert failing.ratio > 1
    assert failing.bound.needed == 0
    assert failing.interval_sentence.endswith("from so few seeds no gap follows.")
    with pytest.raises(InputError, match="must be at least 1"):
        share_reached(0)
