"""What is learned: inputs, base signal F, composite signal G(F), and their strengths."""

import inspect
from collections.abc import Callable

from kernelgap.calls import parse_call
from kernelgap.errors import InputError, short
from kernelgap.problems.activation import Activation
from kernelgap.problems.concept import ConceptProblem, concept1, concept2
from kernelgap.problems.convolutional import ConvolutionalProblem, convolutional
from kernelgap.problems.fourier import FourierExpansion
from kernelgap.problems.fourier_problem import FourierProblem
from kernelgap.problems.parity import ParityProblem, hard, parity, products, sec8, slides
from kernelgap.problems.problem import Problem
from kernelgap.problems.staircases import ExpandedProblem, hierarchy, leaking, leaps, merged, staircase
from kernelgap.registry import Registry

_BUILT_IN: tuple[Callable[..., Problem], ...] = (
    *(sec8, slides, hard, products, parity, concept1, concept2, convolutional),
    *(staircase, leaps, merged, leaking, hierarchy),
)
PROBLEMS = Registry("problem", {make.__name__: make for make in _BUILT_IN})
register = PROBLEMS.register

__all__ = ["PROBLEMS", "Activation", "ConceptProblem", "ConvolutionalProblem", "ExpandedProblem", "FourierExpansion"]
__all__ += ["FourierProblem", "ParityProblem", "Problem", "concept1", "concept2", "convolutional", "get", "hard"]
__all__ += ["hierarchy", "leaking", "leaps", "merged", "parity", "products", "register", "sec8", "slides", "staircase"]


def get(name: str, **arguments: object) -> Problem:
    """A problem by name.

    Parameters
    ----------
    name
        A name, or a call such as "hard(d=20, k=3, alpha=0.3)".
    **arguments
        Further arguments, which replace those in the text.

    Raises
    ------
    InputError
        If there is no such problem, or its arguments are not possible.

    Examples
    --------
    >>> get("hard(d=20, k=3, alpha=0.3)").outputs
    3
    >>> get("sec8", beta=0.5).beta
    0.5
    """
    name, written = parse_call(name)
    make = PROBLEMS.find(name)
    try:
        return make(**{**written, **arguments})
    except InputError:
        raise
    except (TypeError, ValueError, ArithmeticError) as error:
        what = str(error).partition("() ")[2] or str(error)
        names = ", ".join(inspect.signature(make).parameters)
        raise InputError(f"Problem '{name}': {short(what)}. It is called as {name}({names}).") from error
