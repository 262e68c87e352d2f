"""The cube of a problem, and which inputs are points of it."""

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.certificates.exact.cube import cube_of
from kernelgap.errors import InputError

CONVOLUTIONAL = "convolutional(patches=2, d=6, alpha=0.4, degree=3, v=[0.6, -1.1])"


@pytest.mark.parametrize(
    ("text", "d"),
    [
        ("hard(d=8, k=2, alpha=0.5)", 8),
        ("hard(d=8, k=2, alpha=0.5, d1=6)", 8),
        ("hard(d=8, k=2, alpha=0.5, d1=6, background='zero')", 6),
        (CONVOLUTIONAL, 12),
    ],
)
def test_samples_are_points_of_the_cube(text, d):
    problem = problems.get(text)
    cube = cube_of(problem)
    assert cube is not None
    assert (cube.d, cube.width) == (d, problem.d)
    X, _ = problem.sample(50, seed=0)
    points = {tuple(signs) for signs in np.sign(cube.points(0, 2**d)[:, :d])}
    assert len(points) == 2**d
    signs = cube.signs(X)
    assert signs is not None
    assert {tuple(row) for row in signs} <= points
    assert cube.signs(1.01 * X) is None


def test_a_problem_without_a_cube():
    assert cube_of(problems.get("hard(d=8, k=2, alpha=0.5, d1=6, background='gaussian')")) is None
    assert cube_of(problems.get("concept1(d=6, k=2, pF=1, pG=1, alpha=0.1, F='z^2', G='z^2')")) is None


def test_inputs_of_another_width_are_refused():
    cube = cube_of(problems.get("hard(d=8, k=2, alpha=0.5)"))
    assert cube is not None
    with pytest.raises(InputError, match="X has 7 columns, the problem's inputs have 8"):
        cube.signs(np.ones((3, 7)))
