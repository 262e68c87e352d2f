"""The runtime type checker of the tests: beartype, with an int allowed where a float is asked for (PEP 484)."""

import re
from collections.abc import Callable
from typing import Any, Self, get_args, get_origin

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
    if OWN_CHECKS.fullmatch(f"{function.__module__}.{function.__qualname__}"):
        return function
    hints = getattr(function, "__annotations__", {})
    wholly = function.__module__.startswith(WHOLLY)
    for name, hint in hints.items():
        if isinstance(hint, str) or Self in (hint, *get_args(hint)) or not (wholly or _has_shape(hint)):
            hints[name] = object
    return _checked(function)


def _has_shape(hint: object) -> bool:
    if get_origin(hint) is Callable:  # what it takes is not checked, and a user may give something else
        return False
    return (isinstance(hint, type) and issubclass(hint, AbstractArray)) or any(map(_has_shape, get_args(hint)))
