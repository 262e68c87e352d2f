"""NumPy's generator, written out in the checker, beside NumPy."""

from itertools import islice

import numpy as np
import pytest

from kernelgap import problems
from support.certificates.format3 import target_of
from support.certificates.standalone import checker

SEEDS = [0, 1, 2, 7, 10**9, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 + 5, 2**127 + 3, 2**200 + 1]


@pytest.mark.parametrize("key", [(), (0,), (1,), (0, 0), (3, 2**31)])
def test_words_of_pcg64(key):
    for seed in [*SEEDS, *range(100)]:
        first = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)).random_raw(20).tolist()
        assert list(islice(checker.pcg64(seed, key), 20)) == first


def test_permutations():
    for n in range(1, 31):
        for seed in range(100):
            assert checker.permutation(seed, n) == np.random.default_rng(seed).permutation(n).tolist()
    for seed in SEEDS:
        assert checker.permutation(seed, 30) == np.random.default_rng(seed).permutation(30).tolist()


@pytest.mark.parametrize(
    "text",
    [
        "sec8",
        "slides(alpha=0.2)",
        "hard(d=30, k=3, alpha=0.3, seed=5)",
        "hard(d=11, k=2, alpha=1, d1=5)",
        "hard(d=11, k=2, alpha=0.5, d1=5, background='uniform')",
        "hard(d=11, k=3, alpha=0.5, d1=7, background='zero')",
        "parity(d=9, k=4)",
    ],
)
def test_targets_and_inputs_are_those_of_the_problem(text):
    problem = problems.get(text)
    target = checker.build_target(problem.spec)
    stated = checker.conform(target_of(problem), checker.CLAIM["target"], "target")
    assert target.own == stated
    assert target.family_size == kernelgap_family(problem)
    for samples, seed in [(1, 0), (5, 1), (13, 2), (64, 12345), (501, 2**32 - 1)]:
        X, _ = problem.sample(samples, seed)
        rows = checker.training_inputs(target, samples, seed)
        bits = (X[:, : target.d] < 0).astype(int)
        assert rows == [sum(int(bit) << i for i, bit in enumerate(row)) for row in bits]


def kernelgap_family(problem):
    from kernelgap.certificates import any_kernel

    return any_kernel(problem, 1).family_size


def test_every_hidden_set_of_hard():
    for seed in range(60):
        problem = problems.get(f"hard(d=12, k=4, alpha=0.3, seed={seed})")
        own = checker.build_target(problem.spec).own
        assert own["composite"][0]["set"] == [s[0] for s in problem.base_sets]
