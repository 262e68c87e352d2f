"""Who is compared with whom, and in which numbers."""

import numpy as np
import pytest

from kernelgap import InputError
from support.made import SEEDS, entry, met, pair, results, steady


def test_validation_chooses_and_test_errors_have_no_say():
    found = met(
        results(
            entry("gaussian", "kernel", steady(0.2, salt=1), validation=0.5),
            entry("ntk3", "kernel", steady(0.4, salt=2), validation=0.3),
            entry("2layer", "network", steady(0.1, salt=3), validation=0.9),
            entry("3resnet", "network", steady(0.3, salt=4), validation=0.2),
            entry("adaptive", "adaptive", steady(0.01, salt=5), validation=0.01),
        )
    ).comparison
    assert (found.kernel, found.network) == ("ntk3", "3resnet")
    assert found.difference.value == pytest.approx(0.1)
    assert found.ratio.value == pytest.approx(4 / 3)
    assert found.kernel_error.value == pytest.approx(0.4)


def test_the_largest_size_that_both_families_have():
    entries = [entry("ntk3", "kernel", steady(0.5), samples=n) for n in (50, 100, 200)]
    entries += [entry("3resnet", "network", steady(0.4), samples=n) for n in (50, 100)]
    assert met(results(*entries)).samples == 100
    with pytest.raises(InputError, match="nothing to compare"):
        met(results(*entries[:3]))


def test_seeds_one_by_one():
    kernel, network = steady(0.5, salt=1), steady(0.4, salt=2)
    found = met(results(entry("k", "kernel", kernel), entry("n", "network", network[[2, 0]], seeds=(2, 0))))
    assert found.seeds == (0, 2)
    expected = kernel[[0, 2]].mean(axis=1) - network[[0, 2]].mean(axis=1)
    assert found.comparison.by_seed == pytest.approx(tuple(expected))
    assert found.difference.value == pytest.approx(expected.mean())


def test_the_ratio_has_an_interval_about_it():
    ratio = met(pair(0.5, 0.25)).comparison.ratio
    assert ratio.low < 2 < ratio.high
    assert ratio.value == pytest.approx(2)
    assert ratio.high / ratio.low < 1.2


@pytest.mark.parametrize(("kernel", "network", "ratio"), [(0.5, 0.0, np.inf), (0.0, 0.5, 0.0), (0.0, 0.0, 1.0)])
def test_no_error_at_all(kernel, network, ratio):
    found = met(pair(kernel, network)).comparison.ratio
    assert found.value == found.low == found.high == ratio


def test_accuracy_is_network_less_kernel(rng):
    right, wrong = np.zeros((3, 200), dtype=bool), np.arange(600).reshape(3, 200) % 10 == 0
    kernel = entry("k", "kernel", steady(0.5, salt=1), wrong=wrong)
    network = entry("n", "network", steady(0.4, salt=2), wrong=right)
    assert met(results(kernel, network)).comparison.accuracy_difference.value == pytest.approx(0.1)
    assert len(SEEDS) == len(met(results(kernel, network)).comparison.by_seed)
    assert met(pair(0.5, 0.4)).comparison.accuracy_difference is None
