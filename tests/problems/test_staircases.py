"""Targets by their staircase against their definitions, brute force on small cubes, and everything that takes them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelgap as kg
from kernelgap.certificates import any_kernel, exact_risk, oracle_risks
from kernelgap.curves import measure, predict
from kernelgap.errors import InputError
from kernelgap.problems.leap import staircase_of
from support.problem_texts import check_spec_and_samples

SMALL = (
    *("staircase(d=7, degrees=[1, 2, 3])", "staircase(d=8, degrees=[2, 3, 7], variance=2.5)"),
    *("leaps(d=7, leap=3, degree=7)", "merged(d=8, degrees=[1, 3], count=2)", "leaking(d=7, k=5, leak=0.3)"),
    *("leaking(d=6, k=4, leak=0.3, known=4)", "hierarchy(d=8, alpha=0.3)", "hierarchy(d=7, alpha=0.5, depth=2)"),
    *("hierarchy(d=8, alpha=0.4, depth=4, block=1)", "hierarchy(d=9, alpha=0.3, depth=3, block=1, arity=3)"),
)


def whole_cube(d):
    return np.array(list(itertools.product([-1.0, 1.0], repeat=d)))


def coefficients(values, cube):
    """E f chi_S for every S."""
    sets = [s for size in range(cube.shape[1] + 1) for s in itertools.combinations(range(cube.shape[1]), size)]
    return {s: (values * cube[:, list(s)].prod(axis=1, keepdims=True)).mean(axis=0) for s in sets}


@pytest.mark.parametrize("text", SMALL)
def test_expansions_by_brute_force(text):
    problem = kg.problems.get(text)
    cube = whole_cube(problem.d)
    for expansion, values in (
        (problem.base_fourier, problem.base(cube)),
        (problem.composite_fourier, problem.composite(cube)),
        (problem.target_fourier, problem.target(cube)),
    ):
        known = dict(zip(expansion.index_sets, expansion.coefficients, strict=True))
        for index_set, found in coefficients(values, cube).items():
            np.testing.assert_allclose(found, known.get(index_set, np.zeros(problem.outputs)), atol=1e-12)
    assert problem.threshold == pytest.approx((problem.composite(cube) ** 2).sum(axis=1).mean())


def naive_staircase(x, degrees, variance):
    return np.sqrt(variance / len(degrees)) * sum(np.prod(x[:k]) for k in degrees)


def naive_hierarchy(x, alpha, depth, block, arity):
    """H = F1 + alpha F2(F1) + ..., level by level."""
    level = np.array([np.prod(x[j * block : (j + 1) * block]) for j in range(len(x) // block)])
    total, step = level.copy(), 1
    for power in range(1, depth):
        level = np.array(
            [np.prod([level[(j + t * step) % len(level)] for t in range(arity)]) for j in range(len(level))]
        )
        total += alpha**power * level
        step *= arity
    return total


@pytest.mark.parametrize(
    ("text", "naive"),
    [
        ("staircase(d=6, degrees=[1, 2, 3], variance=3.0)", lambda x: x[0] + x[0] * x[1] + x[0] * x[1] * x[2]),
        ("staircase(d=9, degrees=[2, 5], variance=0.7)", lambda x: naive_staircase(x, [2, 5], 0.7)),
        ("leaps(d=9, leap=2, degree=6)", lambda x: naive_staircase(x, [2, 4, 6], 1.0)),
        ("leaps(d=9, leap=3, degree=6)", lambda x: naive_staircase(x, [3, 6], 1.0)),
        ("leaps(d=9, leap=4, degree=6)", lambda x: naive_staircase(x, [4, 6], 1.0)),
        (
            "merged(d=6, degrees=[1, 2], count=2, variance=5.0)",
            lambda x: x[0] + x[0] * x[1] + x[2] + x[2] * x[3] + x[0] * x[1] * x[2] * x[3],
        ),
        ("leaking(d=8, k=4, leak=0.2)", lambda x: x[:4].prod() + 0.2 * x[:2].sum()),
        ("hierarchy(d=8, alpha=0.3)", lambda x: naive_hierarchy(x, 0.3, 3, 2, 2)),
        ("hierarchy(d=16, alpha=0.7, depth=4)", lambda x: naive_hierarchy(x, 0.7, 4, 2, 2)),
        ("hierarchy(d=18, alpha=0.7, depth=3, arity=3)", lambda x: naive_hierarchy(x, 0.7, 3, 2, 3)),
    ],
)
def test_targets_are_what_their_names_say(text, naive):
    problem = kg.problems.get(text)
    X, Y = problem.sample(50, seed=1)
    assert set(np.unique(X)) == {-1.0, 1.0}
    np.testing.assert_allclose(Y, [np.atleast_1d(naive(x)) for x in X], atol=1e-12)
    with pytest.raises(AssertionError):  # the check can fail
        np.testing.assert_allclose(-Y, [np.atleast_1d(naive(x)) for x in X], atol=1e-12)


@pytest.mark.parametrize(
    ("text", "variance"),
    [
        ("staircase(d=30, degrees=[1, 2, 3])", 1.0),
        ("staircase(d=30, degrees=[3], variance=2.0)", 2.0),
        ("leaps(d=30, leap=2, degree=7, variance=0.5)", 0.5),
        ("merged(d=30, degrees=[1, 2, 3], count=3)", 1.0),
        ("leaking(d=30, k=6, leak=0.1)", 1.03),
        ("hierarchy(d=16, alpha=0.5)", 8 * (1 + 0.25 + 0.0625)),
    ],
)
def test_the_variance_is_as_stated(text, variance):
    assert kg.problems.get(text).target_fourier.squared_norm() == pytest.approx(variance, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(1, 3))
def test_leaps_by_brute_force_over_all_orders(increments, count):
    degrees = [int(each) for each in np.cumsum(increments)]
    d = count * degrees[-1]
    problem = kg.problems.merged(d, degrees[:2], count) if count > 1 else kg.problems.staircase(d, degrees)
    sets = [set(s) for s in problem.target_fourier.index_sets][:6]
    best = d
    for order in itertools.permutations(sets):
        known, most = set(), 0
        for each in order:
            most, known = max(most, len(each - known)), known | each
        best = min(best, most)
    assert staircase_of([tuple(sorted(s)) for s in sets]).leap == best


@pytest.mark.parametrize("text", [*SMALL, "staircase(d=30, noise=0.5)"])
def test_the_spec_makes_the_problem_again_and_samples_are_nested(text):
    check_spec_and_samples(kg.problems.get(text))


@pytest.mark.parametrize("text", [text for text in SMALL if "count" not in text])
def test_the_bound_for_any_kernel_holds_for_the_family(text):
    """Renamed targets: the mean risk of n functions fixed beforehand, over coordinates permuted at random."""
    problem = kg.problems.get(text)
    n = 6
    bound = any_kernel(problem, n)
    assert bound.threshold == pytest.approx(problem.threshold)
    cube = whole_cube(problem.d)
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(rng.standard_normal((len(cube), n)))
    risks = []
    for _ in range(400):
        values = problem.target(cube[:, rng.permutation(problem.d)])
        left = values - basis @ (basis.T @ values)
        risks.append((left**2).sum(axis=1).mean())
    assert np.mean(risks) >= bound.mean_risk - 5 * np.std(risks) / 20
    assert bound.sharp_mean_risk is None


def test_a_merged_staircase_has_the_degree_of_its_product():
    bound = any_kernel(kg.problems.get("merged(d=20, degrees=[1, 2, 3], count=2)"), 100)
    assert bound.family_size == 38_760  # sets of 6 of 20


def test_families_are_not_listed():
    problem = kg.problems.get("staircase(d=6)")
    X, _ = problem.sample(5, 0)
    with pytest.raises(InputError, match="take oracle_risk"):
        oracle_risks(problem, "ntk2", X)


def test_curves_agree_with_regression():
    problem = kg.problems.get("staircase(d=20, degrees=[1, 2, 3])")
    measured = measure(problem, "ntk2(bias=True)", 400, [1e-2], seeds=range(10))[0].mean
    assert measured == pytest.approx(predict(problem, "ntk2(bias=True)", 400, 1e-2).risk, rel=0.05)


def test_networks_learn_them():
    """A staircase of leap 1, by SGD; its exact risk is that of every point."""
    problem = kg.problems.get("staircase(d=8, degrees=[1, 2])")
    X, Y = problem.sample(400, seed=0)
    network = kg.TwoLayerRegressor(width=100, epochs=100, random_state=0).fit(X, Y[:, 0])
    found = exact_risk(problem, network)
    by_hand = float(((network.predict(whole_cube(8)) - problem.target(whole_cube(8))[:, 0]) ** 2).mean())
    assert found.risk == pytest.approx(by_hand, rel=1e-4)
    assert found.risk < 0.5 * problem.target_fourier.squared_norm()
