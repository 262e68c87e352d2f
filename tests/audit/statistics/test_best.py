"""The best of all contenders on validation, and those that it is not shown to be better than."""

from kernelgap.audit.statistics.best import best_model
from kernelgap.audit.statistics.bootstrap import Bootstrap
from support.made import entry, results, steady


def found(*entries, at_least=100):
    made = results(*entries)
    return best_model(made, Bootstrap(made, seed=0, resamples=1000), at_least)


def test_the_least_validation_error_of_all_families_and_who_may_be_as_good():
    best = found(
        entry("k", "kernel", steady(0.5, salt=1)),
        entry("n", "network", steady(0.31, salt=2), validation=0.29),
        entry("trees", "baseline", steady(0.30, salt=3), validation=0.30),
        entry("near", "adaptive", steady(0.292, salt=4), validation=0.33),
    )
    assert (best.contender, best.family, best.tried) == ("n", "network", 4)
    assert best.error.value < 0.32
    assert best.beats_constant
    assert best.no_better_than == ("trees", "near"), "whose test errors are no larger; the kernel's is"


def test_more_samples_count_and_fewer_do_not():
    pair = entry("k", "kernel", steady(0.5, salt=1)), entry("n", "network", steady(0.4, salt=2))
    few = entry("few", "baseline", steady(0.1, salt=3), samples=50)
    many = entry("many", "baseline", steady(0.2, salt=4), samples=200)
    assert found(*pair, few).contender == "n"
    best = found(*pair, few, many)
    assert (best.contender, best.samples, best.tried, best.no_better_than) == ("many", 200, 1, ())


def test_one_that_is_no_better_than_a_constant():
    best = found(entry("k", "kernel", steady(1.0, salt=1)), entry("n", "network", steady(1.1, salt=2)))
    assert (best.contender, best.beats_constant) == ("k", False)
