"""Things by name: those of the package, and those that users register from their own code.

A module that registers something is found in three ways: it is imported; or the environment variable
``KERNELGAP_EXTENSIONS`` names it; or an installed package announces it as an entry point of the group
``kernelgap.extensions``. Worker processes import the same modules.
"""

import os
import re
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from kernelgap.errors import InputError, shown, unknown

VARIABLE = "KERNELGAP_EXTENSIONS"
GROUP = "kernelgap.extensions"

T = TypeVar("T")


class Registry(dict[str, T]):
    """Names with what they stand for; ``kind`` says in errors what they are names of."""

    def __init__(self, kind: str, things: Mapping[str, T]) -> None:
        super().__init__(things)
        self.kind = kind
        self._owners: dict[str, str] = {}  # the modules of those that were registered

    def register(self, name: str, thing: T) -> T:
        """Add a thing under a name of its own.

        Parameters
        ----------
        name : str
            A word that is not taken.
        thing
            What the name stands for.

        Returns
        -------
        The thing, so that it can be kept in a variable, too.

        Raises
        ------
        InputError
            If the name is no word, or is taken by something else.
        """
        if not isinstance(name, str) or not re.fullmatch(r"\w[\w.-]*", name):
            raise InputError(f"A {self.kind} cannot be called {shown(name)}: take letters, digits and _, - or a point.")
        module = _calling_module()
        if name in self and self._owners.get(name) not in (module, "__main__"):  # a module may be imported again
            raise InputError(f"There is a {self.kind} '{name}' already: choose another name.")
        self[name] = thing
        self._owners[name] = module
        if module != "__main__" and module not in _modules():
            os.environ[VARIABLE] = " ".join([*_modules(), module])  # which worker processes inherit
        return thing

    def find(self, name: str) -> T:
        """What a name stands for; extensions are imported if it is not there."""
        if name not in self:
            load_extensions()
        if name not in self:
            raise unknown(self.kind, name, self)
        return self[name]


def load_extensions() -> None:
    """Import the modules that extend the package, each once."""
    announced = [entry.value.partition(":")[0] for entry in entry_points(group=GROUP)]
    for module in [*_modules(), *announced]:
        if module not in sys.modules:
            try:
                import_module(module)
            except Exception as error:
                what = f"{type(error).__name__}: {error}"
                raise InputError(f"The extension {shown(module)} cannot be imported ({what}).") from error


def _calling_module() -> str:
    """The first module up the stack that is not of this package."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("kernelgap."):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "__main__"))


def _modules() -> list[str]:
    return os.environ.get(VARIABLE, "").replace(",", " ").split()
