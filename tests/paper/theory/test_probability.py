import itertools
import math

import numpy as np
import pytest
from scipy import stats

from kernelgap.paper.theory.probability import (
    FLIP_CONSTANT,
    chi_square,
    chi_square_tail,
    clopper_pearson,
    indicator_sums,
    matrix_norm,
    sparse_norm,
    spectral_norms,
    tail,
    turned_lengths,
    worst_flips,
)


def test_clopper_pearson_limits_are_where_the_binomial_says() -> None:
    low, high = clopper_pearson(7, 50, 0.95)
    assert stats.binom.sf(6, 50, low) == pytest.approx(0.025)
    assert stats.binom.cdf(7, 50, high) == pytest.approx(0.025)
    assert clopper_pearson(0, 10, 0.9)[0] == 0
    assert clopper_pearson(10, 10, 0.9)[1] == 1


def test_a_false_bound_is_refuted_and_a_true_one_is_not() -> None:
    assert tail("", 500, 1000, 0.3).refuted
    assert not tail("", 300, 1000, 0.3).refuted


def test_chi_square_tails_drawn_and_exact(rng: np.random.Generator) -> None:
    for m, t in ((1, 1.0), (5, 1.0), (40, 1.5)):
        drawn = chi_square(m, t, 20_000, rng)
        assert drawn.low <= chi_square_tail(m, t) <= drawn.high
        assert chi_square_tail(m, t) <= math.exp(-t)


def test_spectral_norms_are_those_of_the_matrices() -> None:
    norms = spectral_norms(3, 7, 50, np.random.default_rng(1))
    drawn = np.random.default_rng(1).standard_normal((50, 3, 7))
    np.testing.assert_allclose(norms, np.linalg.norm(drawn, 2, axis=(1, 2)))
    assert not matrix_norm(3, 7, 1.0, 2000, np.random.default_rng(2)).refuted


def test_sparse_norm_by_trying_every_support(rng: np.random.Generator) -> None:
    M = rng.standard_normal((2, 8))
    for s in (1, 3, 8):
        best = max(np.linalg.norm(M[:, list(S)], 2) for S in itertools.combinations(range(8), s))
        assert best * math.cos(math.pi / 360) <= sparse_norm(M, s) <= best * (1 + 1e-12)


def test_indicator_sums_have_the_mean_and_the_tails_of_their_normal_limit(rng: np.random.Generator) -> None:
    tails = {t.name: t for t in indicator_sums(400, "random sign", [1.0, 1.5], 20_000, rng)}
    for B in (1.0, 1.5):  # variances 1 and 3 for each neuron
        for what, variance in (("a1 a2", 1), ("a1^2", 3)):
            got = tails[f"B.3 {what}, random sign, m=400, B={B:g}"]
            limit = 2 * stats.norm.sf(B * (20 + B) / math.sqrt(400 * variance))
            assert got.hits / got.draws == pytest.approx(limit, rel=0.15)
    centred = indicator_sums(1, "alpha = n", [6.0], 50_000, rng)[1]
    assert not centred.refuted


def test_worst_flips_have_the_constant_of_the_limit(rng: np.random.Generator) -> None:
    ratio = worst_flips(100_000, 0.01, 3, rng)
    np.testing.assert_allclose(ratio, FLIP_CONSTANT, rtol=0.05)


def test_the_turned_entries_are_no_longer_than_what_turned_them(rng: np.random.Generator) -> None:
    for m, delta in ((3, 0.5), (50, 0.1)):
        longest = turned_lengths(m, delta, 50, rng)
        assert longest.max() <= 1
        assert longest.min() > 1 - 1e-6  # met by turning every sign just so
