"""The floor under every kernel: its numbers, its equality case, and that nothing gets under it."""

import time
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest

import kernelgap as kg
from kernelgap import networks, problems
from kernelgap.certificates import any_kernel, any_kernel_by_numbers, feature_risks, oracle_risks
from kernelgap.errors import InputError
from kernelgap.problems import ParityProblem
from kernelgap.problems.parity import pairs


def signs(X):
    return np.sign(X)


def parities(sets):
    return lambda X: np.stack([signs(X)[:, list(s)].prod(axis=1) for s in sets], axis=1)


def some_sets(d, k, count, rng):
    chosen = list(combinations(range(d), k))
    return [chosen[i] for i in rng.permutation(len(chosen))[:count]]


def base_and_parities(d, k, count, rng):
    return parities([(i,) for i in range(d)] + some_sets(d, k, count, rng))


def mean_given_base(d, k, alpha, count):
    """alpha^2 r (1 - N/C): the bound of N functions beside the base parities, which it gives away."""
    return Fraction(str(alpha)) ** 2 * k * (1 - Fraction(count, comb(d, k)))


def test_sec8_has_5852925_targets():
    bound = any_kernel(problems.get("sec8"), n=500)
    assert bound.family_size == 5_852_925
    assert bound.exact_mean_risk == Fraction(135, 100) * (1 - Fraction(500, 5_852_925))
    assert bound.mean_risk == pytest.approx(1.35 * (1 - 500 / 5_852_925), rel=1e-15)
    assert bound.samples_for(0.02) == 5_766_215  # 5852925 * 1.33 / 1.35, rounded up
    assert bound.paper_applies
    assert not any_kernel(problems.get("sec8"), n=5853).paper_applies


def test_a_matrix_valued_kernel_has_n_times_the_outputs():
    problem = problems.get("sec8")
    scalar, matrix = any_kernel(problem, 500), any_kernel(problem, 500, kernel="matrix")
    assert (scalar.kernel, matrix.kernel) == ("scalar", "matrix")
    assert matrix.exact_mean_risk == any_kernel(problem, 15 * 500).exact_mean_risk
    needed = Fraction(5_852_925) * (1 - Fraction(2, 100) / Fraction(135, 100))
    assert scalar.samples_for(0.02) == -(-needed // 1) == 5_766_215
    assert matrix.samples_for(0.02) == -(-needed // 15) == 384_415
    assert matrix.samples_for(0) == -(-5_852_925 // 15)
    assert any("matrix-valued kernel" in h.statement for h in matrix.hypotheses)
    assert any("kernel is scalar" in h.statement for h in scalar.hypotheses)
    assert any_kernel_by_numbers(d=30, degree=8, outputs=15, alpha=0.3, n=500, kernel="matrix").mean_risk == (
        matrix.mean_risk
    )
    with pytest.raises(InputError, match="kernel must be 'scalar' or 'matrix'"):
        any_kernel(problem, 500, kernel="vector")


def matrix_valued_mean(problem, features, n, seed):
    """By brute force: the mean, over all renamings, of the best risk of x -> sum_n Phi(x) Phi(x_n)' c_n.

    ``features`` gives an array (points, outputs, D): the matrix-valued kernel Phi(x) Phi(z)'.
    """
    d, r = problem.d, problem.outputs
    every = np.array(np.meshgrid(*[[-1.0, 1.0]] * d)).reshape(d, -1).T
    X = np.sign(problem.sample(n, seed)[0])
    spanned = np.einsum("pid,njd->pinj", features(every), features(X)).reshape(len(every) * r, n * r)
    left, singular, _ = np.linalg.svd(spanned, full_matrices=False)
    directions = left[:, singular > 1e-9 * singular[0]]
    risks = []
    for chosen in combinations(range(d), r):  # output i of hard: beta x_i + alpha times the product of all k
        base, composite = every[:, chosen], every[:, chosen].prod(axis=1, keepdims=True)
        target = (problem.beta * base + problem.alpha * composite).reshape(-1) / len(every) ** 0.5
        risks.append(target @ target - ((directions.T @ target) ** 2).sum())
    return float(np.mean(risks)), directions.shape[1]


def test_a_matrix_valued_kernel_gets_under_the_scalar_bound_and_meets_its_own(rng):
    """Phi(x)_{iS} = (1 + eps g_iS) chi_S(x): N r functions, each close to one parity vector (chi_S, ... chi_S)."""
    problem = problems.hard(d=7, k=3, alpha=0.5, beta=0.0)
    sets = list(combinations(range(7), 3))
    mix = 1 + 1e-4 * rng.standard_normal((3, len(sets)))
    n = 4
    found, dimension = matrix_valued_mean(problem, lambda X: mix * parities(sets)(X)[:, None, :], n, seed=1)
    assert dimension == 3 * n
    assert found < any_kernel(problem, n).mean_risk - 0.1
    assert found >= any_kernel(problem, n, kernel="matrix").mean_risk - 1e-9
    assert found == pytest.approx(any_kernel(problem, n, kernel="matrix").mean_risk, abs=1e-3)


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_no_matrix_valued_kernel_gets_under_its_bound(beta, rng):
    problem = problems.hard(d=7, k=3, alpha=0.5, beta=beta)
    every = [s for k in (1, 2, 3) for s in combinations(range(7), k)]
    for n in (2, 5, 9):
        for kind in ("mixed", "separable", "sparse"):
            mix = {
                "mixed": rng.standard_normal((3, len(every))),
                "separable": np.outer(rng.standard_normal(3), rng.standard_normal(len(every))),
                "sparse": rng.standard_normal((3, len(every))) * (rng.random((3, len(every))) < 0.2),
            }[kind]
            found, _ = matrix_valued_mean(problem, lambda X, mix=mix: mix * parities(every)(X)[:, None, :], n, seed=n)
            assert found >= any_kernel(problem, n, kernel="matrix").mean_risk - 1e-9


@pytest.mark.parametrize("spec", ["sec8", "slides", "hard(d=12, k=3, alpha=0.3)", "hard(d=20, k=4, alpha=0.7, d1=9)"])
def test_samples_for_inverts_the_mean(spec):
    problem = problems.get(spec)
    size = any_kernel(problem, n=0).family_size
    for n in (0, 1, 2, size // 3, size - 1, size):
        bound = any_kernel(problem, n=n)
        risk = bound.mean_risk  # a float: it may be the next one below or above the rational number
        found = bound.samples_for(risk)
        written = Fraction(repr(risk))
        assert any_kernel(problem, n=found).exact_mean_risk <= written
        assert found == 0 or any_kernel(problem, n=found - 1).exact_mean_risk > written
    assert any_kernel(problem, n=0).samples_for(0) == size


def test_samples_for_is_exact_at_decimal_risks():
    bound = any_kernel_by_numbers(d=5, degree=2, outputs=2, alpha=0.3, n=1)  # 0.18 (1 - n/10)
    assert [bound.samples_for(risk) for risk in (0.18, 0.162, 0.16199999, 0.09, 0.018, 0.0)] == [0, 1, 2, 5, 9, 10]
    assert bound.exact_mean_risk == Fraction(162, 1000)


def test_outputs_of_different_degrees_each_have_their_own_count():
    slides = problems.get("slides")
    assert isinstance(slides, problems.ParityProblem)
    mixed = replace(slides, composite_sets=((0, 1, 2, 3),) * 4 + ((4, 5, 6),) * 4, arguments={}, name="mixed")
    bound = any_kernel(mixed, n=1000)
    c8, c6 = comb(30, 8), comb(30, 6)
    assert bound.family_size == c6
    assert bound.exact_mean_risk == Fraction(9, 100) * (4 * (1 - Fraction(1000, c8)) + 4 * (1 - Fraction(1000, c6)))
    assert any_kernel(mixed, n=c6 + 1).exact_mean_risk == Fraction(9, 100) * 4 * (1 - Fraction(c6 + 1, c8))
    assert bound.samples_for(0) == c8
    for risk in (0.7, 0.5, 0.36, 0.3, 0.1, 0.001):  # where one output is captured whole, the others are not
        needed = bound.samples_for(risk)
        assert any_kernel(mixed, needed).exact_mean_risk <= Fraction(str(risk))
        assert any_kernel(mixed, needed - 1).exact_mean_risk > Fraction(str(risk))


@pytest.mark.parametrize("count", [1, 7, 60, 164, 165])
def test_base_and_n_parities_meet_the_bound(count, rng):
    d, k, alpha = 11, 3, 0.3
    problem = problems.hard(d=d, k=k, alpha=alpha)
    found = feature_risks(problem, base_and_parities(d, k, count, rng))
    assert found.all
    assert len(found.risks) == comb(d, k)
    assert found.mean == pytest.approx(float(mean_given_base(d, k, alpha, count)), abs=1e-10)
    # one function less in the bound would be refuted by this span
    assert found.mean < float(mean_given_base(d, k, alpha, count - 1)) - 1e-4
    assert found.mean >= any_kernel(problem, n=count + d).mean_risk - 1e-10


@pytest.mark.parametrize("count", [1, 50, 209])
def test_n_parities_meet_the_bound_without_a_base(count, rng):
    d, k, alpha = 10, 4, 0.5
    problem = problems.hard(d=d, k=k, alpha=alpha, beta=0.0)
    found = feature_risks(problem, parities(some_sets(d, k, count, rng)))
    assert found.mean == pytest.approx(any_kernel(problem, n=count).mean_risk, abs=1e-10)
    assert found.mean < any_kernel(problem, n=count - 1).mean_risk - 1e-4


def random_subspace(problem, count, rng):
    W = rng.standard_normal((2**problem.d, count))
    return lambda X: W[(signs(X) < 0) @ (1 << np.arange(problem.d))]


def learned_features(problem, count, rng):
    X, Y = problem.sample(300, seed=1)
    params = kg.ResNetRegressor(width=count, epochs=10, random_state=0).fit(X, Y).model_.weights
    return lambda Z: np.asarray(networks.get("3resnet").features(params, jnp.asarray(Z)), dtype=float)


def greedy_parities(problem, count, rng):
    """The parities that samples of some targets of the family correlate with most."""
    every = [s for k in (1, 2, 3) for s in combinations(range(problem.d), k)]
    X, Y = problem.sample(200, seed=2)
    strength = np.abs(parities(every)(X).T @ Y).max(axis=1)
    return parities([every[i] for i in np.argsort(-strength)[:count]])


def principal_components(problem, count, rng):
    X, _ = problem.sample(150, seed=3)
    kernel = kg.kernels.get("ntk3(bias=True)")
    _, vectors = np.linalg.eigh(kernel(X))
    return lambda Z: kernel(Z, X) @ vectors[:, -count:]


def mixed_parities(problem, count, rng):
    """Combinations of all degree-k parities and all base parities: no more of them is captured than of N alone."""
    every = [s for k in (1, 3) for s in combinations(range(problem.d), k)]
    W = np.linalg.qr(rng.standard_normal((len(every), count)))[0]
    return lambda X: parities(every)(X) @ W


NASTY = [random_subspace, greedy_parities, principal_components, mixed_parities]


@pytest.mark.parametrize(("make", "count"), [(m, c) for m in NASTY for c in (4, 60)] + [(learned_features, 30)])
def test_no_features_get_under_the_mean(make, count, rng):
    problem = problems.hard(d=10, k=3, alpha=0.6)
    found = feature_risks(problem, make(problem, count, rng))
    assert found.all
    assert found.n == count
    assert found.interval[1] >= any_kernel(problem, n=count).mean_risk - 1e-10


@pytest.mark.parametrize("kernel", ["gaussian", "ck3(bias=True)", "ntk3", "polynomial", "arcsin", "recursive"])
@pytest.mark.parametrize(("k", "n"), [(3, 1), (3, 40), (4, 150)])
def test_no_kernel_gets_under_the_mean(kernel, k, n):
    problem = problems.hard(d=11, k=k, alpha=0.6)
    X, _ = problem.sample(n, seed=5)
    found = oracle_risks(problem, kernel, X)
    assert found.all
    assert found.interval[1] >= any_kernel(problem, n=n).mean_risk - 1e-10


def test_the_share_of_targets_above_is_as_promised(rng):
    d, k, alpha = 10, 3, 0.3
    problem = problems.hard(d=d, k=k, alpha=alpha, beta=0.0)
    for count, features in [
        (30, parities(some_sets(d, k, 30, rng))),  # the steepest: 30 targets captured whole, the others not at all
        (30, random_subspace(problem, 30, rng)),
        (110, random_subspace(problem, 110, rng)),
    ]:
        found = feature_risks(problem, features)
        bound = any_kernel(problem, n=count)
        for share in (0.0, 0.3, 0.5, 0.75, 0.9, 0.99):
            risk = bound.risk_for_share(share)
            assert np.mean(found.high > risk) >= share or risk == 0
            assert bound.share_above(risk) <= np.mean(found.high >= risk) + 1e-12
    steepest = any_kernel(problem, n=30)
    assert steepest.share_above(0.0) == float(1 - Fraction(30, 120))  # met by 30 of the 120 parities
    assert steepest.risk_for_share(0.75) == 0.0
    assert steepest.risk_for_share(0.7) == pytest.approx(0.27 * (1 - 0.25 / 0.3))


def test_share_and_risk_are_inverse():
    bound = any_kernel(problems.get("sec8"), n=500)
    for share in (0.5, 0.9, 0.99, 0.999):
        assert bound.share_above(bound.risk_for_share(share)) == pytest.approx(share, rel=1e-12)
    assert bound.risk_for_share(1) == 0.0
    assert bound.share_above(1.35) == 0.0
    assert bound.risk_for_share(0.99) == pytest.approx(1.35 * (1 - 100 * 500 / 5_852_925), rel=1e-14)


def same_degree() -> ParityProblem:
    return ParityProblem(
        name="own",
        d=8,
        base_sets=((0, 1), (1, 2), (3,)),
        composite_sets=((0, 1), (0, 2), (0, 2)),  # x1 x3 first: a pair, as two of the base signals are
        composite_signs=(1, 1, 1),
        alpha=0.3,
        beta=1.0,
        noise=0.0,
        scale=1.0,
        d1=8,
    )


def test_refusals_name_the_hypothesis():
    with pytest.raises(InputError, match="not known that its inputs are uniform on a cube"):
        any_kernel(SimpleNamespace(name="table"), n=5)
    with pytest.raises(InputError, match="output 0 has degree 2 as a base signal has, so it is not orthogonal"):
        any_kernel(same_degree(), n=5)
    assert any_kernel(replace(same_degree(), beta=0.0), n=5).family_size == comb(8, 2)  # nothing to be orthogonal to


@pytest.mark.parametrize("n", [-1, 1.5, True, "5", None])
def test_bad_counts_are_refused(n):
    with pytest.raises(InputError, match="whole number"):
        any_kernel(problems.get("sec8"), n=n)


def test_bad_shares_and_risks_are_refused():
    bound = any_kernel(problems.get("sec8"), n=np.int64(5))
    for share in (-0.1, 1.1, float("nan"), "0.5", True):
        with pytest.raises(InputError, match="share must be"):
            bound.risk_for_share(share)
    for risk in (-0.1, float("nan"), float("inf"), "0.5", True):
        with pytest.raises(InputError, match="risk must be"):
            bound.samples_for(risk)
        with pytest.raises(InputError, match="risk must be"):
            bound.share_above(risk)
    with pytest.raises(InputError, match="degree must not exceed d"):
        any_kernel_by_numbers(d=3, degree=4, outputs=1, alpha=0.3, n=1)


def test_families_beyond_what_can_be_shown_are_refused_at_once():
    began = time.perf_counter()
    for numbers in (
        {"d": 100_000, "degree": 50_000},
        {"d": 10**12, "degree": 10**11},
        {"d": 10**15, "degree": 2},
        {"outputs": 10**9},
        {"alpha": 1e160},
        {"alpha": 1e-170},
    ):
        with pytest.raises(InputError):
            any_kernel_by_numbers(**{"d": 30, "degree": 3, "outputs": 2, "alpha": 0.3, **numbers}, n=5)
    with pytest.raises(InputError, match="digits"):
        any_kernel(problems.get("sec8"), 10**4001)
    large = any_kernel_by_numbers(d=100_000, degree=500, outputs=100, alpha=0.3, n=5)
    assert large.samples_for(9.0 / 2) == -(-comb(100_000, 500) // 2)
    assert time.perf_counter() - began < 5


def test_pairs_of_sec8_are_the_base():
    """The hypotheses that the bound says it has checked are those of the problem."""
    assert problems.get("sec8").base_sets == pairs(15)
    checked = [h.statement for h in any_kernel(problems.get("sec8"), n=1).hypotheses if h.checked]
    assert any("parity of degree 8" in statement and "one of degree 2" in statement for statement in checked)


def test_kernels_picked_by_labels_and_start_functions_are_more_functions():
    problem = problems.get("sec8")
    several = any_kernel(problem, 500, picked_among=7, intercept=True)
    assert several.functions == 3501
    assert several.exact_mean_risk == any_kernel(problem, 3501).exact_mean_risk
    assert any_kernel(problem, 500, "matrix", picked_among=2, intercept=True).functions == 15001
    assert any_kernel(problem, 0, intercept=True).functions == 1
    assert not any("labels may pick" in h.statement for h in any_kernel(problem, 5).hypotheses)
    assert any("All 7 kernels are scalar" in h.statement for h in several.hypotheses)
    assert any("added to the regression is fixed" in h.statement for h in several.hypotheses)
    numbers = {"d": 30, "degree": 8, "outputs": 15, "alpha": 0.3, "n": 500}
    assert any_kernel_by_numbers(**numbers, picked_among=7, intercept=True).exact_mean_risk == several.exact_mean_risk
    for wrong in ({"picked_among": 0}, {"picked_among": 1.0}, {"picked_among": True}, {"intercept": 1}):
        with pytest.raises(InputError, match=r"(picked_among|intercept) must be"):
            any_kernel(problem, 5, **wrong)


@pytest.mark.parametrize("kernel", ["scalar", "matrix"])
@pytest.mark.parametrize("picked_among", [1, 2, 5])
@pytest.mark.parametrize("intercept", [False, True])
def test_samples_for_is_the_first_number_that_the_bound_allows(kernel, picked_among, intercept, rng):
    for problem in (problems.hard(d=9, k=3, alpha=0.5), problems.get("slides")):

        def mean(n, problem=problem):
            return any_kernel(problem, n, kernel, picked_among, intercept).exact_mean_risk

        bound = any_kernel(problem, 1, kernel, picked_among, intercept)
        for risk in [*(problem.threshold * rng.random(20)), 0.0, float(mean(1)), float(mean(7))]:
            needed = bound.samples_for(risk)
            assert mean(needed) <= Fraction(repr(float(risk)))
            assert needed == 0 or mean(needed - 1) > Fraction(repr(float(risk)))
        assert 1000 * any_kernel(problem, bound.paper_samples, kernel, picked_among, intercept).functions <= (
            max(1000 * intercept, bound.family_size)
        )
        assert 1000 * any_kernel(problem, bound.paper_samples + 1, kernel, picked_among, intercept).functions > (
            bound.family_size
        )


def test_a_kernel_picked_by_the_labels_gets_under_the_bound_of_one(rng):
    """M kernels, each of n parities: for every target the best one is taken."""
    d, k, n, M = 8, 3, 6, 5
    problem = problems.hard(d=d, k=k, alpha=0.5, beta=0.0)
    sets = some_sets(d, k, M * n, rng)
    risks = [feature_risks(problem, parities(sets[i * n : (i + 1) * n])).risks for i in range(M)]
    found = float(np.min(risks, axis=0).mean())
    assert found < any_kernel(problem, n).mean_risk - 0.1
    assert found == pytest.approx(any_kernel(problem, n, picked_among=M).mean_risk, abs=1e-10)


def test_a_start_function_is_worth_one_parity_and_a_constant_nothing(rng):
    d, k, n = 8, 3, 6
    problem = problems.hard(d=d, k=k, alpha=0.5, beta=0.0)
    sets = some_sets(d, k, n + 1, rng)
    started = feature_risks(problem, parities(sets)).mean  # the last parity is the start function
    assert started == pytest.approx(any_kernel(problem, n, intercept=True).mean_risk, abs=1e-10)
    assert started < any_kernel(problem, n).mean_risk - 1e-3
    constant = feature_risks(problem, parities([*sets[:n], ()])).mean
    assert constant == pytest.approx(any_kernel(problem, n).mean_risk, abs=1e-10)


def test_a_positive_definite_matrix_valued_kernel_lies_between_the_two_bounds(rng):
    """d = 9, k = 3, N = 20: sum_S v_S chi_S (x) times its transpose, v_S near (1, 1, 1), and a bit of each point."""
    problem = problems.hard(d=9, k=3, alpha=1.0, beta=0.0)
    sets = list(combinations(range(9), 3))
    mix = 1 + 0.3 * rng.standard_normal((3, len(sets)))
    small = 1e-4

    def features(X):
        points = (signs(X) > 0) @ (1 << np.arange(9))
        of_points = small * np.eye(512)[points]  # makes the kernel positive definite
        each = [np.kron(np.eye(3)[j], of_points).reshape(len(X), 1536) for j in range(3)]
        return np.concatenate([mix * parities(sets)(X)[:, None, :], np.stack(each, axis=1)], axis=2)

    found, dimension = matrix_valued_mean(problem, features, 20, seed=1)
    assert dimension == 60
    assert any_kernel(problem, 32).mean_risk == pytest.approx(1.857, abs=1e-3)
    assert any_kernel(problem, 20, kernel="matrix").mean_risk <= found
    assert found < any_kernel(problem, 20).mean_risk - 0.5
