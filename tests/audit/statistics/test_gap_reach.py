"""Where curves get down to a target, on curves whose answer is known."""

import numpy as np
import pytest

from kernelgap.audit.statistics.gap import fitted_sizes, reach

SIZES = (100, 200, 400, 800)


def once(errors: list[float], target: float, sizes: tuple[int, ...] = SIZES) -> float:
    return float(reach(sizes, np.array([errors]), np.array([target]))[0])


def law(c: float, b: float) -> list[float]:
    return [c * n**-b for n in SIZES]


@pytest.mark.parametrize("n", [100, 150, 200, 333, 799, 800, 5000, 1e6])
def test_a_power_law_is_followed_within_and_beyond(n):
    assert once(law(3, 0.4), 3 * n**-0.4) == pytest.approx(n, rel=1e-9)


def test_between_two_sizes_it_is_a_line_in_logarithms():
    assert once([1.0, 0.5, 0.25, 0.2], 0.5 / np.sqrt(2)) == pytest.approx(200 * np.sqrt(2))
    by_hand = np.exp(np.interp(-np.log(0.22), -np.log([0.25, 0.2]), np.log([400, 800])))
    assert once([1.0, 0.5, 0.25, 0.2], 0.22) == pytest.approx(by_hand)


def test_a_curve_that_rises_again_was_down_before():
    assert once([1.0, 0.5, 0.7, 0.9], 0.5) == pytest.approx(200)
    assert once([1.0, 0.5, 0.7, 0.3], 0.4) == pytest.approx(np.exp(np.interp(
        np.log(0.5 / 0.4), [0, np.log(0.5 / 0.3)], np.log([400, 800])
    )))  # fmt: skip


def test_what_is_reached_from_the_start_takes_the_smallest_size():
    assert once([0.3, 0.2, 0.2, 0.1], 0.5) == pytest.approx(100)


@pytest.mark.parametrize("errors", [[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.6, 0.7], law(3, 1e-4)])
def test_flat_rising_or_slow_curves_never_get_there(errors):
    assert once(errors, 0.4) == np.inf


def test_beyond_it_is_a_least_squares_line_through_the_last_sizes():
    errors = [9.0, 0.5, 0.45, 0.3]
    slope, intercept = np.polyfit(np.log([200, 400, 800]), np.log([0.5, 0.45, 0.3]), 1)
    assert once(errors, 0.1) == pytest.approx(np.exp((np.log(0.1) - intercept) / slope))
    assert once(errors, 0.299) >= 800  # where the line is below the last point


def test_how_many_sizes_are_fitted():
    assert [fitted_sizes(n) for n in (2, 3, 4, 5, 6, 7, 10)] == [2, 3, 3, 3, 3, 4, 5]


def test_two_sizes_make_a_line_too():
    assert once([1.0, 0.5], 0.25, sizes=(100, 200)) == pytest.approx(400)


def test_no_error_left():
    assert once(law(3, 0.4), 0.0) == np.inf
    assert once([1.0, 0.5, 0.0, 0.0], 0.0) == pytest.approx(400)
    assert once([0.0] * 4, 0.0) == pytest.approx(100)


def test_many_curves_are_each_their_own(rng):
    errors, target = rng.random((50, 4)), rng.random(50) / 2
    together = reach(SIZES, errors, target)
    alone = [once(list(curve), goal) for curve, goal in zip(errors, target, strict=True)]
    np.testing.assert_allclose(together, alone, rtol=1e-12)
