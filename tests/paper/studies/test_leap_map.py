"""The two-sided map: its floors, its cells, and what is said of them."""

from math import comb

import pytest

from kernelgap import problems
from kernelgap.certificates import any_kernel
from kernelgap.paper.studies.leap_map import hardest_step, leap_map
from kernelgap.paper.studies.study import HeatMap


@pytest.mark.parametrize(
    ("leap", "degree", "counts"),
    [(1, 3, (10, 9, 8)), (2, 4, (comb(10, 2), comb(8, 2))), (2, 3, (comb(10, 2), 8)), (3, 3, (comb(10, 3),))],
)
def test_the_hardest_step_is_that_of_the_largest_family(leap: int, degree: int, counts: tuple[int, ...]) -> None:
    """With noise as large as the gradient, half an advantage takes as many steps as there are parities."""
    assert hardest_step(problems.leaps(d=10, leap=leap, degree=degree)) == max(counts)


def row(degree: int, leap: int, seed: int, needed: float | None, floor: int = 500) -> dict[str, object]:
    about = {"d": 10, "degree": degree, "leap": leap, "most": 1000, "floor": floor, "kernel": 800, "gradient": 45}
    return {**about, "rate": 0.25, "seed": seed, "needed": needed}


ROWS = [
    *(row(2, 1, s, n) for s, n in enumerate((100.0, 300.0, 200.0))),
    *(row(2, 2, s, n) for s, n in enumerate((600.0, 700.0, None))),
    *(row(3, 3, s, n) for s, n in enumerate((None, 900.0, None))),
]


def test_a_cell_is_a_median_over_seeds_and_none_if_half_of_them_did_not_learn() -> None:
    easy, hard, missed = leap_map.summarise(ROWS)
    assert (easy["median"], easy["least"], easy["greatest"], easy["under_floor"]) == (200.0, 100.0, 300.0, True)
    assert (hard["median"], hard["greatest"], hard["learned"], hard["under_floor"]) == (700.0, None, "2 of 3", False)
    assert missed["median"] is None


def test_the_sentence_names_the_best_cell_and_those_that_were_not_learned() -> None:
    sentence = leap_map.sentence(leap_map.summarise(ROWS))
    assert "degree is 2 and the leap 1" in sentence
    assert "by degree and leap: 3 and 3" in sentence
    assert "In 1 of 3 cells" in sentence
    assert "no target" in leap_map.sentence(leap_map.summarise(ROWS[-3:]))


def test_the_map_has_three_panels_with_a_cell_for_each_target() -> None:
    heat = leap_map.charts(leap_map.summarise(ROWS))["map"]
    assert isinstance(heat, HeatMap)
    assert len(heat.cells) == 9
    assert [cell["text"] for cell in heat.cells if cell["panel"].startswith("SGD")] == ["200", "700", ">1k"]


def test_a_part_measures_its_target() -> None:
    part = next(part for part in leap_map.scale("quick").parts if part.label == "degree 1, leap 1")
    rows = part.measure(0)
    assert {row["leap"] for row in rows} == {1}
    problem = problems.leaps(d=40, leap=1, degree=1)
    assert rows[0]["floor"] == any_kernel(problem, 1).samples_for(0.25 * problem.threshold)
    assert all(row["needed"] < 10_000 for row in rows)
    assert len({row["seed"] for row in rows}) == len(rows) >= 5


def test_every_degree_has_every_leap() -> None:
    labels = {part.label for part in leap_map.scale("quick").parts}
    assert labels == {f"degree {degree}, leap {leap}" for degree in range(1, 7) for leap in range(1, degree + 1)}
