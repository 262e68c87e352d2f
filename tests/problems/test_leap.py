"""The leap against brute force over all orders."""

from itertools import permutations

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.errors import InputError
from kernelgap.problems.leap import staircase_of


def brute_force(index_sets):
    """The least, over all orders, of the most new coordinates of a step."""
    best = None
    for order in permutations(index_sets):
        known, most = set(), 0
        for index_set in order:
            most = max(most, len(set(index_set) - known))
            known |= set(index_set)
        best = most if best is None else min(best, most)
    return best


@pytest.mark.parametrize("seed", range(10))
def test_no_order_has_a_smaller_leap(seed):
    """A thousand random targets, a hundred for each seed."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        d = int(rng.integers(3, 9))
        sizes = rng.integers(1, min(d, 6) + 1, size=int(rng.integers(1, 6)))
        sets = {tuple(sorted(rng.choice(d, size, replace=False).tolist())) for size in sizes}
        found = staircase_of(sets)
        assert found.leap == brute_force(sorted(sets))
        assert set(found.steps) == sets


def test_the_steps_show_the_leap():
    """Whoever has the order can check it without looking for a better one."""
    found = problems.get("slides").staircase()
    known = set()
    for step, new in zip(found.steps, found.new, strict=True):
        assert set(new) == set(step) - known
        assert len(new) <= found.leap
        known |= set(step)


@pytest.mark.parametrize(
    ("text", "leap", "degree"),
    [
        ("sec8", 2, 8),
        ("slides", 2, 8),
        ("hard(d=20, k=3, alpha=0.3)", 1, 3),
        ("parity(d=40, k=6)", 6, 6),
        ("sec8(beta=0.0)", 8, 8),
        ("sec8(alpha=0.0)", 2, 2),
        ("staircase(d=30, degrees=[1, 2, 3])", 1, 3),
        ("staircase(d=30, degrees=[1, 4, 6])", 3, 6),
        ("leaps(d=30, leap=1, degree=6)", 1, 6),
        ("leaps(d=30, leap=2, degree=6)", 2, 6),
        ("leaps(d=30, leap=3, degree=6)", 3, 6),
        ("leaps(d=30, leap=6, degree=6)", 6, 6),
        ("merged(d=30, degrees=[2, 3], count=3)", 2, 9),
        ("leaking(d=30, k=6, leak=0.1)", 3, 6),
        ("leaking(d=30, k=6, leak=0.1, known=6)", 1, 6),
        ("hierarchy(d=16, alpha=0.3, depth=4)", 2, 16),
        ("hierarchy(d=16, alpha=0.0)", 2, 2),
    ],
)
def test_known_leaps(text, leap, degree):
    problem = problems.get(text)
    assert (problem.leap, problem.staircase().degree) == (leap, degree)


def test_a_constant_has_no_leap():
    assert (staircase_of([()]).leap, staircase_of([]).leap) == (0, 0)


def test_a_target_without_parities_is_refused():
    with pytest.raises(InputError, match="not known as a sum of parities"):
        _ = problems.get("concept1(d=6, k=2, alpha=0.3)").leap
