"""Anyone's own contender: a scikit-learn estimator, named by its module or described by its class and parameters.

A description is JSON, so that it can be stored and worker processes can make the estimator again; nothing is pickled.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor

from kernelgap.audit.contenders.view import Outputs, ProgressCallback, Records, Rows, Setting, SettingErrors, View
from kernelgap.audit.tables.table import Task
from kernelgap.errors import InputError, shown

OWN = "own:"  # before the names of such contenders
MOST = 20
DEEPEST = 20


def imported(name: str, kind: str) -> Any:
    """What ``module:name`` names; the module may stand in the working directory."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    module, _, attribute = name.partition(":")
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise InputError(f"The {kind} {shown(name)} cannot be imported ({type(error).__name__}: {error}).") from error
    return found


def describe(given: Any) -> str:
    """The description of an estimator, of its class, or of ``module:Estimator``."""
    if isinstance(given, str):
        if ":" not in given:
            raise InputError(f"A contender is given as module:Estimator, not {shown(given)}.")
        return json.dumps({"name": given})
    return json.dumps(_plain(given, 0))


def _plain(value: Any, depth: int) -> Any:
    """A value as JSON; estimators as their class and parameters, classes and functions by name."""
    if depth > DEEPEST:
        raise InputError("A contender's parameters are nested too deeply.")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_plain(one, depth + 1) for one in value]}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _plain(one, depth + 1) for key, one in value.items()}}
    if hasattr(value, "get_params") and not isinstance(value, type):
        parameters = {name: _plain(one, depth + 1) for name, one in value.get_params(deep=False).items()}
        return {"class": name_of(type(value)), "parameters": parameters}
    if isinstance(value, type) or callable(value):
        return {"name": name_of(value)}
    raise InputError(f"A contender's parameter {shown(value)} cannot be described: name a module:Estimator instead.")


def name_of(thing: Any) -> str:
    """``module:name``, if it leads back to the thing."""
    module, name = getattr(thing, "__module__", ""), getattr(thing, "__qualname__", "")
    if module in ("", "__main__") or "<" in name or imported(f"{module}:{name}", "contender") is not thing:
        raise InputError(f"Worker processes cannot import {shown(name or thing)}: put it into a module of its own.")
    return f"{module}:{name}"


def make(description: str) -> Any:
    """The estimator of a description."""
    try:
        made = _made(json.loads(description))
        made = made() if isinstance(made, type) or not hasattr(made, "fit") else made
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"A contender cannot be made ({type(error).__name__}: {error}).") from error
    for method in ("fit", "predict", "get_params"):
        if not hasattr(made, method):
            raise InputError(
                f"The contender {shown(description)} has no {method}: it must be a scikit-learn estimator."
            )
    return made


def _made(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "class" in value:
        return imported(value["class"], "contender")(**{n: _made(one) for n, one in value["parameters"].items()})
    if "name" in value:
        return imported(value["name"], "contender")
    if "dict" in value:
        return {key: _made(one) for key, one in value["dict"].items()}
    return tuple(map(_made, value["tuple"])) if "tuple" in value else list(map(_made, value["list"]))


def named_contenders(given: Sequence[Any], task: Task) -> dict[str, str]:
    """Descriptions by name, ``own:`` and the class; each is made once, so that mistakes show before the audit."""
    if len(given) > MOST:
        raise InputError(f"{len(given)} contenders of your own are too many: give {MOST} at most.")
    found: dict[str, str] = {}
    for one in given:
        description = describe(one)
        estimator = make(description)
        other = is_regressor if task == "classification" else is_classifier
        name = type(estimator).__name__
        if other(estimator):
            raise InputError(f"The contender {name} is not for {task}: give one that is.")
        fresh, number = f"{OWN}{name}", 1
        while fresh in found:
            number += 1
            fresh = f"{OWN}{name}.{number}"
        found[fresh] = description
    return found


@dataclass(frozen=True)
class OwnModel:
    """Fitted estimators: one for classes, else one for each target. No file holds them."""

    fitted: tuple[Any, ...]
    classes: bool
    width: int

    def predict(self, X: Rows) -> Outputs:
        if not self.classes:
            return np.stack([np.asarray(one.predict(X), dtype=float).ravel() for one in self.fitted], axis=1)
        (one,) = self.fitted
        outputs = np.zeros((len(X), self.width))
        if hasattr(one, "predict_proba"):
            outputs[:, np.asarray(one.classes_, dtype=int)] = one.predict_proba(X)
        else:
            outputs[np.arange(len(X)), np.asarray(one.predict(X), dtype=int)] = 1.0
        return outputs


@dataclass(frozen=True)
class OwnContender:
    """An estimator as it is: nothing is tuned, so it is one fit; a search may be a part of it."""

    name: str
    description: str

    def judge(self, view: View, on_progress: ProgressCallback) -> SettingErrors:
        records = Records(1, on_progress)
        records.add({}, [view.error(self._fit(view).predict(view.X_val))])
        return records.judged()

    def fit(self, view: View, setting: Setting) -> OwnModel:
        return self._fit(view.train_plus_validation)

    def _fit(self, view: View) -> OwnModel:
        targets = [view.Y.argmax(axis=1)] if view.classes else list(view.Y.T)
        fitted = tuple(seeded(make(self.description), view.seed).fit(view.X, y) for y in targets)
        return OwnModel(fitted, view.classes, view.Y.shape[1])


def seeded(estimator: Any, seed: int) -> Any:
    """A clone with the seed wherever it draws."""
    copy = clone(estimator)
    drawing = [name for name in copy.get_params(deep=True) if name.rpartition("__")[2] == "random_state"]
    return copy.set_params(**dict.fromkeys(drawing, seed))
