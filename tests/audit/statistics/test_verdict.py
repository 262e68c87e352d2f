"""Each condition of a verdict, with a sibling in which it alone fails; and how often noise gets a verdict."""

import dataclasses

import numpy as np
import pytest

from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.comparison import paired_errors
from kernelgap.audit.statistics.results import Results
from kernelgap.audit.statistics.verdict import clearly_less, judge
from support.made import entry, met, pair, results, steady


def test_the_network_is_ahead():
    found = judge(met(pair(0.6, 0.05)))
    assert found.outcome == "network ahead"
    assert found.sentence == (
        "The network is ahead: 3resnet has 12 times less error than ntk3, the best kernel by validation, 0.05 against "
        "0.6, with 100 samples."
    )
    assert found.reasons[1:] == (
        "3resnet has less error with every seed, and on the validation rows.",
        "A constant guess has error 1; 3resnet leaves 5% of it.",
    )
    assert "99% interval" in found.reasons[0]
    assert "200 test rows and 3 seeds" in found.reasons[0]


def test_the_kernel_is_ahead():
    found = judge(met(pair(0.5, 0.6)))
    assert found.outcome == "kernel ahead"
    assert found.sentence.startswith("The kernel is ahead: ntk3 has 17% less error than 3resnet, the best network by")


def test_no_error_left():
    found = judge(met(pair(0.5, 0.0)))
    assert found.outcome == "network ahead"
    assert "3resnet has no error left, unlike ntk3, the best kernel by validation, 0 against 0.5" in found.sentence


def only_reason(found: Results) -> str:
    verdict = judge(met(found))
    assert verdict.outcome == "undecided"
    assert verdict.sentence.startswith("Undecided: ")
    assert len(verdict.reasons) == 1
    return verdict.reasons[0]


def test_within_chance():
    """The same rows are hard with every seed, so that seeds agree and still prove little."""

    def uneven(spread: float) -> Results:
        rows = 1 + spread * np.sin(np.arange(200.0))
        network = np.tile(0.45 * rows, (3, 1)) + 0.001 * steady(1)
        return results(entry("k", "kernel", steady(0.50, spread=0.01)), entry("n", "network", network))

    assert judge(met(uneven(0.2))).outcome == "network ahead"
    assert "includes 0. More test rows would tell more." in only_reason(uneven(1.0))


def seeds_apart(*shifts: float) -> Results:
    """A network whose lead differs from seed to seed, far more than from row to row."""
    network = 0.4 + np.array(shifts)[:, None] + steady(0.01, seeds=len(shifts), salt=2)
    kernel = steady(0.51, seeds=len(shifts), spread=0.01, salt=1)
    return results(entry("k", "kernel", kernel), entry("n", "network", network))


def test_seeds_that_disagree_are_no_proof():
    assert judge(met(seeds_apart(-0.005, 0, 0.005))).outcome == "network ahead"
    assert "More seeds" in only_reason(seeds_apart(-0.08, 0, 0.08))  # all of one sign, and yet


def test_every_seed_must_say_the_same():
    outlier = seeds_apart(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.11)
    assert only_reason(outlier) == "n has less error with 12 of 13 seeds, not with all."
    assert judge(met(seeds_apart(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.09))).outcome == "network ahead"


def test_validation_must_say_the_same():
    kernel, network = pair(0.6, 0.4).entries
    agreeing = Results((kernel, dataclasses.replace(network, validation=np.full(3, 0.59))), pair(0.6, 0.4).constant)
    opposed = Results((kernel, dataclasses.replace(network, validation=np.full(3, 0.61))), agreeing.constant)
    assert judge(met(agreeing)).outcome == "network ahead"
    assert only_reason(opposed) == "On the validation rows it is the other way round: there ntk3 has less error."


def test_a_lead_that_is_too_small_to_matter():
    assert judge(met(pair(0.511, 0.5, spread=0.01))).outcome == "network ahead"
    assert "too small to matter" in only_reason(pair(0.509, 0.5, spread=0.01))
    assert "equally well" in judge(met(pair(0.505, 0.5, spread=0.001))).sentence


def test_worse_than_a_constant():
    assert judge(met(pair(1.5, 0.95))).outcome == "network ahead"
    assert "not clearly better than a constant guess (1)" in only_reason(pair(1.5, 1.1))
    assert "not clearly better than a constant guess (1)" in only_reason(pair(1.5, 0.995, spread=0.01))
    assert "constant guess" in judge(met(pair(1.5, 1.1))).sentence


def test_few_rows():
    assert judge(met(pair(0.6, 0.05, rows=20))).outcome == "network ahead"
    assert only_reason(pair(0.6, 0.05, rows=19)).startswith("There are 19 test rows only")


def test_few_seeds():
    assert judge(met(pair(0.6, 0.05, seeds=2))).outcome == "network ahead"
    assert only_reason(pair(0.6, 0.05, seeds=1)).startswith("Only one seed was run")
    assert only_reason(pair(0.6, 0.05, seeds=1)).endswith("give --seeds 3 or more.")
    kernel = entry("k", "kernel", steady(0.6, seeds=2, salt=1), seeds=(0, 1))
    network = entry("n", "network", steady(0.05, seeds=2, salt=2), seeds=(2, 3))
    assert only_reason(results(kernel, network)).startswith("The two have no seed in common")


def with_accuracy(kernel_wrong: int, network_wrong: int) -> Results:
    found = pair(0.6, 0.4)
    wrong = [np.tile(np.arange(200) < count, (3, 1)) for count in (kernel_wrong, network_wrong)]
    entries = [dataclasses.replace(e, wrong=w) for e, w in zip(found.entries, wrong, strict=True)]
    return Results(tuple(entries), found.constant)


def test_accuracy_has_a_say():
    assert judge(met(with_accuracy(30, 20))).reasons[-1] == "3resnet is right more often, by 5 points."
    assert only_reason(with_accuracy(20, 20)).startswith("3resnet and ntk3 are right equally often.")
    for rows in (1, 5):  # all of 5 coins fall on one side once in 16 times, and of 6 once in 32
        more = only_reason(with_accuracy(20 + rows, 20))
        assert more.startswith(f"3resnet is right more often, by {rows / 2:.2g} points, which is within what chance")
    assert judge(met(with_accuracy(26, 20))).outcome == "network ahead"
    assert only_reason(with_accuracy(20, 30)).startswith(
        "The accuracy points the other way: ntk3 is right more often, by 5 points."
    )


def test_all_that_fails_is_named():
    found = judge(met(pair(1.2, 1.2, rows=5, seeds=1)))
    assert len(found.reasons) == 5


@pytest.mark.parametrize(("rows", "seeds"), [(1, 1), (2, 1), (2, 3), (30, 3)])
def test_equal_errors_decide_nothing(rows, seeds):
    same = np.full((seeds, rows), 0.5)
    assert judge(met(results(entry("k", "kernel", same), entry("n", "network", same)))).outcome == "undecided"
    nothing = Results((entry("k", "kernel", 0 * same), entry("n", "network", 0 * same)), 0 * same)
    assert judge(met(nothing)).outcome == "undecided"


def test_clearly_less():
    found = Bootstrap(both := pair(0.6, 0.5), seed=0, resamples=500)
    kernel, network = (found.error(e) for e in both.entries)
    assert clearly_less(network, kernel, 1.0)
    assert not clearly_less(kernel, network, 1.0)
    assert not clearly_less(network, kernel, 11.0)


NOISE = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "heavy tails": lambda rng, n: rng.standard_t(1.5, n) / 3,
    "skewed": lambda rng, n: (rng.lognormal(0, 1.5, n) - np.exp(1.125)) / np.sqrt(np.exp(4.5) - np.exp(2.25)),
    "rare": lambda rng, n: ((rng.random(n) < 0.05) - 0.05) / np.sqrt(0.0475),
}


def world(rng: np.random.Generator, noise: str, rows: int, learned: tuple[float, float], scale: float) -> Results:
    """8 kernels and 4 networks that learn shares of a signal (variance ``scale`` of 1), and fit noise all alike."""
    n = rows + 60  # with the rows of validation
    signal, common = np.sqrt(scale) * rng.standard_normal(n), rng.standard_normal(n)
    y = signal + np.sqrt(1 - scale) * NOISE[noise](rng, n)
    mean = 0.1 * rng.standard_normal((3, 1))  # of the training rows
    entries = []
    for family, count, share in (("kernel", 8, learned[0]), ("network", 4, learned[1])):
        for i in range(count):
            misled = common + rng.standard_normal(n) + rng.standard_normal((3, n))  # the same rows mislead all seeds
            errors = (y - share * signal - mean - 0.05 * rng.standard_normal((3, 1)) - 0.15 * misled) ** 2
            validation = float(errors[:, rows:].mean())
            entries.append(entry(f"{family} {i}", family, errors[:, :rows], validation=validation))
    return Results(tuple(entries), (y[None, :rows] - mean) ** 2)


def outcomes(noise: str, rows: int, learned: tuple[float, float], scale: float, worlds: int) -> dict[str, float]:
    rng = np.random.default_rng([rows, worlds])
    found = {"network ahead": 0.0, "kernel ahead": 0.0, "undecided": 0.0}
    for i in range(worlds):
        made = world(rng, noise, rows, learned, scale)
        best = [chosen for family in ("kernel", "network") if (chosen := made.best([family], 100)) is not None]
        two = Results(tuple(best), made.constant)
        found[judge(paired_errors(two, Bootstrap(two, seed=i, resamples=1000))).outcome] += 1 / worlds
    return found


@pytest.mark.parametrize("noise", NOISE)
def test_noise_gets_no_verdict(noise):
    assert outcomes(noise, 40, (0, 0), 0.0, 60)["undecided"] == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [20, 60, 200])
@pytest.mark.parametrize("noise", NOISE)
def test_noise_gets_a_verdict_less_than_once_in_two_hundred_times(noise, rows):
    assert outcomes(noise, rows, (0, 0), 0.0, 1200)["undecided"] > 0.995


def test_a_moderate_lead_is_found_and_an_equal_one_is_not():
    assert outcomes("normal", 200, (0.4, 0.8), 0.7, 40)["network ahead"] > 0.8
    assert outcomes("normal", 200, (0.8, 0.4), 0.7, 40)["kernel ahead"] > 0.8
    assert outcomes("normal", 200, (0.8, 0.8), 0.7, 80)["undecided"] > 0.95
