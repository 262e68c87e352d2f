"""The sharp optimum, base signals not for free: numerical eigenvalues over all renamings, and who attains it."""

from fractions import Fraction
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.certificates import any_kernel, any_kernel_by_numbers, feature_risks
from kernelgap.certificates.floors.family import family_of
from kernelgap.certificates.floors.johnson import eigenvalues, hahn
from kernelgap.problems import ParityProblem
from kernelgap.problems.fourier import symmetric_difference
from kernelgap.problems.parity import pairs


def small_sec8(d=6, outputs=3, product=(0, 1), signs=(-1, 1, -1), alpha=0.4, beta=0.7):
    """As sec8: base signals of pairs, whose composite signals share both coordinates with some of them, or none."""
    sets = (product,) * outputs
    return ParityProblem("own", d, pairs(outputs), sets, signs, alpha, beta, 0.0, scale=1.0, d1=d)


PROBLEMS = [
    small_sec8(),
    small_sec8(signs=(1, 1, 1)),
    small_sec8(d=7, outputs=2, signs=(1, -1)),
    problems.hard(d=6, k=3, alpha=0.5),
    problems.hard(d=6, k=2, alpha=0.9, beta=0.2),
    problems.hard(d=7, k=5, alpha=0.5, d1=6),
    problems.hard(d=6, k=4, alpha=0.3, beta=0.0),
    problems.parity(d=6, k=3),
]


def moments(problem):
    """Q in the basis of all parities, as a mean over every permutation of the coordinates."""
    d = problem.d1
    sets = [s for k in range(d + 1) for s in combinations(range(d), k)]
    place = {s: i for i, s in enumerate(sets)}
    composite = [symmetric_difference([problem.base_sets[j] for j in c]) for c in problem.composite_sets]
    everything = list(permutations(range(d)))
    Q = np.zeros((len(sets), len(sets)))
    for base, own, sign in zip(problem.base_sets, composite, problem.composite_signs, strict=True):
        rows = np.zeros((len(everything), len(sets)))
        for row, renamed in zip(rows, everything, strict=True):
            row[place[tuple(sorted(renamed[i] for i in base))]] += problem.beta
            row[place[tuple(sorted(renamed[i] for i in own))]] += problem.alpha * sign
        Q += rows.T @ rows / len(everything)
    return Q, sets


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: f"{problem.name}-{problem.d}-{problem.outputs}")
def test_eigenvalues_are_those_of_all_renamings(problem):
    Q, _ = moments(problem)
    numerical = np.sort(np.linalg.eigvalsh(Q))[::-1]
    family = family_of(problem)
    found = eigenvalues(family.d1, family.signals, family.alpha, family.beta)
    exact = np.array([float(value) for value, count in found for _ in range(count)])
    np.testing.assert_allclose(exact, numerical[: len(exact)], atol=1e-12)
    np.testing.assert_allclose(numerical[len(exact) :], 0, atol=1e-12)
    for n in (0, 1, 3, len(exact) // 2, len(exact) - 1, len(exact), 2 * len(exact)):
        least = numerical[n:].sum() if n < len(numerical) else 0.0
        bound = any_kernel(problem, n)
        assert bound.sharp_mean_risk == pytest.approx(least, abs=1e-11)
        assert bound.exact_sharp_mean_risk >= bound.exact_mean_risk - Fraction(1, 2**300)
    if problem.beta:
        assert any_kernel(problem, 1).sharp_mean_risk > any_kernel(problem, 1).mean_risk + 0.01


def test_the_optimum_is_attained_and_no_space_gets_under_it(rng):
    problem = problems.hard(d=7, k=3, alpha=0.6)
    Q, sets = moments(problem)
    _, vectors = np.linalg.eigh(Q)
    for n in (3, 7, 8, 20):
        sharp = any_kernel(problem, n).sharp_mean_risk

        def spanned(X, V):
            signs = np.sign(X)
            return np.stack([signs[:, list(s)].prod(axis=1) for s in sets], axis=1) @ V

        best = feature_risks(problem, lambda X, n=n: spanned(X, vectors[:, -n:]))
        assert best.all
        assert best.mean == pytest.approx(sharp, abs=1e-9)
        for _ in range(3):
            V = vectors[:, -n:] + 0.1 * rng.standard_normal((len(sets), n))
            assert feature_risks(problem, lambda X, V=V: spanned(X, V)).mean >= sharp - 1e-9
    assert any_kernel(problem, 7).sharp_mean_risk > any_kernel(problem, 7).mean_risk


def test_sec8_needs_435_samples_more():
    bound = any_kernel(problems.get("sec8"), 500)
    assert bound.samples_for(0.02) == 5_766_215
    assert bound.sharp_samples_for(0.02) == 5_766_215 + comb(30, 2)
    assert bound.sharp_mean_risk > bound.mean_risk
    assert bound.sharp_samples_for(1e9) == 0


@pytest.mark.parametrize("spec", ["sec8", "slides", "hard(d=12, k=3, alpha=0.3)", "parity(d=9, k=4)"])
def test_samples_for_inverts_the_risk(spec, rng):
    problem = problems.get(spec)
    for risk in rng.random(10) * 1.5 * problem.threshold:
        needed = any_kernel(problem, 0).sharp_samples_for(float(risk))
        assert any_kernel(problem, needed).exact_sharp_mean_risk <= Fraction(repr(float(risk)))
        assert needed == 0 or any_kernel(problem, needed - 1).exact_sharp_mean_risk > Fraction(repr(float(risk)))
        assert needed >= any_kernel(problem, 0).samples_for(float(risk))


def test_hahn_polynomials_are_those_of_the_sets():
    """The matrix that marks the pairs with i common coordinates, on the vector that the definition names."""
    d, b, k, j = 7, 2, 4, 1
    for i in range(b + 1):
        of_base, of_composite = (list(combinations(range(d), size)) for size in (b, k))
        R = np.array([[len(set(x) & set(y)) == i for y in of_composite] for x in of_base], dtype=int)

        def vector(sets):
            return np.array([(0 in s and 1 not in s) - (1 in s and 0 not in s) for s in sets])

        np.testing.assert_array_equal(R.T @ vector(of_base), hahn(d, b, k, i, j) * vector(of_composite))


def test_where_it_is_not_computed_there_is_none():
    problem = problems.get("sec8")
    matrix = any_kernel(problem, 5, kernel="matrix")
    numbers = any_kernel_by_numbers(d=30, degree=8, outputs=15, alpha=0.3, n=5)
    several = ParityProblem("own", 8, ((0, 1), (2,)), ((0, 1),) * 2, (1, 1), 0.5, 1.0, 0.0, scale=1.0, d1=8)
    for bound in (matrix, numbers, any_kernel(several, 5)):
        assert (bound.sharp_mean_risk, bound.sharp_samples_for(0.02)) == (None, None)
