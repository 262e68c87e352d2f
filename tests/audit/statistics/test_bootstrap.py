"""Resampled errors against brute force, and intervals against what they promise."""

import numpy as np
import pytest
from scipy import stats

from kernelgap.audit.statistics import bootstrap as module
from kernelgap.audit.statistics.bootstrap import Bootstrap, Resampled, common_seeds, percentiles, resampled_means
from kernelgap.audit.statistics.results import Results
from support.made import entry, results, steady


def test_means_are_those_of_the_rows_drawn(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 21)  # 3 resamples a block, and 1 in the last
    tables = np.random.default_rng(1).random((4, 7))
    found = resampled_means(np.random.default_rng(2), tables, 10)
    rng = np.random.default_rng(2)
    for mean in found:
        rows = rng.integers(7, size=7)
        np.testing.assert_allclose(mean, [np.mean([table[i] for i in rows]) for table in tables], rtol=1e-13)


def test_draws_are_as_by_brute_force(rng):
    """Rows drawn with replacement; seeds with normal weights, and the same variance as if they were drawn too."""
    errors = rng.random((3, 5)) ** 2
    a = entry("a", "kernel", errors)
    found = Bootstrap(results(a), seed=0, resamples=8000).error(a)
    brute, drawn = [], []
    for _ in range(8000):
        rows = errors[:, rng.integers(5, size=5)].mean(axis=1)
        normal = rng.standard_normal(3)
        brute.append(sum((1 + z - sum(normal) / 3) * row for z, row in zip(normal, rows, strict=True)) / 3)
        drawn.append(rows[rng.integers(3, size=3)].mean())
    assert found.value == pytest.approx(errors.mean())
    assert found.draws.mean() == pytest.approx(np.mean(brute), rel=0.01)
    assert found.draws.std() == pytest.approx(np.std(brute), rel=0.04)
    assert found.draws.std() == pytest.approx(np.std(drawn), rel=0.04)
    for quantile in (0.02, 0.25, 0.5, 0.75, 0.98):
        assert np.quantile(found.draws, quantile) == pytest.approx(np.quantile(brute, quantile), rel=0.05)


def test_everyone_sees_the_same_draws(rng):
    errors = rng.random((3, 50))
    a, b = entry("a", "kernel", errors), entry("b", "network", errors + 0.25)
    found = Bootstrap(results(a, b), seed=0, resamples=200)
    np.testing.assert_allclose((found.error(b) - found.error(a)).draws, 0.25, rtol=1e-12)
    other = Bootstrap(results(a, b), seed=1, resamples=200)
    assert np.abs(found.error(b).draws - other.error(b).draws).max() > 0.01


def test_entries_are_paired_on_the_seeds_that_both_have(rng):
    errors = rng.random((3, 50))
    a = entry("a", "kernel", errors)
    b = entry("b", "network", errors[[2, 0]] + 0.25, seeds=(2, 0))
    found = Bootstrap(results(a, b), seed=0, resamples=200)
    seeds = common_seeds([a, b])
    assert seeds == (0, 2)
    difference = found.error(b, seeds) - found.error(a, seeds)
    np.testing.assert_allclose(difference.draws, 0.25, rtol=1e-12)
    assert difference.by_seed == pytest.approx((0.25, 0.25))
    assert found.error(a).table.shape == (3, 50)


def test_without_a_common_seed_rows_are_paired_still(rng):
    rows = rng.random(50)
    a, b = (entry(name, "kernel", np.tile(rows, (1, 1)), seeds=(seed,)) for name, seed in (("a", 0), ("b", 1)))
    found = Bootstrap(results(a, b), seed=0, resamples=200)
    assert common_seeds([a, b]) == ()
    assert np.abs((found.error(a, ()) - found.error(b, ())).draws).max() < 50 * np.finfo(float).eps  # sums of 50


def test_an_accuracy_is_there_for_classes_only(rng):
    wrong = rng.random((3, 40)) < 0.3
    a, b = entry("a", "kernel", rng.random((3, 40)), wrong=wrong), entry("b", "kernel", rng.random((3, 40)))
    found = Bootstrap(results(a, b), seed=0, resamples=50)
    assert found.accuracy(a).value == pytest.approx(1 - wrong.mean())
    assert found.accuracy(b) is None


def test_the_constant_is_a_mean_over_its_seeds(rng):
    constant = rng.random((4, 30))
    found = Bootstrap(Results((entry("a", "kernel", rng.random((2, 30))),), constant), seed=0, resamples=50)
    assert found.constant.value == pytest.approx(constant.mean())
    assert found.constant.table.shape == (1, 30)


def test_the_standard_error_is_that_of_a_two_way_analysis(rng):
    table = rng.random((3, 8))
    error, freedom = Resampled(table, np.zeros(1)).spread
    seeds = 8 * sum((mean - table.mean()) ** 2 for mean in table.mean(axis=1)) / 2
    rows = 3 * sum((mean - table.mean()) ** 2 for mean in table.mean(axis=0)) / 7
    assert error == pytest.approx(np.sqrt((seeds + rows) / 24))
    weighted = 3 * seeds  # 1 + 8 / (3 - 1)^2
    assert freedom == pytest.approx((weighted + rows) ** 2 / (weighted**2 / 2 + rows**2 / 7))


def test_with_one_seed_it_is_students_interval(rng):
    values = rng.standard_normal((1, 15))
    a = entry("a", "kernel", values)
    interval = Bootstrap(results(a), seed=0, resamples=20_000).error(a).interval(0.99)
    exact = stats.t.interval(0.99, 14, values.mean(), stats.sem(values[0]))
    assert interval.high - interval.low == pytest.approx(exact[1] - exact[0], rel=0.06)  # the shape is the bootstrap's


def _coverage(stretched: bool) -> float:
    """How often a 95% interval holds the true mean, 0, where seeds differ and are 3."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        table = 0.5 * rng.standard_normal((3, 1)) + rng.standard_normal((1, 60)) + rng.standard_normal((3, 60))
        a = entry("a", "kernel", table)
        found = Bootstrap(results(a), seed=1, resamples=300).error(a)
        interval = found.interval() if stretched else percentiles(found.value, found.draws)
        hits += interval.low <= 0 <= interval.high
    return hits / 400


@pytest.mark.slow
def test_intervals_hold_what_they_promise_where_percentiles_do_not():
    error = np.sqrt(0.05 * 0.95 / 400)
    assert abs(_coverage(stretched=True) - 0.95) < 3 * error
    assert _coverage(stretched=False) < 0.95 - 6 * error


def test_nothing_varies():
    a = entry("a", "kernel", np.full((3, 20), 0.5))
    interval = Bootstrap(results(a), seed=0, resamples=50).error(a).interval()
    assert (interval.low, interval.high) == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize(("seeds", "rows"), [(1, 1), (1, 2), (3, 1), (3, 2)])
def test_next_to_nothing_is_resampled_too(seeds, rows):
    a = entry("a", "kernel", steady(0.5, seeds=seeds, rows=rows))
    interval = Bootstrap(results(a), seed=0, resamples=50).error(a).interval()
    assert np.isfinite([interval.low, interval.high]).all()
    assert interval.low <= interval.value <= interval.high


def test_percentiles_may_be_infinite():
    draws = np.array([1.0, 2.0, np.inf, np.inf])
    interval = percentiles(1.5, draws)
    assert (interval.low, interval.high) == (1.0, np.inf)
