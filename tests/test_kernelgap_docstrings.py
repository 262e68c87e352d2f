"""Every public name documents its arguments in numpydoc sections."""

import dataclasses
import importlib
import inspect
import re

import pytest
from pydantic import BaseModel

PACKAGES = (
    *(
        "problems",
        "networks",
        "kernels",
        "training",
        "regression",
        "certificates",
        "curves",
        "images",
        "runs",
        "models",
    ),
    *("images.experiment", "estimators", "audit", "reports", "paper.figures", "paper.theory", "paper.algorithms"),
    *("paper.claims", "play"),
)


def public_names():
    """Functions and classes that packages export, each once."""
    seen = set()
    for package in PACKAGES:
        module = importlib.import_module(f"kernelgap.{package}")
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            documented = inspect.isfunction(thing) or (inspect.isclass(thing) and not issubclass(thing, BaseException))
            if documented and thing not in seen:
                seen.add(thing)
                yield pytest.param(thing, id=f"{package}.{name}")


def arguments(thing: object) -> set[str]:
    """What a caller passes: a function's arguments, the fields of a record, the arguments of a constructor."""
    if inspect.isclass(thing) and issubclass(thing, BaseModel):
        return set(thing.model_fields)
    if inspect.isclass(thing) and dataclasses.is_dataclass(thing):
        return {field.name for field in dataclasses.fields(thing) if field.init and not field.name.startswith("_")}
    if inspect.isclass(thing) and (inspect.isabstract(thing) or getattr(thing, "_is_protocol", False)):
        return set()
    if inspect.isclass(thing) and "__init__" not in vars(thing):
        return set()
    names = set(inspect.signature(thing).parameters) - {"self"}
    return {name for name in names if not name.startswith("_")}


def documented(thing: object) -> set[str]:
    """The names in the sections Parameters, Other Parameters and Attributes; those of the classes that it extends."""
    names = set()
    for part in thing.__mro__ if inspect.isclass(thing) else (thing,):
        text = inspect.cleandoc(part.__doc__ or "")
        for section in re.findall(
            r"^(?:Other Parameters|Parameters|Attributes)\n-+\n(.*?)(?=\n\n\S|\Z)", text, re.M | re.S
        ):
            for line in re.findall(r"^(\*{0,2}\w[\w, *]*?)(?: : .*)?$", section, re.M):
                names |= {name.strip(" *") for name in line.split(",")}
    return names


@pytest.mark.parametrize("thing", list(public_names()))
def test_arguments_are_documented(thing):
    assert (thing.__doc__ or "").strip()
    missing = arguments(thing) - documented(thing)
    assert not missing


def test_what_is_missing_is_seen():
    def half(first, second):
        """Do it.

        Parameters
        ----------
        first : int
            The first.
        """

    assert arguments(half) - documented(half) == {"second"}
