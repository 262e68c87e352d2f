"""The empirical kernel gap on curves whose gap is known."""

import math

import pytest

from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.comparison import paired_errors
from kernelgap.audit.statistics.gap import gap
from kernelgap.audit.statistics.results import Entry, Gap
from support.made import entry, power_law, results, steady

SIZES = (100, 200, 400, 800)


def measured(*entries: Entry, constant: float = 1.0) -> Gap:
    found = results(*entries, constant=constant)
    bootstrap = Bootstrap(found, seed=0, resamples=500)
    return gap(found, bootstrap, paired_errors(found, bootstrap))


def network(error: float, samples: int = 800, spread: float = 0.0) -> Entry:
    return entry("3resnet", "network", steady(error, spread=spread, salt=50), samples=samples)


def test_beyond_what_was_measured_a_power_law_is_followed():
    found = measured(*power_law("ntk3", "kernel", SIZES, 5, 0.5), network(5 * 3200**-0.5))
    assert found.kind == "extrapolated"
    assert found.kernel_samples.value == pytest.approx(3200)
    assert found.factor.value == pytest.approx(4)
    assert found.factor.low == pytest.approx(4)
    assert found.factor.high == math.inf, "it may level off"
    assert found.sentence.startswith("Extrapolated: if its error falls no faster than before, the best kernel needs at")
    assert "at least 3,200 samples" in found.sentence
    assert "4 times as many" in found.sentence
    assert "(measured up to 800 samples; beyond, a power law through the last 3" in found.sentence


def test_with_noise_there_is_an_interval():
    found = measured(*power_law("ntk3", "kernel", SIZES, 5, 0.5, salt=7), network(5 * 3200**-0.5, spread=0.05))
    assert found.kernel_samples.low == found.kernel_samples.value < 3200
    assert found.factor.low == pytest.approx(found.kernel_samples.low / 800)


def test_a_lower_end_among_the_measured_sizes_is_no_gap_to_speak_of():
    found = measured(*power_law("ntk3", "kernel", SIZES, 5, 0.5, salt=7), network(5 * 820**-0.5, spread=0.3))
    assert found.kernel_samples.low < 800
    assert "was not seen to do as well as 3resnet does with 800; how many it needs cannot be told" in found.sentence


def test_between_two_sizes_an_end_beyond_the_last_is_none():
    found = measured(*power_law("ntk3", "kernel", SIZES, 5, 0.5, salt=7), network(5 * 780**-0.5, spread=0.3))
    assert found.kind == "interpolated"
    assert found.kernel_samples.low < found.kernel_samples.value < 800
    assert found.kernel_samples.high == math.inf
    assert "without an upper end" in found.sentence


def test_within_what_was_measured():
    found = measured(*power_law("ntk3", "kernel", SIZES, 5, 0.5), network(5 * 300**-0.5))
    assert found.kind == "interpolated"
    assert found.kernel_samples.value == pytest.approx(300)
    assert "Extrapolated" not in found.sentence
    assert "about 300 samples" in found.sentence


def test_from_the_start():
    found = measured(*power_law("ntk3", "kernel", SIZES, 5, 0.5), network(0.6))
    assert found.kind == "below"
    assert found.kernel_samples.value == pytest.approx(100)
    assert "100 samples or fewer" in found.sentence


def test_the_kernel_at_each_size_is_the_one_that_validation_prefers():
    weak = [entry("gaussian", "kernel", steady(0.1, spread=0), samples=n, validation=0.9) for n in SIZES]
    found = measured(*power_law("ntk3", "kernel", SIZES, 5, 0.5), *weak, network(5 * 3200**-0.5))
    assert found.kernel_samples.value == pytest.approx(3200)


def test_a_flat_curve_is_out_of_reach():
    flat = [entry("ntk3", "kernel", steady(0.5, spread=0), samples=n) for n in SIZES]
    found = measured(*flat, network(0.1))
    assert found.kind == "out of reach"
    assert found.kernel_samples.low == math.inf
    assert "never gets to do as well as 3resnet does with 800" in found.sentence


def test_out_of_reach_with_a_low_end():
    flat = [entry("ntk3", "kernel", steady(0.5, spread=0.3, salt=n), samples=n) for n in SIZES]
    found = measured(*flat, network(0.4))
    assert found.kind == "out of reach"
    assert found.kernel_samples.value == math.inf
    assert 800 <= found.kernel_samples.low < math.inf
    assert "needs at least" in found.sentence
    assert found.sentence.startswith("Extrapolated")


def test_a_perfect_network_is_out_of_reach():
    found = measured(*power_law("ntk3", "kernel", SIZES, 5, 0.5), network(0.0))
    assert found.kind == "out of reach"


def test_two_sizes_are_a_guess():
    found = measured(*power_law("ntk3", "kernel", (400, 800), 5, 0.5), network(5 * 3200**-0.5))
    assert found.kernel_samples.value == pytest.approx(3200)
    assert "the last 2 sizes, which are all that there are: a guess" in found.sentence


def test_one_size_has_no_curve():
    found = measured(*power_law("ntk3", "kernel", (800,), 5, 0.5), network(0.1))
    assert (found.kind, found.kernel_samples, found.factor) == ("none", None, None)


def test_nothing_that_beats_the_constant_has_no_gap():
    curve = power_law("ntk3", "kernel", SIZES, 5, 0.5)
    assert measured(*curve, network(0.5), constant=0.1).kind == "none"
    assert measured(*curve, network(0.5), constant=0.3).kind != "none"
