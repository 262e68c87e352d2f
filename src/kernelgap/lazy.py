"""Lazy packages: a name is imported when it is first used."""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(package: str, homes: Mapping[str, str | None]) -> Callable[[str], object]:
    """A package's ``__getattr__``, given the module in which each name lives; None for one that is a module itself."""

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        home = homes[name]
        if home is None:
            return import_module(f"{package}.{name}")
        return getattr(import_module(f"{package}.{home}"), name)

    return find
