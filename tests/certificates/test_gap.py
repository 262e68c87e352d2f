"""The kernel gap, in numbers and in words."""

import pytest

from kernelgap import certificates, problems
from kernelgap.certificates import OracleRisk, kernel_gap


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
