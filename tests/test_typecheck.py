"""The type checker of the tests objects to wrong shapes, and leaves alone what has nothing to check."""

import dataclasses

import numpy as np
import pytest
from jaxtyping import Float, TypeCheckError

import typecheck
from kernelgap.kernels import registry
from kernelgap.problems.problem import Problem


def decorated(target):
    return typecheck.jaxtyped(typechecker=typecheck.check)(target)


def test_shapes_are_checked():
    def add(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return x + y

    def double(x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return np.append(x, x)

    assert decorated(add)(np.ones(3), np.ones(3)).shape == (3,)
    with pytest.raises(TypeCheckError, match="parameters"):
        decorated(add)(np.ones(3), np.ones(1))
    with pytest.raises(TypeCheckError, match="return value"):
        decorated(double)(np.ones(3))


def test_shapes_written_as_text_are_checked():
    def length(x: 'Float[np.ndarray, " n"]') -> int:
        return len(x)

    with pytest.raises(TypeCheckError):
        decorated(length)(np.ones((3, 2)))


def test_shapes_of_dataclasses_are_checked():
    @decorated
    @dataclasses.dataclass(frozen=True)
    class Pair:
        x: Float[np.ndarray, " n"]
        y: Float[np.ndarray, " n"]

    Pair(np.ones(3), np.ones(3))
    with pytest.raises(TypeCheckError):
        Pair(np.ones(3), np.ones(2))


def test_what_has_nothing_to_check_is_left_alone():
    def plain(x: int, y: str = "") -> list[float]:
        return [x]

    class Empty:
        pass

    assert decorated(plain) is plain
    assert decorated(Empty) is Empty


def test_the_package_is_checked():
    assert hasattr(Problem.target, "__wrapped__")
    assert not hasattr(registry.text_of, "__wrapped__")
