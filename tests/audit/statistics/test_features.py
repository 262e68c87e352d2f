"""A network against its own frozen kernels."""

import dataclasses

import pytest

from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.comparison import paired_errors
from kernelgap.audit.statistics.features import features
from kernelgap.audit.statistics.results import Entry, Features
from support.made import entry, results, steady

KERNEL = entry("ntk3", "kernel", steady(0.5, salt=1))
NETWORK = entry("3resnet", "network", steady(0.1, salt=2))


def twin(mode: str, error: float, name: str = "3resnet") -> Entry:
    return entry(f"{name}({mode})", "twin", steady(error, salt=3))


def found(*entries: Entry, leads: bool = True) -> Features:
    made = results(KERNEL, NETWORK, *entries)
    bootstrap = Bootstrap(made, seed=0, resamples=500)
    return features(made, bootstrap, paired_errors(made, bootstrap), leads=leads)


def test_the_lead_is_taken_apart():
    got = found(twin("last", 0.6), twin("ntk", 0.4))
    assert got.learned.value == pytest.approx(0.3)
    assert got.architecture.value == pytest.approx(0.1)
    assert got.share.value == pytest.approx(0.75)
    assert got.share.low < 0.75 < got.share.high
    assert (got.last.value, got.ntk.value, got.error.value) == pytest.approx((0.6, 0.4, 0.1))
    assert got.sentence == (
        "Frozen at its start, 3resnet has error 0.4 by its tangent kernel and 0.6 by training its last layer alone; "
        "trained, it has 0.1: the features that it learns are worth 75% of its lead over the best kernel (ntk3), the "
        "architecture the rest."
    )


def test_features_may_be_worth_more_than_the_lead():
    got = found(twin("ntk", 0.7))
    assert got.share.value == pytest.approx(1.5)
    assert "worth all of its lead" in got.sentence


def test_without_a_lead_there_is_no_share():
    got = found(twin("ntk", 0.4), leads=False)
    assert got.share is None
    assert got.learned.value == pytest.approx(0.3)
    assert got.sentence.endswith("the features that it learns help.")


def test_features_that_do_not_help():
    assert found(twin("ntk", 0.1)).sentence.endswith("that learning features helps is not shown.")
    assert "better without learning features" in found(twin("ntk", 0.05)).sentence


def test_missing_twins_are_none():
    assert found().ntk is None
    assert "not measured" in found().sentence
    assert found(twin("ntk", 0.4, name="2layer")).ntk is None
    only_last = found(twin("last", 0.4))
    assert only_last.last is not None
    assert (only_last.ntk, only_last.learned, only_last.architecture, only_last.share) == (None,) * 4
    elsewhere = dataclasses.replace(twin("ntk", 0.4), seeds=(7, 8, 9))
    assert found(elsewhere).ntk is None


def test_twins_with_fewer_seeds_are_compared_on_those():
    frozen = twin("ntk", 0.4)
    fewer = dataclasses.replace(frozen, seeds=(1,), errors=frozen.errors[[1]], validation=frozen.validation[[1]])
    got = found(fewer)
    assert got.learned.value == pytest.approx(frozen.errors[1].mean() - NETWORK.errors[1].mean())
    assert got.learned.value + got.architecture.value == pytest.approx(
        KERNEL.errors[1].mean() - NETWORK.errors[1].mean()
    )
