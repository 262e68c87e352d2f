"""The search over rates and decays: on functions whose minima are known, at edges, on plateaus, where all diverges."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelgap.errors import InputError, validated
from kernelgap.training.search import PLACES, TOLERANCE, Errors, SearchState, Setting, Space, advance, at, place_of

SPACE = Space(rates=(0.005, 0.05, 0.5), decays=(1e-4, 1e-3, 1e-2, 0.1))
Error = Callable[[float, float, int], float]


def search(space: Space, error: Error) -> tuple[SearchState, dict[Setting, list[float]]]:
    errors: dict[Setting, list[float]] = {}
    for _ in range(1000):
        found = advance(space, errors)
        if not found.next_settings:
            return found, errors
        assert all(len(errors.get(setting, ())) == found.seed_index for setting in found.next_settings)
        for setting in found.next_settings:
            errors.setdefault(setting, []).append(error(*setting, found.seed_index))
    raise AssertionError("the search does not end")


def valley(rate: float, decay: float) -> Error:
    """Least at a setting, growing with the logarithmic distance from it; seeds differ."""
    return lambda r, d, seed: 0.1 + math.log(r / rate) ** 2 + 0.5 * math.log(d / decay) ** 2 + 0.01 * seed


def test_the_lattice_has_the_papers_numbers() -> None:
    for power, digit in itertools.product(range(-7, 3), (1, 2, 5)):
        value = float(f"{digit}e{power}")
        assert at(place_of(value)) == value
        assert PLACES[place_of(value) % 12] == digit
    assert [place_of(at(place)) for place in range(-80, 40)] == list(range(-80, 40))


@pytest.mark.parametrize(("rate", "decay"), [*itertools.product((0.007, 0.085, 3.0, 40.0), (2e-6, 0.004, 0.5))])
def test_the_minimum_of_a_valley_is_found_inside_and_outside_of_the_grid(rate: float, decay: float) -> None:
    found, errors = search(SPACE, valley(rate, decay))
    assert found.best == (rate, decay)
    assert found.error == pytest.approx(0.11)
    assert found.edges == ()
    assert found.tried == len(errors) < 100


def test_the_largest_stable_rate_is_no_edge() -> None:
    def error(rate: float, decay: float, seed: int) -> float:
        return math.inf if rate > 0.3 else 1 / rate + math.log(decay / 0.01) ** 2

    found, errors = search(SPACE, error)
    assert (found.best, found.edges) == ((0.3, 0.01), ())
    assert math.isinf(errors[0.4, 0.01][0])


def test_a_bound_of_the_space_is_said_to_be_an_edge() -> None:
    found, _ = search(SPACE.model_copy(update={"most": (2.0, 100.0)}), lambda r, d, seed: 1 / r + abs(math.log(d)))
    assert found.best is not None
    assert found.best[0] == 2.0
    assert found.edges == ("the greatest rate that may be tried (2)",)


def test_on_a_plateau_it_ends_soon() -> None:
    found, errors = search(SPACE, lambda r, d, seed: 1.0)
    assert found.error == 1.0
    assert len(errors) < 40
    nearly, errors = search(SPACE, lambda r, d, seed: 1.0 + 1e-3 * math.log(1 / d))  # a slope that is none
    assert nearly.edges == ()
    assert len(errors) < 40


def test_all_neighbours_of_what_is_found_were_tried() -> None:
    """With noise a setting elsewhere may be better by a little; its neighbours were not all tried."""
    rng = np.random.default_rng(1)
    elsewhere = 0
    for _ in range(20):
        table: dict[Setting, float] = {}
        found, errors = search(SPACE, lambda r, d, seed, t=table: t.setdefault((r, d), 1.0 + 0.02 * rng.random()))
        assert found.best is not None
        rates, decays = ([at(place_of(value) + step) for step in (-1, 0, 1)] for value in found.best)
        assert set(itertools.product(rates, decays)) <= set(errors)
        elsewhere += found.error > min(math.fsum(values) / 3 for values in errors.values() if len(values) == 3)
    assert elsewhere


def test_where_all_diverges_slower_ones_are_tried_to_the_end() -> None:
    found, errors = search(SPACE, lambda r, d, seed: math.inf)
    assert (found.best, found.error, found.edges) == (None, math.inf, ())
    assert min(rate for rate, _ in errors) == SPACE.least[0]
    assert all(len(values) == 1 for values in errors.values())  # one seed says it
    found, _ = search(SPACE, lambda r, d, seed: math.inf if r > 2e-4 else abs(math.log(r / 1e-4)) + d)
    assert found.best is not None
    assert found.best[0] == 1e-4


def test_a_start_is_tried_with_the_grid() -> None:
    found, errors = search(SPACE.with_start((0.085, 0.004)), valley(0.085, 0.004))
    assert list(errors).index((0.085, 0.004)) == 12
    assert found.best == (0.085, 0.004)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_no_setting_is_given_up_that_would_win(seed: int, seeds: int) -> None:
    """Beside the full grid over the settings that it tried, each with every seed."""
    rng = np.random.default_rng(seed)
    table: dict[tuple[float, float, int], float] = {}

    def error(rate: float, decay: float, place: int) -> float:
        key = rate, decay, place
        if key not in table:
            table[key] = math.inf if rng.random() < 0.1 else float(rng.lognormal(sigma=1.5))
        return table[key]

    found, errors = search(SPACE.model_copy(update={"seeds": seeds}), error)
    means = {s: math.fsum(error(*s, place) for place in range(seeds)) / seeds for s in errors}
    if found.best is None:
        assert not any(map(math.isfinite, means.values()))
    else:
        best = min(means, key=lambda setting: means[setting])
        assert len(errors[best]) == seeds
        assert means[best] == min(math.fsum(e) / seeds for e in errors.values() if len(e) == seeds)
        assert means[found.best] == found.error
        assert (1 - TOLERANCE) * found.error <= means[best]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_whoever_resumes_comes_to_the_same(seed: int) -> None:
    """The next step follows from the errors alone, in whatever order they are given."""
    rng = np.random.default_rng(seed)
    _, errors = search(SPACE, lambda r, d, place: float(rng.lognormal()) + math.log(r / 0.1) ** 2)
    tried = list(errors)
    shuffled: Errors = {tried[place]: errors[tried[place]] for place in rng.permutation(len(tried))}
    assert advance(SPACE, shuffled) == advance(SPACE, errors)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rates": ()}, "rates"),
        ({"rates": (0.0,)}, "rates"),
        ({"rates": (float("nan"),)}, "rates"),
        ({"rates": (0.11,)}, "cannot try the rate 0.11: the nearest that it knows is 0.1"),
        ({"decays": (1e-8,)}, "would begin at the decay 1e-08, outside of 1e-07 to 100"),
        ({"starts": ((-1, 0),)}, "would begin at the rate -1, outside of 1e-05 to 1000"),
        ({"starts": ((0.1, 1e-9),)}, "would begin at the decay 1e-09, outside of 1e-07 to 100"),
        ({"starts": ((0.1, 1e-3), (0.13, 1e-3))}, "cannot try the rate 0.13: the nearest that it knows is 0.14"),
        ({"starts": ((float("nan"), 1e-3),)}, "starts"),
        ({"seeds": 0}, "seeds"),
        ({"least": (1.0, 1e-7)}, "outside of 1 to 1000"),
        ({"color": 1}, "color"),
    ],
)
def test_a_space_that_makes_no_sense_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        validated(Space, {"rates": (0.005, 0.05), "decays": (1e-3,), **fields})
