"""What people hand to estimators, to ridge regression and to kernels: odd numbers, shapes, types, and settings."""

import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

from fuzz import values
from fuzz.case import Case, Place
from fuzz.judged import PACKAGE
from kernelgap import estimators, kernels, regression
from kernelgap.errors import InputError

NETWORKS = ("ResNetRegressor", "TwoLayerRegressor", "ThreeLayerRegressor")
KERNELS = ("KernelRegressor", "KernelClassifier", "AdaptiveKernelRegressor", "AdaptiveKernelClassifier")
SETTINGS: dict[str, tuple[Any, ...]] = {
    "kernel": (
        "ntk2",
        "gaussian",
        "laplace",
        "linear",
        "precomputed",
        "ck2 + laplace",
        "x",
        "",
        None,
        3,
        kernels.get("ck2"),
        "gaussian(bandwidth=1e-300)",
        "polynomial(degree=50)",
    ),
    "ridge": (
        "path",
        0.0,
        1e-300,
        1e300,
        -1.0,
        [],
        [0.1, 1.0],
        [0.0],
        np.nan,
        np.inf,
        "x",
        None,
        True,
        [[1.0]],
        np.array([1.0]),
        10**400,
    ),
    "selection": ("holdout", "folds", "loo", "gcv", "x", None, 1),
    "validation_fraction": (0.2, 0.0, 1.0, -1, np.nan, "x", None, 1e-9, 0.999),
    "folds": (2, 1, 0, -1, 10**9, 2.5, "x", None),
    "landmarks": (None, 1, 5, 0, -1, 10**9, 2.5, "x", True),
    "random_state": (0, None, -1, 2**32, 2**31, "x", 1.5, np.random.default_rng(0), np.random.RandomState(0)),
    "rounds": (0, 1, 2, -1, 1.5, "x", None, True),
    "factors": (1.0, (1.0, 4.0), (), 0.0, -1.0, np.nan, "x", None, [[1.0]], np.inf, 1e300),
    "diagonal": (True, False, 1, "x", None),
    "width": (4, 0, -1, 1.5, "x", None, True, 10**18, 2**31),
    "train": ("all", "hidden", "last", "ntk", "x", None, 1),
    "learning_rate": ("auto", 0.01, 0.0, -1.0, np.nan, np.inf, 1e300, "x", None, True),
    "weight_decay": ("auto", 0.0, -1.0, np.nan, np.inf, 1e300, "x", None),
    "epochs": (1, 2, 0, -1, 1.5, "x", None, True),
    "batch_size": (5, 1, 0, -1, 10**18, 1.5, "x", None),
    "momentum": (0.9, 0.0, 1.0, 2.0, -1, np.nan, "x", None),
    "warmup": (0.05, 0.0, 1.0, -1, 2, np.nan, "x"),
    "drop_at": (0.75, 0.0, 1.0, -1, 2, np.nan, "x"),
    "search": (
        False,
        True,
        {},
        {"learning_rate": [0.01]},
        {"x": 1},
        3,
        "x",
        None,
        {"learning_rate": []},
        {"learning_rate": "x"},
        {"weight_decay": [np.nan]},
    ),
    "normalize_y": (True, False, None, "x", 2),
    "verbose": (False, None),
}


def make(rng: Random, place: Place) -> Case:
    draw = rng.random()
    if draw < 0.12:
        return _ridge(rng)
    if draw < 0.3:
        return _gram(rng)
    return _estimator(rng, rng.choice(NETWORKS) if draw < 0.45 else rng.choice(KERNELS), place)


def _estimator(rng: Random, name: str, place: Place) -> Case:
    kind = getattr(estimators, name)
    known = [key for key in kind().get_params() if key in SETTINGS]
    told = {"epochs": 2, "width": 4} if name in NETWORKS else {}
    told |= {key: _setting(key, rng) for key in rng.sample(known, k=rng.choice((0, 1, 1, 2)))}
    few = (7, 3) if name in NETWORKS else None  # few shapes: each is compiled
    X, y, Z = _inputs(rng, few), _targets(rng, "Classifier" in name), _inputs(rng, few)

    def use() -> None:
        fitted = with_sklearns_own(lambda: kind(**told).fit(X, y))
        out = fitted.predict(X)
        assert len(out) == (X.shape[0] if hasattr(X, "shape") else len(X))
        if hasattr(fitted, "save"):
            fitted.save(place.folder / "a.safetensors")
            again = estimators.load(place.folder / "a.safetensors")
            if out.dtype.kind == "f":  # the same sums, perhaps in another order
                assert np.allclose(again.predict(X), out, rtol=1e-6, atol=1e-6 * np.abs(out).max())
        with_sklearns_own(lambda: fitted.predict(Z))

    return Case(f"{name}({told}) X {_shown(X)} y {_shown(y)} Z {_shown(Z)}", use)


def _setting(key: str, rng: Random) -> Any:
    if rng.random() < 0.2:
        return rng.choice(
            (values.anything(rng), np.array([1.0, 2.0]), np.float32(0.1), np.array(1), [1.0, "x"], object())
        )
    return rng.choice(SETTINGS[key])


def with_sklearns_own(call: Callable[[], Any]) -> Any:
    """An error that scikit-learn's own checks raise is what its users expect."""
    try:
        return call()
    except InputError:
        raise
    except (ValueError, TypeError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        if "sklearn" in Path(last.filename).parts or _from_checks(error):
            raise InputError(str(error)) from error
        raise


def _from_checks(error: BaseException) -> bool:
    """Whether the package called scikit-learn's checks, in which NumPy, pandas or SciPy then objected."""
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    own = [i for i, file in enumerate(files) if PACKAGE in Path(file).parents]
    return bool(own) and own[-1] + 1 < len(files) and "/sklearn/utils/" in files[own[-1] + 1]


def _inputs(rng: Random, shape: tuple[int, int] | None = None) -> Any:
    numbers = np.random.default_rng(rng.getrandbits(32))
    n, d = shape or (rng.choice((1, 2, 3, 7, 20)), rng.choice((1, 3, 3, 3)))
    X: Any = numbers.normal(size=(n, d))
    match rng.randrange(30):
        case 0:
            X[0, 0] = rng.choice((np.nan, np.inf, -np.inf))
        case 1:
            X *= rng.choice((1e300, 1e-300, 1e154, 1e38, 1e-38))
        case 2:
            return X[0]
        case 3:
            return X[None]
        case 4:
            return X[:0]
        case 5:
            return X[:, :0]
        case 6:
            return scipy.sparse.csr_matrix(X)
        case 7:
            return pd.DataFrame(X, columns=[f"c{i}" for i in range(d)])
        case 8:
            return pd.DataFrame(X).astype(object)
        case 9:
            return X.astype(object)
        case 10:
            return X.astype(str)
        case 11:
            return X.astype(np.complex128)
        case 12:
            return X.astype(np.float16)
        case 13:
            return (X > 0).astype(bool)
        case 14:
            return X.tolist()
        case 15:
            return [["a"] * d] * n
        case 16:
            return np.ma.masked_array(X, mask=X > 1)
        case 17:
            return np.asfortranarray(X)[::-1]
        case 18:
            return rng.choice((None, 3, "x", [], [[]], {}, b"", np.array(3.0), np.zeros((2, 2, 2))))
        case 19:
            return np.repeat(X[:1], n, axis=0)
        case 20:
            return np.zeros((n, d))
        case 21:
            return pd.DataFrame({"a": ["x"] * n, "b": range(n)})
        case 22:
            return X.astype(">f8")
        case 23:
            return (X * 1e18).astype(np.int64)
        case 24:
            return np.array([np.datetime64("2020-01-01")] * n).reshape(n, 1)
    return X


def _targets(rng: Random, classes: bool) -> Any:
    numbers = np.random.default_rng(rng.getrandbits(32))
    n = rng.choice((1, 2, 3, 7, 7, 20))
    y: Any = numbers.integers(0, 3, n) if classes else numbers.normal(size=n)
    match rng.randrange(18):
        case 0:
            return np.full(n, rng.choice((np.nan, np.inf, 1e300, 1e-300)))
        case 1:
            return y[:, None]
        case 2:
            return np.stack([y, y], axis=1)
        case 3:
            return y.astype(object)
        case 4:
            return y.astype(str)
        case 5:
            return np.zeros(n)
        case 6:
            return y.tolist()
        case 7:
            return pd.Series(y, index=range(5, 5 + n))
        case 8:
            return rng.choice((None, 3, "x", [], [[]], np.zeros((2, 2, 2))))
        case 9:
            return y.astype(np.complex128)
        case 10:
            return np.array([None] * n)
        case 11:
            return pd.Series(["a", "b"] * n)[:n].astype("category")
        case 12:
            return y[:, None][:, :0]
        case 13:
            return y * 1e200
        case 14:
            return np.array(["a", "b"] * n)[:n]
    return y


def _ridge(rng: Random) -> Case:
    X, y = _inputs(rng), _targets(rng, False)
    ridges = rng.choice(SETTINGS["ridge"])

    def use() -> None:
        K = kernels.get("gaussian")(X)
        path = regression.ridge_path(K, y, ridges)
        assert path.coefficients is not None

    return Case(f"ridge_path X {_shown(X)} y {_shown(y)} ridges {ridges!r}", use)


def _gram(rng: Random) -> Case:
    text = rng.choice(
        (
            "gaussian",
            "laplace",
            "ntk2",
            "ntk(depth=4)",
            "ck3",
            "ck3res",
            "ntk3res",
            "linear",
            "polynomial(degree=3)",
            "arcsin",
            "recursive",
            "cntk(image=(1, 3, 1))",
            "random_features(count=5)",
            "gaussian(bandwidth=1e-200)",
            "ck2 * laplace",
        )
    )
    X, Z = _inputs(rng), rng.choice((None, 1)) and _inputs(rng)

    def use() -> None:
        kernel = kernels.get(text)
        K = kernel(X) if Z is None else kernel(X, Z)
        assert np.isfinite(K).all()
        assert np.isfinite(kernel.fit(X).diagonal(X)).all()

    return Case(f"{text} X {_shown(X)} Z {_shown(Z)}", use)


def _shown(value: Any) -> str:
    head = getattr(value, "shape", None)
    kind = getattr(value, "dtype", "")
    return f"{type(value).__name__}{'' if head is None else head}{kind} {str(value)[:120]!r}"
