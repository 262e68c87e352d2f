"""The oracle risk: three ways to it against brute force, and what is said where rounding stands in the way."""

from functools import cache

import numpy as np
import pytest

from kernelgap import kernels, problems
from kernelgap.certificates import feature_risk, oracle_risk, oracle_risks, retention
from kernelgap.certificates.floors.oracle import prepare_on_cube
from kernelgap.certificates.floors.points import estimate, estimate_many
from kernelgap.certificates.floors.rigorous import enclose
from kernelgap.certificates.floors.spectral import bracket
from kernelgap.certificates.floors.targets import random_targets
from kernelgap.certificates.floors.theorems import FAMILIES
from kernelgap.errors import InputError

# the pivot of brute force: a direction below it is a combination of the others
RCOND = 1e-12


def every_input(problem, d=None):
    d = problem.d if d is None else d
    signs = 1.0 - 2.0 * ((np.arange(2**d)[:, None] >> np.arange(d)) & 1)
    return problem.scale * np.hstack([signs, np.zeros((2**d, problem.d - d))])


def least_squares(problem, functions, points):
    values, target = functions(points), problem.target(points)
    weights, *_ = np.linalg.lstsq(values, target, rcond=RCOND)
    return float(((target - values @ weights) ** 2).sum(axis=1).mean())


def brute_force(problem, kernel, X, points):
    kernel = kernels.get(kernel).fit(X)
    return least_squares(problem, lambda P: kernel(P, np.unique(X, axis=0)), points)


def unknown(kernel, X):
    """The same kernel, as one that nothing is known of."""
    kernel = kernels.get(kernel).fit(X)
    return kernels.from_function(lambda A, B: kernel(A, B))


def contains(interval, value, slack=0.0):
    return interval[0] - slack <= value <= interval[1] + slack


def rank(problem, kernel, X, points):
    kernel = kernels.get(kernel).fit(X)
    return np.linalg.matrix_rank(kernel(points, np.unique(X, axis=0)), tol=1e-9)


@pytest.mark.parametrize(
    ("spec", "n", "seed"),
    [
        ("hard(d=5, k=2, alpha=0.3)", 1, 0),
        ("hard(d=8, k=3, alpha=0.5)", 12, 1),
        ("hard(d=10, k=4, alpha=0.3)", 90, 2),
        ("hard(d=9, k=3, alpha=0.3, d1=6, background='uniform')", 30, 3),
        ("hard(d=14, k=3, alpha=0.3, d1=9, background='zero')", 40, 4),
        ("staircase(d=8, degrees=[1, 2, 4])", 30, 5),
        ("merged(d=7, degrees=[1, 2], count=3, variance=2.0)", 12, 6),
        ("hierarchy(d=8, alpha=0.4, depth=3, block=1)", 40, 7),
    ],
)
@pytest.mark.parametrize("kernel", FAMILIES)
def test_all_ways_agree_with_brute_force(kernel, spec, n, seed):
    problem = problems.get(spec)
    points = every_input(problem, 9 if "zero" in spec else None)
    X, _ = problem.sample(n, seed=seed)
    expected = brute_force(problem, kernel, X, points)
    found = oracle_risk(problem, kernel, X)
    assert found.exact
    assert found.n == n
    assert found.risk == pytest.approx(expected, abs=1e-9)
    assert contains(found.interval, expected, 1e-12)
    if rank(problem, kernel, X, points) < len(np.unique(X, axis=0)):
        with pytest.raises(InputError, match=r"do not prove that the|span at most"):
            oracle_risk(problem, kernel, X, rigorous=True)
        assert oracle_risk(problem, unknown(kernel, X), X).interval == pytest.approx((0, expected), abs=1e-9)
        return
    proof = oracle_risk(problem, kernel, X, rigorous=True)
    assert proof.method == "proof"
    assert proof.risk == pytest.approx(expected, abs=1e-9)
    assert proof.interval[1] - proof.interval[0] <= 1e-13
    assert contains(found.interval, proof.risk)
    other = oracle_risk(problem, unknown(kernel, X), X)
    assert other.exact
    assert other.risk == pytest.approx(expected, abs=1e-9)
    assert contains(other.interval, proof.risk)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [3, 40, 200])
def test_seeds_and_sizes(n, seed):
    problem = problems.hard(d=12, k=3, alpha=0.3, seed=seed)
    X, _ = problem.sample(n, seed=seed)
    points = every_input(problem)
    for kernel in ("ntk3", "laplace", "arcsin(bias=True)"):
        expected = brute_force(problem, kernel, X, points)
        for rigorous in (False, True):
            assert oracle_risk(problem, kernel, X, rigorous).risk == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kernel", FAMILIES)
def test_repeated_and_opposite_inputs(kernel):
    problem = problems.hard(d=8, k=3, alpha=0.5)
    X, _ = problem.sample(10, seed=0)
    X = np.concatenate([X, X[:4], -X[:7], -X[:2]])
    found = oracle_risk(problem, kernel, X)
    expected = brute_force(problem, kernel, X, every_input(problem))
    assert found.risk == pytest.approx(expected, abs=1e-9)
    assert found.n == len(X)
    twice = oracle_risk(problem, kernels.get(kernel).fit(X), np.concatenate([X, X]))
    assert twice.risk == pytest.approx(found.risk, abs=1e-12)


@pytest.mark.parametrize(
    "kernel", ["linear", "polynomial(degree=2)", "polynomial", "polynomial(degree=3, offset=0.0)", "arcsin"]
)
def test_more_inputs_than_the_kernel_has_rank(kernel):
    problem = problems.hard(d=7, k=3, alpha=0.5)
    X = every_input(problem)[np.random.default_rng(0).permutation(2**7)[:110]]
    found = oracle_risk(problem, kernel, X)
    assert found.risk == pytest.approx(brute_force(problem, kernel, X, every_input(problem)), abs=1e-9)
    assert found.note == ""


def test_dependent_inputs_of_a_kernel_with_few_degrees():
    """x1 = x2 in all of them: 49 inputs, but <., x_n> spans only 6 dimensions of 7, and degree 1 is given away."""
    problem = problems.hard(d=7, k=3, alpha=0.5)
    X = every_input(problem)
    X = X[X[:, 0] == X[:, 1]][:49]
    found = oracle_risk(problem, "linear", X)
    truth = brute_force(problem, "linear", X, every_input(problem))
    assert contains(found.interval, truth)
    assert found.risk == pytest.approx(problem.threshold)
    assert "up to degree 1 was given away" in found.note


INNER = [name for name in FAMILIES if name not in ("linear", "polynomial")]


@pytest.mark.parametrize("n", [10, 100, 300])
@pytest.mark.parametrize("kernel", FAMILIES)
def test_the_interval_contains_the_ball_on_sec8(kernel, n):
    problem = problems.get("sec8")
    X, _ = problem.sample(n, seed=0)
    if kernel == "linear" and n > 30:
        assert oracle_risk(problem, kernel, X).risk == pytest.approx(16.35, abs=1e-12)
        return
    found, proof = oracle_risk(problem, kernel, X), oracle_risk(problem, kernel, X, rigorous=True)
    assert found.interval[0] <= proof.interval[0]
    assert found.interval[1] >= proof.interval[1]
    assert found.note == ""


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["ntk2", "ck3"])
def test_the_interval_contains_the_ball_with_a_thousand_inputs(kernel):
    problem = problems.get("sec8")
    X, _ = problem.sample(1000, seed=0)
    found, proof = oracle_risk(problem, kernel, X), oracle_risk(problem, kernel, X, rigorous=True)
    assert found.interval[0] <= proof.interval[0]
    assert found.interval[1] >= proof.interval[1]


@pytest.mark.parametrize(("kernel", "known"), [("ck2", 1.3704125550), ("ntk2", 1.4118383346), ("arcsin", 16.35)])
def test_known_values_of_sec8(kernel, known):
    problem = problems.get("sec8")
    X, _ = problem.sample(500, seed=0)
    found, proof = oracle_risk(problem, kernel, X), oracle_risk(problem, kernel, X, rigorous=True)
    assert found.risk == pytest.approx(known, abs=1e-10)
    assert proof.risk == pytest.approx(known, abs=1e-10)
    assert contains(found.interval, proof.risk)
    if kernel == "arcsin":  # odd, and the target is even
        assert contains(proof.interval, 16.35)


def test_a_ball_with_other_bits_overlaps():
    problem = problems.get("sec8")
    X, _ = problem.sample(40, seed=1)
    on_cube = prepare_on_cube(problem, "ntk3", X)
    balls = [enclose(problem, on_cube.kernel, on_cube.cube, on_cube.signs, bits) for bits in (0, 128, 300, 1000)]
    assert all(ball.overlaps(balls[0]) for ball in balls)


# as written: float64's 0.1 and 0.2 add up to more than 0.3
def test_signals_that_meet_are_added_as_written():
    from kernelgap.certificates.floors.rigorous import target_coefficients
    from kernelgap.problems import ParityProblem

    same = ParityProblem("own", 4, ((0,), (1,)), ((0,), (0, 1)), (1, 1), 0.1, 0.2, 0.0, 1.0, 4)
    assert target_coefficients(same)[(0,)][0] * 10 == 3
    X, _ = same.sample(3, seed=0)
    expected = brute_force(same, "ck2", X, every_input(same))
    for rigorous in (False, True):
        assert oracle_risk(same, "ck2", X, rigorous).risk == pytest.approx(expected, abs=1e-12)


ILL = [
    *(f"gaussian(bandwidth={h})" for h in ("1.0", "3.0", "10.0", "100.0", "1e4", "1e10", "1e40")),
    "laplace(bandwidth=1e6)",
    "polynomial(degree=6, offset=70.0)",
    "recursive(depth=3)",
    "ntk2(bias=True)",
]


def degenerate(problem, n, seed):
    """Inputs whose first three coordinates agree: their low parities are dependent."""
    X, _ = problem.sample(n, seed=seed)
    X[:, 1] = X[:, 0]
    X[:, 2] = X[:, 0]
    return X


@pytest.mark.parametrize("make", [degenerate, lambda problem, n, seed: problem.sample(n, seed=seed)[0]])
@pytest.mark.parametrize(("d", "n"), [(4, 14), (6, 60), (7, 70), (9, 100)])
@pytest.mark.parametrize("kernel", ILL)
def test_the_floor_holds_where_rounding_rules(kernel, d, n, make):
    problem = problems.hard(d=d, k=3, alpha=0.3)
    X = make(problem, n, seed=d)
    try:
        proof = oracle_risk(problem, kernel, X, rigorous=True)
    except InputError:
        return
    for found in (oracle_risk(problem, kernel, X), oracle_risk(problem, unknown(kernel, X), X)):
        assert found.interval[0] <= proof.interval[1]
        assert found.interval[1] >= proof.interval[0]
        assert found.risk <= proof.interval[1] + (found.interval[1] - found.interval[0])
        if found.note:
            assert found.risk == found.interval[0]


def test_all_inputs_leave_nothing_however_small_the_eigenvalues():
    """With every point as an input the risk is 0, though all eigenvalues from degree 2 on are below 1e-40."""
    problem = problems.hard(d=6, k=3, alpha=0.3)
    found = oracle_risk(problem, "gaussian(bandwidth=1e12)", every_input(problem))
    assert found.interval[0] == 0.0
    assert found.risk == 0.0
    assert "given away" in found.note


@pytest.mark.parametrize("n", [30, 200])
@pytest.mark.parametrize("kernel", ["ck3(bias=True)", "ntk2", "gaussian(bandwidth=0.7)"])
def test_drawn_targets_are_among_all_of_them(kernel, n):
    problem = problems.hard(d=10, k=3, alpha=0.3)
    X, _ = problem.sample(n, seed=0)
    whole = oracle_risks(problem, kernel, X)
    assert whole.all
    drawn = oracle_risks(problem, kernel, X, targets=40, seed=1)
    assert not drawn.all
    assert np.abs(drawn.risks[:, None] - whole.risks).min(axis=1).max() <= 1e-9
    own = oracle_risk(problem, kernel, X).risk
    assert np.abs(own - whole.risks).min() <= 1e-10
    low, high = drawn.interval
    assert low <= whole.mean <= high
    assert oracle_risks(problem, kernel, X, targets=1).interval == (-np.inf, np.inf)


def test_drawn_targets_of_sec8_have_signs_and_pairs_of_their_own():
    problem = problems.get("sec8")
    X, _ = problem.sample(60, seed=0)
    found = oracle_risks(problem, "ntk3", X, targets=3, seed=0)
    spectrum, signs = cube_spectrum_of(problem, "ntk3", X)
    assert found.risks == pytest.approx(bracket(spectrum, signs, random_targets(problem, 3, seed=0)).risk)
    assert len(set(found.risks)) == 3


def cube_spectrum_of(problem, kernel, X):
    on_cube = prepare_on_cube(problem, kernel, X)
    return on_cube.spectrum(), on_cube.signs


@pytest.mark.parametrize("kernel", [*INNER, "linear", "polynomial"])
@pytest.mark.parametrize("n", [5, 150])
def test_what_is_captured_adds_up_to_the_rank(kernel, n):
    problem = problems.hard(d=8, k=3, alpha=0.3)
    X, _ = problem.sample(n, seed=0)
    found = retention(problem, kernel, X)
    independent = rank(problem, kernel, X, every_input(problem))
    assert found.n - found.lost == independent
    assert (found.table.parities * found.table.captured).sum() == pytest.approx(independent, rel=1e-8)


def test_proofs_are_refused_off_the_cube_and_without_a_formula():
    problem = problems.hard(d=6, k=3, alpha=0.3)
    X, _ = problem.sample(10, seed=0)
    for kernel, rows in [
        ("ck2", X * 1.01),
        (unknown("ck2", X), X),
        ("random_features(count=20, seed=3)", X),
    ]:
        with pytest.raises(InputError, match="No proof for"):
            oracle_risk(problem, kernel, rows, rigorous=True)
    off = oracle_risk(problem, "ck2", X * 1.01)  # visited point by point
    assert off.exact
    assert off.risk == pytest.approx(brute_force(problem, "ck2", X * 1.01, every_input(problem)), abs=1e-9)
    for background in ("gaussian", "repeated"):
        other = problems.hard(d=8, k=3, alpha=0.3, d1=5, background=background)
        with pytest.raises(InputError, match="No proof for"):
            oracle_risk(other, "ck2", other.sample(5, seed=0)[0], rigorous=True)


def test_singular_spans_are_refused_a_proof():
    problem = problems.hard(d=6, k=3, alpha=0.3)
    X, _ = problem.sample(5, seed=0)
    with pytest.raises(InputError, match=r"do not prove that the \d+ functions arcsin"):
        oracle_risk(problem, "arcsin", np.concatenate([X, -X]), rigorous=True)


def test_a_proof_that_takes_too_long_is_refused_before_it_begins():
    problem = problems.hard(d=6, k=3, alpha=0.3)
    X = np.concatenate([problem.sample(5, seed=0)[0], -problem.sample(5, seed=0)[0]])
    told = []
    with pytest.raises(InputError, match="with 8 samples would solve equations in balls of 768 bits for under a min"):
        oracle_risk(problem, "arcsin", X, True, most_work=4e5, on_progress=lambda _, activity: told.append(activity))
    assert "solving with 8 x 8 balls of 384 bits" in told
    assert "solving with 8 x 8 balls of 768 bits" not in told


def test_a_proof_that_does_not_fit_into_memory_is_refused(monkeypatch):
    X = sec8_sample(100, 0)
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 2**20)
    with pytest.raises(InputError, match=r"A proof with 100 samples needs .* GiB are free. Take fewer."):
        oracle_risk(problems.get("sec8"), "ck2", X, rigorous=True)


def test_more_functions_than_dimensions_are_refused_at_once():
    told = []
    with pytest.raises(InputError, match=r"The 60 functions linear\(., x_n\) span at most 30 dimensions"):
        oracle_risk(problems.get("sec8"), "linear", sec8_sample(60, 0), True, on_progress=lambda _, a: told.append(a))
    assert not any("384 bits" in activity for activity in told)


def test_an_estimate_tells_how_far_it_is():
    problem = problems.get("sec8")
    X, shares = sec8_sample(20, 0), []
    oracle_risk(problem, unknown("ck2", X), X, on_progress=lambda share, _: shares.append(share))
    assert len(shares) > 100
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_visit_of_every_point_tells_how_far_it_is(monkeypatch):
    """From the first hundreds of points on, as deep kernels take seconds for them; in both passes over the cube."""
    monkeypatch.setattr("kernelgap.certificates.floors.points.available_memory", lambda: 4 * 8 * 2**14 * 3)
    problem = problems.get("hard(d=14, k=3, alpha=0.3)")
    X, told, visited = problem.sample(7, seed=0)[0], [], [0]

    def functions(P):
        visited[0] += len(P)
        return kernels.get("ck2")(P, X)

    feature_risk(problem, functions, on_progress=lambda share, _: told.append((visited[0], share)))
    visits, shares = zip(*told, strict=True)
    assert visits[0] <= 300  # two of them to see the form of the answers
    assert max(np.diff(visits)) <= 2**11
    assert list(shares) == sorted(shares)
    assert shares[-1] == 1.0
    assert visits[-1] == 4 * 2**14 + 2  # three columns at a time are transformed


@cache
def sec8_sample(n, seed):
    return problems.get("sec8").sample(n, seed=seed)[0]


@pytest.mark.parametrize("seed", range(6))
def test_an_estimate_has_the_truth_in_its_interval(seed):
    problem = problems.get("sec8")
    X = sec8_sample(60, seed)
    kernel = ("ntk3", "ck2", "gaussian(bandwidth=5.0)")[seed % 3]
    truth = oracle_risk(problem, kernel, X).risk
    found = oracle_risk(problem, unknown(kernel, X), X, seed=seed)
    assert not found.exact
    assert "Estimated from" in found.note
    assert contains(found.interval, truth)
    assert found.interval[1] - found.interval[0] < 0.05 * truth


def test_an_estimate_gives_away_what_rounding_hides():
    problem = problems.get("sec8")
    found = oracle_risk(problem, unknown("linear", sec8_sample(60, 0)), sec8_sample(60, 0))
    assert found.interval[0] == 0.0
    assert found.interval[1] == pytest.approx(16.35, rel=0.02)
    assert "30 of 60 functions are combinations" in found.note


def test_estimates_of_many_targets_have_the_truth_in_their_interval():
    problem = problems.get("sec8")
    X = sec8_sample(700, 0)  # an odd kernel: nothing is captured, and all of it must be found again on 21,000 points
    targets = random_targets(problem, 5, seed=0)
    found = estimate_many(lambda P: kernels.get("arcsin")(P, X), problem, targets, len(X), seed=1)
    assert (found.low <= 16.35).all()
    assert (found.high >= 16.35).all()


@pytest.mark.parametrize("background", ["gaussian", "repeated"])
def test_other_backgrounds_are_estimated(background):
    problem = problems.hard(d=9, k=3, alpha=0.3, d1=6, background=background)
    X, _ = problem.sample(20, seed=0)
    found = oracle_risk(problem, "ck2", X)
    assert found.method == "estimate"
    assert not found.exact
    assert oracle_risks(problem, "ck2", X, targets=5).method == "estimate"


def test_features_agree_with_brute_force(rng):
    problem = problems.hard(d=9, k=3, alpha=0.5)
    W = rng.standard_normal((30, 9))
    expected = least_squares(problem, lambda X: np.tanh(X @ W.T), every_input(problem))
    found = feature_risk(problem, lambda X: np.tanh(X @ W.T))
    assert found.n == 30
    assert found.risk == pytest.approx(expected, abs=1e-9)
    assert contains(found.interval, expected, 1e-12)


def test_bad_inputs_are_refused():
    problem = problems.hard(d=6, k=3, alpha=0.3)
    X, _ = problem.sample(5, seed=0)
    with pytest.raises(InputError, match="X has 5 columns"):
        oracle_risk(problem, "ck2", X[:, :5])
    with pytest.raises(InputError, match="no rows"):
        oracle_risk(problem, "ck2", X[:0])
    with pytest.raises(InputError, match="must be a name or a kernel"):
        oracle_risk(problem, np.dot, X)
    with pytest.raises(InputError, match="targets must be 'all' or a number"):
        oracle_risks(problem, "ck2", X, targets="some")
    with pytest.raises(InputError, match="NaN or infinite"):
        feature_risk(problem, lambda X: np.full((len(X), 2), np.nan))
    with pytest.raises(InputError, match="one row for each input"):
        feature_risk(problem, lambda X: X[:, 0])


def test_an_estimate_uses_other_points_than_a_sample_of_the_same_seed():
    problem, seen = problems.get("hard(d=30, k=3, alpha=0.3)"), []

    def functions(P):
        seen.append(P[:5])
        return P[:, :2]

    estimate(functions, problem, 2, seed=0)
    first = problem.sample(5, seed=0)[0]
    assert len({rows.tobytes() for rows in seen}) == len(seen)  # of each block of points
    assert not any(np.array_equal(rows, first) for rows in seen)
