"""Models as files: the same predictions to the last bit, and refusals of whatever is not such a file."""

import json
import pickle
import re
import struct

import numpy as np
import pytest
from safetensors.numpy import load, save, save_file

import kernelgap as kg
from kernelgap import tensor_file
from kernelgap.audit.models import KernelModel, Trained, from_bytes, load_model, save_model, to_bytes
from kernelgap.errors import InputError
from support import fitted

NEW = fitted.table(50, seed=9)


@pytest.mark.parametrize(
    ("kind", "targets"), [("linear", fitted.CLASSES), *((kind, fitted.REGRESSION) for kind in fitted.KINDS)]
)
def test_a_model_predicts_the_same_after_loading(kind, targets, tmp_path):
    trained = fitted.trained(kind, targets)
    before = trained.predict(NEW)
    path = save_model(trained, tmp_path / "model.safetensors")
    assert list(tmp_path.iterdir()) == [path]
    for again in (load_model(path), load_model(tmp_path), from_bytes(to_bytes(trained))):
        assert type(again.model) is type(trained.model)
        assert again.model.describe() == trained.model.describe()
        assert (again.targets, again.about) == (trained.targets, trained.about)
        assert again.predict(NEW).equals(before)
    assert path.read_bytes() == to_bytes(trained) == to_bytes(load_model(path))


def test_what_cannot_be_saved(tmp_path):
    own = KernelModel(kg.kernels.from_function(lambda A, B: A @ B.T), np.ones((1, 5)), np.ones((1, 2)), np.ones(2))
    with pytest.raises(InputError, match="code of yours"):
        to_bytes(Trained(own, fitted.preparation(), fitted.REGRESSION))
    for about in ({"a": np.nan}, {"a": np.ones(2)}, {"a": {1, 2}}):
        with pytest.raises(InputError, match="must be plain"):
            to_bytes(Trained(fitted.model("linear"), fitted.preparation(), fitted.REGRESSION, about))
    with pytest.raises(InputError, match="could not be written: No such file"):
        save_model(fitted.trained(), tmp_path / "no" / "folder")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="could not be written"):
        save_model(fitted.trained(), tmp_path / "folder")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_files_that_are_not_models(tmp_path):
    path = tmp_path / "x"
    for content in (b"", b"garbage" * 100, pickle.dumps(3), struct.pack("<Q", 2**60) + b"{}"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"is not a model that kernelgap saved: .*[^.]\.$"):
            load_model(path)
        with pytest.raises(InputError, match="This is not a model that kernelgap saved"):
            from_bytes(content)
    save_file({"offset": np.eye(3)}, path)
    with pytest.raises(InputError, match="says nothing of kernelgap"):
        load_model(path)
    with pytest.raises(InputError, match="There is no file"):
        load_model(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"has no model\.safetensors"):
        load_model(tmp_path)


def test_the_two_kinds_of_files_are_not_confused(tmp_path):
    estimator = kg.KernelRegressor("ck2", ridge=1.0).fit(np.eye(4), np.arange(4.0)).save(tmp_path / "estimator")
    with pytest.raises(InputError, match=r"is a fitted kernel estimator.*read by kernelgap\.load"):
        load_model(estimator)
    with pytest.raises(InputError, match=r"is a fitted kernel estimator.*read by kernelgap\.load"):
        from_bytes(estimator.read_bytes())
    model = save_model(fitted.trained(), tmp_path / "model")
    with pytest.raises(InputError, match=r"is a model of an audit.*'kernelgap predict'"):
        kg.load(model)


@pytest.mark.parametrize("kind", ["linear", "3resnet"])
def test_a_damaged_file_is_no_model(kind):
    whole = to_bytes(fitted.trained(kind))
    rng = np.random.default_rng(0)
    places = [0, 7, 8, 9, len(whole) - 1, *rng.integers(0, len(whole), 60).tolist()]
    for at in places:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << int(rng.integers(8))
        for content in (bytes(damaged), whole[:at]):
            with pytest.raises(InputError, match="is not a model that kernelgap saved"):
                from_bytes(content)


def changed(content, header=lambda h: h, arrays=None):
    """The file with another header or other arrays, and the right SHA-256."""
    size = int.from_bytes(content[:8], "little")
    said = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["kernelgap.model"])
    held = {**load(content), **(arrays or {})}
    held = {name: values for name, values in held.items() if values is not None}
    text = json.dumps(header(said))
    return save(held, {"kernelgap.model": text, "sha256": tensor_file.digest(text, held)})


def under(*path, value):
    """A change of one value, deep in a header."""

    def change(header):
        at = header
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        return header

    return change


HUGE = {"name": "x", "kind": "label", "levels": [str(i) for i in range(100_000)], "frequent": "1"}


@pytest.mark.parametrize(
    ("kind", "header", "arrays", "words"),
    [
        ("kernel", under("format", value=2), {}, "format 2 of a newer kernelgap"),
        ("kernel", under("format", value=0), {}, "no format 0"),
        ("kernel", under("format", value="1"), {}, "format = '1' is not possible"),
        ("kernel", under("code", value="import os"), {}, "code"),
        ("kernel", lambda h: [h], {}, "header is no object"),
        ("kernel", lambda h: {}, {}, "format is missing"),
        ("kernel", under("model", "kind", value="trees"), {}, "model"),
        ("kernel", under("model", value=None), {}, "model"),
        ("kernel", under("model", "kernel", value="ntk9"), {}, "Unknown kernel 'ntk9'"),
        ("kernel", under("model", "kernel", value="__import__('os').system('true')"), {}, "is not a kernel"),
        ("kernel", under("model", "kernel", value="ck(depth=10000000)"), {}, "depth of at most 1,000"),
        ("kernel", under("model", "kernel", value="random_features(count=10000000)"), {}, "count of at most"),
        ("kernel", under("model", "kernel", value="ck2 + " * 10_000 + "ck2"), {}, "at most 2000 characters"),
        ("kernel", under("model", "kernel", value="(" * 1500), {}, "is not a kernel"),
        ("kernel", under("model", "kernel", value="gaussian"), {}, "fit it first"),
        ("kernel", under("model", "kernel", value="precomputed"), {}, "stands for a matrix"),
        ("kernel", under("model", "scale", value=-1.0), {}, "scale"),
        ("kernel", under("model", "scale", value=float("nan")), {}, "scale"),
        ("kernel", under("model", "points", value=10**12), {}, "points"),
        ("kernel", under("about", value=float("nan")), {}, "about"),
        ("kernel", under("preparation", "columns", value=[]), {}, "columns"),
        ("kernel", under("preparation", "columns", value=[HUGE]), {}, "at most 30 items after validation, not 100000"),
        ("kernel", lambda h: {**h, "preparation": {"columns": h["preparation"]["columns"][:1]}}, {}, "makes 1 columns"),
        ("kernel", under("preparation", "columns", 2, "frequent", value="mauve"), {}, "none of its labels"),
        ("kernel", under("targets", "names", value=["price"]), {}, "mean and a scale for each"),
        ("kernel", under("targets", "names", value=["price", "price"]), {}, "a name of its own"),
        ("kernel", under("targets", "names", value=[]), {}, "a name of its own"),
        ("kernel", under("targets", "scales", value=[1.0, 0.0]), {}, "scale of a target"),
        ("kernel", under("targets", "means", value=[1.0, float("inf")]), {}, "means"),
        ("kernel", under("targets", value={"names": ["a"], "task": "classification", "classes": ["x"]}), {}, "two"),
        (
            "kernel",
            under("targets", value={"names": ["a"], "task": "classification", "classes": ["x", "y", "z"]}),
            {},
            "targets are 3 columns, and the model gives 2",
        ),
        ("kernel", None, {"offset": None}, "not those of its kind"),
        ("kernel", None, {"more": np.ones(3)}, "not those of its kind"),
        ("kernel", None, {"offset": np.ones(2, np.float32)}, "offset is not of float64"),
        ("kernel", None, {"offset": np.array([1.0, np.nan])}, "contains NaN"),
        ("kernel", None, {"points": np.ones((12, 4))}, "model takes 4"),
        ("kernel", None, {"coefficients": np.ones((12, 3))}, "coefficients of the shape"),
        ("adaptive", under("model", "kernel", value="ck2"), {}, "has no metric"),
        ("adaptive", None, {"metric": -np.eye(5)}, "no eigenvalue below 0"),
        ("3resnet", under("model", "network", value="resnet-999"), {}, "between 1 and 64"),
        ("3resnet", under("model", "network", value="../3resnet"), {}, "Unknown network"),
        ("3resnet", under("model", "network", value="3layer"), {}, "not those of its kind"),
        ("3resnet", None, {"weights.W": np.ones((8, 5), np.float32)}, "must have the shape"),
        ("3resnet", None, {"weights.W": np.ones((7, 5))}, "weights.W is not of float32"),
        ("empirical", under("model", "train", value="ntk"), {}, "train"),
    ],
)  # fmt: skip
def test_a_file_whose_parts_do_not_belong_together_is_no_model(kind, header, arrays, words):
    whole = to_bytes(fitted.trained(kind))
    assert from_bytes(changed(whole)).model.features == fitted.FEATURES
    with pytest.raises(InputError, match=re.escape("This is not a model that kernelgap saved: ")) as caught:
        from_bytes(changed(whole, header or (lambda h: h), arrays))
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")
    assert not str(caught.value).endswith("..")
    assert len(str(caught.value)) < 1000
