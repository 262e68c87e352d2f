"""The whole answer, from unfinished and degenerate results too."""

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

from kernelgap import InputError
from kernelgap.audit.statistics.answering import answer, as_record
from kernelgap.audit.statistics.results import Results
from support.made import entry, power_law, results, steady

SIZES = (100, 200, 400)


def whole() -> Results:
    return results(
        *power_law("gaussian", "kernel", SIZES, 8, 0.4, salt=1),
        *power_law("ntk3", "kernel", SIZES, 5, 0.4, salt=10),
        *power_law("3resnet", "network", SIZES, 5, 0.9, salt=20),
        entry("3resnet(ntk)", "twin", steady(0.4), samples=400),
        entry("adaptive", "adaptive", steady(0.1), samples=400),
        entry("trees", "baseline", steady(0.9), samples=400),
    )


def test_all_of_it():
    found = answer(whole(), seed=0)
    assert found.verdict.outcome == "network ahead"
    assert [curve.contender for curve in found.curves] == [
        "3resnet", "3resnet(ntk)", "adaptive", "gaussian", "ntk3", "trees"
    ]  # fmt: skip
    curve = found.curves[4]
    assert (curve.family, curve.samples) == ("kernel", SIZES)
    assert [error.value for error in curve.errors] == pytest.approx([5 * n**-0.4 for n in SIZES])
    assert curve.by_seed[0] == pytest.approx(tuple(whole().entry("ntk3", 100).errors.mean(axis=1)))
    assert curve.validation == pytest.approx([5 * n**-0.4 for n in SIZES])
    assert curve.accuracy is None
    assert found.constant.value == pytest.approx(1)
    assert found.gap.kind == "extrapolated"
    assert found.features.share is not None
    assert len(found.remarks) == 1


def test_the_same_seed_gives_the_same_answer():
    assert answer(whole(), seed=3) == answer(whole(), seed=3)
    assert answer(whole(), seed=3) != answer(whole(), seed=4)


def test_classes_have_accuracies(rng):
    wrong = rng.random((3, 200)) < 0.2
    made = results(
        entry("k", "kernel", steady(0.5, salt=1), wrong=wrong), entry("n", "network", steady(0.4, salt=2), wrong=wrong)
    )
    found = answer(made, seed=0)
    accuracy = found.curves[0].accuracy[0]
    assert accuracy.value == pytest.approx(1 - wrong.mean())
    assert 0 <= accuracy.low < accuracy.value < accuracy.high <= 1
    assert found.comparison.accuracy_difference.value == 0
    assert found.constant_accuracy is None


def test_a_constant_guess_has_an_accuracy_too(rng):
    wrong = rng.random((3, 200)) < 0.3
    made = results(
        entry("k", "kernel", steady(0.5, salt=1), wrong=wrong), entry("n", "network", steady(0.4, salt=2), wrong=wrong)
    )
    of_constant = rng.random((3, 200)) < 0.6
    found = answer(replace(made, constant_wrong=of_constant), seed=0).constant_accuracy
    assert found.value == pytest.approx(1 - of_constant.mean())
    assert 0 < found.low < found.value < found.high < 1


def test_a_record_is_plain_json():
    flat = [entry("k", "kernel", steady(0.5, spread=0), samples=n) for n in SIZES]
    record = as_record(answer(results(*flat, entry("n", "network", steady(0.0), samples=400)), seed=0))
    again = json.loads(json.dumps(record, allow_nan=False))
    assert again == record
    assert again["comparison"]["ratio"] == {"value": None, "low": None, "high": None}
    assert again["gap"]["kernel_samples"]["value"] is None
    assert again["verdict"]["outcome"] == "network ahead"


@pytest.mark.parametrize("level", [0.0, 0.5])
@pytest.mark.parametrize(("seeds", "rows"), [(1, 1), (1, 2), (2, 2), (3, 30)])
def test_degenerate_results_are_answered_without_a_warning(seeds, rows, level):
    same = np.full((seeds, rows), level)
    entries = [
        entry(name, family, same, samples=n, wrong=same > 1)
        for name, family in (
            ("k", "kernel"), ("n", "network"), ("n(ntk)", "twin"), ("adaptive", "adaptive"), ("ridge", "baseline")
        )
        for n in (10, 20)
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = answer(Results(tuple(entries), same), seed=0)
    assert found.verdict.outcome == "undecided"
    assert found.gap.kind == "none"
    assert "NaN" not in json.dumps(as_record(found))
    assert not math.isnan(found.comparison.ratio.value)


@pytest.mark.parametrize("error", [math.nan, math.inf, 1e200])
def test_predictions_out_of_bounds_are_left_out_and_said(error):
    lost = steady(0.1, salt=5)
    lost[0, 0] = error
    made = results(
        entry("k", "kernel", steady(0.5, salt=1)),
        entry("n", "network", steady(0.4, salt=2)),
        entry("lost", "network", lost, validation=0.01),
    )
    found = answer(made, seed=0)
    assert found.comparison.network == "n"
    assert found.remarks == ("lost with 100 samples is left out: its predictions are out of all bounds.",)
    with pytest.raises(InputError, match="nothing to compare"):
        answer(results(made.entries[0], made.entries[2]), seed=0)


def test_each_has_one_error_wherever_it_is_told():
    """One seed of the network is missing: the kernel's error is over the seeds that both have, in all sentences."""
    kernel = np.vstack([steady(level, seeds=1, salt=salt) for salt, level in enumerate((0.5, 0.5, 0.5, 0.9))])
    made = results(
        entry("laplace", "kernel", kernel, validation=0.5),
        entry("3resnet", "network", steady(0.4, salt=4), validation=0.4),
        entry("ridge", "baseline", steady(0.1, seeds=4, salt=5)),
        entry("trees", "baseline", steady(0.2, seeds=1, salt=6), seeds=(3,)),
    )
    found = answer(made, seed=0)
    told = {curve.contender: curve.errors[0].value for curve in found.curves}
    assert found.comparison.kernel_error.value == pytest.approx(told["laplace"]) == pytest.approx(0.5)
    assert found.comparison.network_error.value == pytest.approx(told["3resnet"])
    assert told["trees"] == pytest.approx(0.2), "who has none of the seeds is told with his own"
    sentences = " ".join((found.verdict.sentence, *found.verdict.reasons, *found.remarks))
    assert "0.5 (laplace)" in sentences
    assert "0.6" not in sentences, "the mean over all four of its seeds"
    assert {curve.contender: curve.validation for curve in found.curves}["laplace"] == (0.5,)


def test_nobody_is_ahead_of_those_who_had_no_time():
    rivals = {"gaussian": "kernel", "ntk3": "kernel", "ck2": "kernel", "3resnet": "network", "2layer": "network"}
    assert answer(whole(), seed=0, rivals={**rivals, "ck2": "network"}).verdict.outcome == "network ahead"
    found = answer(whole(), seed=0, rivals=rivals).verdict
    assert found.outcome == "undecided"
    assert "There was no time for all kernels with so many samples: ck2 may do better than ntk3." in found.reasons
