"""Rows: put aside, nested, and in folds."""

import numpy as np
import pytest

from kernelgap.audit.split import put_aside, sample_rows, spread_evenly

LABELS = np.array(["a"] * 60 + ["b"] * 30 + ["c"] * 10)


@pytest.mark.parametrize("classes", [None, LABELS])
def test_test_rows_are_a_fifth_and_apart(classes):
    pool, test = put_aside(100, classes, seed=0)
    assert len(test) == 20
    assert sorted([*pool, *test]) == list(range(100))
    assert test.tolist() != put_aside(100, classes, seed=1)[1].tolist()


def test_classes_are_spread_evenly():
    for seed in range(5):
        pool, test = put_aside(100, LABELS, seed=seed)
        assert [int(np.sum(LABELS[test] == name)) for name in "abc"] == [12, 6, 2]
        order = spread_evenly(80, LABELS[pool], np.random.default_rng(seed))
        half = LABELS[pool][order[:40]]
        assert [int(np.sum(half == name)) for name in "abc"] == [24, 12, 4]


def test_a_class_of_three_is_on_both_sides():
    labels = np.array(["often"] * 97 + ["rare"] * 3)
    for seed in range(5):
        pool, test = put_aside(100, labels, seed=seed)
        assert np.sum(labels[test] == "rare") == 1
        training, _ = sample_rows(80, labels[pool], samples=80, seed=seed)
        assert np.sum(labels[pool][training] == "rare") >= 1


@pytest.mark.parametrize("classes", [None, LABELS])
def test_samples_are_nested_and_a_fifth_is_for_choosing(classes):
    for seed in range(3):
        last: tuple[set, set] = (set(), set())
        for samples in (10, 25, 50, 100):
            training, validation = (
                set(part.tolist()) for part in sample_rows(100, classes, samples=samples, seed=seed)
            )
            assert not training & validation
            assert len(training | validation) == samples
            assert len(validation) == samples // 5
            assert last[0] <= training
            assert last[1] <= validation
            last = training, validation


@pytest.mark.parametrize("classes", [None, LABELS])
def test_five_seeds_make_five_folds_of_the_pool(classes):
    folds = [sample_rows(100, classes, samples=100, seed=seed)[1] for seed in range(5)]
    assert sorted(np.concatenate(folds).tolist()) == list(range(100))


def test_the_number_of_rows_for_testing_and_choosing_is_bounded():
    assert len(put_aside(100_000, None, seed=0)[1]) == 10_000
    training, validation = sample_rows(90_000, None, samples=90_000, seed=0)
    assert len(validation) == 5_000
    assert len(training) >= 72_000  # the rest of the fold is left out
