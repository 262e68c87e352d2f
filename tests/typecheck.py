"""The runtime type checker of the tests: beartype, with an int allowed where a float is asked for (PEP 484).

jaxtyping wraps every function, also one with nothing to check, and each call of a wrapped function binds its arguments
anew: 0.05 ms each time. ``install`` leaves such functions as they are.
"""

import dataclasses
import functools
import re
from collections.abc import Callable
from typing import Any, Self, get_args, get_origin

import jaxtyping
from beartype import BeartypeConf, beartype
from jaxtyping import AbstractArray

# Elsewhere a user's wrong number or name is refused by the function itself: only the shapes of arrays are checked.
WHOLLY = ("kernelgap.problems", "kernelgap.networks", "kernelgap.training")
# These check their arrays themselves, since files and users give them: tests feed them wrong shapes.
OWN_CHECKS = re.compile(
    r"kernelgap\.(models\..*|kernels\.formulas\.distance_kernel\.Mahalanobis|kernels\.empirical\.kernel\.Empirical)"
    r"\.__init__|kernelgap\.kernels\.empirical\.kernel\.empirical"
)

_checked = beartype(conf=BeartypeConf(is_pep484_tower=True))


def check(function: Callable[..., Any]) -> Callable[..., Any]:
    """Check annotations, but not Self, nor those written as text: their names may exist for static checkers alone."""
    if _checks_itself(function):
        return function
    hints = getattr(function, "__annotations__", {})
    for name, hint in hints.items():
        if isinstance(hint, str) or not _is_checked(hint, function):
            hints[name] = object
    return _checked(function)


def install() -> None:
    """Let jaxtyping's import hook decorate with ``jaxtyped``; before the package is imported."""
    jaxtyping.jaxtyped = jaxtyped  # type: ignore[assignment]


def jaxtyped(target: Any = None, *, typechecker: Callable[..., Any]) -> Any:
    """The decorator of jaxtyping, for functions and dataclasses that have something to check."""
    if target is None:
        return functools.partial(jaxtyped, typechecker=typechecker)
    return _jaxtyped(target, typechecker=typechecker) if _has_checks(target) else target


_jaxtyped = jaxtyping.jaxtyped


def _has_checks(target: Any) -> bool:
    if isinstance(target, type):
        return dataclasses.is_dataclass(target) and _has_checks(target.__init__)
    hints = getattr(target, "__annotations__", {}).values()  # jaxtyping looks up those written as text
    return not _checks_itself(target) and any(isinstance(hint, str) or _is_checked(hint, target) for hint in hints)


def _checks_itself(function: Callable[..., Any]) -> bool:
    return bool(OWN_CHECKS.fullmatch(f"{function.__module__}.{function.__qualname__}"))


def _is_checked(hint: object, function: Callable[..., Any]) -> bool:
    wholly = function.__module__.startswith(WHOLLY)
    return Self not in (hint, *get_args(hint)) and (wholly or _has_shape(hint))


def _has_shape(hint: object) -> bool:
    if get_origin(hint) is Callable:  # what it takes is not checked, and a user may give something else
        return False
    return (isinstance(hint, type) and issubclass(hint, AbstractArray)) or any(map(_has_shape, get_args(hint)))
