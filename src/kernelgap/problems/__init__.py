"""What is learned: inputs, base signal F, composite signal G(F), and their strengths."""

from collections.abc import Callable

from kernelgap.calls import parse_call
from kernelgap.errors import InputError, short
from kernelgap.problems.activation import Activation
from kernelgap.problems.concept import ConceptProblem
from kernelgap.problems.concept1 import concept1
from kernelgap.problems.concept2 import concept2
from kernelgap.problems.convolutional import convolutional
from kernelgap.problems.fourier import FourierExpansion
from kernelgap.problems.hard import hard
from kernelgap.problems.parity import ParityProblem
from kernelgap.problems.patches import ConvolutionalProblem
from kernelgap.problems.problem import Problem
from kernelgap.problems.sec8 import sec8
from kernelgap.problems.slides import slides
from kernelgap.problems.sparse_parity import parity
from kernelgap.registry import Registry

_BUILT_IN: dict[str, Callable[..., Problem]] = {
    "sec8": sec8,
    "slides": slides,
    "hard": hard,
    "parity": parity,
    "concept1": concept1,
    "concept2": concept2,
    "convolutional": convolutional,
}
PROBLEMS = Registry("problem", _BUILT_IN)
register = PROBLEMS.register

__all__ = [
    "PROBLEMS",
    "Activation",
    "ConceptProblem",
    "ConvolutionalProblem",
    "FourierExpansion",
    "ParityProblem",
    "Problem",
    "concept1",
    "concept2",
    "convolutional",
    "get",
    "hard",
    "parity",
    "register",
    "sec8",
    "slides",
]


def get(name: str, **arguments: object) -> Problem:
    """A problem by name, with its arguments in the text or as keywords.

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
        raise InputError(f"Problem '{name}': {short(what)}. {_signature(name)}") from error


def _signature(name: str) -> str:
    import inspect

    return f"It is called as {name}({', '.join(inspect.signature(PROBLEMS[name]).parameters)})."
