"""Models as files: the same predictions to the last bit, and refusals of whatever is not such a file."""

import pickle
import struct

import numpy as np
import pytest
from safetensors.numpy import save_file

import kernelgap as kg
from kernelgap import models, tensor_file
from kernelgap.audit.models import load_model, save_model
from kernelgap.errors import InputError
from kernelgap.models.file import content
from support import fitted
from support.changed_files import change, check_refused, under

X = np.random.default_rng(8).normal(size=(50, fitted.FEATURES))


@pytest.mark.parametrize("kind", fitted.KINDS)
def test_a_model_predicts_the_same_after_loading(kind, tmp_path):
    model = fitted.model(kind)
    path = model.save(tmp_path / "model.safetensors")
    assert list(tmp_path.iterdir()) == [path]
    again = models.load(path)
    assert type(again) is type(model)
    assert again.metadata() == model.metadata()
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert path.read_bytes() == content(model) == content(again)


def test_the_model_of_an_estimator_and_of_an_audit(tmp_path):
    estimator = kg.KernelRegressor("ck2", ridge=1.0).fit(X, X[:, 0])
    model = models.load(estimator.save(tmp_path / "estimator"))
    np.testing.assert_array_equal(model.predict(X)[:, 0], estimator.predict(X))
    saved = fitted.table_model("3resnet")
    again = models.load(save_model(saved, tmp_path / "table"))
    np.testing.assert_array_equal(again.predict(X), saved.model.predict(X))


def test_what_cannot_be_saved(tmp_path):
    own = models.KernelModel(
        kg.kernels.from_function(lambda A, B: A @ B.T), np.ones((1, 5)), np.ones((1, 2)), np.ones(2)
    )
    with pytest.raises(InputError, match="code of yours"):
        own.save(tmp_path / "x")
    with pytest.raises(InputError, match="could not be written: No such file"):
        fitted.model("linear").save(tmp_path / "no" / "folder")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="could not be written"):
        fitted.model("linear").save(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, np.eye(2)])
def test_metadata_must_be_plain(value):
    with pytest.raises(InputError, match="must be plain: finite numbers, texts, lists, dicts"):
        content(fitted.model("linear"), metadata={"about": value})


READERS = [models.load, load_model, kg.load]


@pytest.mark.parametrize("read", READERS)
def test_files_that_are_not_models(read, tmp_path):
    path = tmp_path / "x"
    for content_ in (b"", b"garbage" * 100, pickle.dumps(3), struct.pack("<Q", 2**60) + b"{}"):
        path.write_bytes(content_)
        with pytest.raises(InputError, match=r"is not a model that kernelgap saved: .*[^.]\.$"):
            read(path)
    save_file({"offset": np.eye(3)}, path)
    with pytest.raises(InputError, match="says nothing of kernelgap"):
        read(path)
    for missing in (tmp_path / "nothing", path / "nothing"):
        with pytest.raises(InputError, match="There is no file"):
            read(missing)
    with pytest.raises(InputError, match=r"is a folder: give the file|has no model\.safetensors"):
        read(tmp_path)


def test_kinds_of_files_are_not_confused(tmp_path):
    estimator = kg.KernelRegressor("ck2", ridge=1.0).fit(np.eye(4), np.arange(4.0)).save(tmp_path / "estimator")
    with pytest.raises(
        InputError, match=r"is a fitted estimator, and not a model of an audit.*read by kernelgap\.load"
    ):
        load_model(estimator)
    table = save_model(fitted.table_model(), tmp_path / "table")
    with pytest.raises(InputError, match=r"is a model of an audit, and not a fitted estimator.*'kernelgap predict'"):
        kg.load(table)
    alone = fitted.model("linear").save(tmp_path / "alone")
    for read in (load_model, kg.load):
        with pytest.raises(InputError, match=r"is a model by itself.*read by kernelgap\.models\.load"):
            read(alone)
    training = tensor_file.write(tensor_file.TRAINING, {}, {}, tmp_path / "training")
    for read in READERS:
        with pytest.raises(InputError, match=r"is a training under way, and not a fitted model"):
            read(training)
    with pytest.raises(InputError, match=r"is a fitted model, and not a training under way: it is read by kernelgap"):
        tensor_file.read(tensor_file.TRAINING, alone, lambda header, arrays: None)


@pytest.mark.parametrize("kind", ["linear", "3resnet"])
def test_a_damaged_file_is_no_model(kind, tmp_path):
    path = fitted.model(kind).save(tmp_path / "x")
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    places = [0, 7, 8, 9, len(whole) - 1, *rng.integers(0, len(whole), 60).tolist()]
    for at in places:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << int(rng.integers(8))
        for found in (bytes(damaged), whole[:at]):
            path.write_bytes(found)
            with pytest.raises(InputError, match="is not a model that kernelgap saved"):
                models.load(path)


def test_sizes_are_bounded(tmp_path, monkeypatch):
    path = fitted.model("linear").save(tmp_path / "x")
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 100)
    with pytest.raises(InputError, match=r"^Reading '.*x' needs .* GiB are free. Read it where there is more memory.$"):
        models.load(path)
    monkeypatch.undo()
    monkeypatch.setattr(tensor_file, "LONGEST", 60)
    with pytest.raises(InputError, match=r"its header has \d+ characters"):
        models.load(path)
    with pytest.raises(InputError, match="at most 60 characters beside its arrays"):
        fitted.model("linear").save(tmp_path / "y")


@pytest.mark.parametrize(
    ("kind", "header", "arrays", "words"),
    [
        ("kernel", under("format", value=3), {}, "format 3 of a newer kernelgap"),
        ("kernel", under("format", value=0), {}, "no format 0"),
        ("kernel", under("format", value=1), {}, "format 1 has neither owner nor metadata"),
        ("kernel", under("format", value="2"), {}, "format = '2' is not possible"),
        ("kernel", under("code", value="import os"), {}, "code"),
        ("kernel", under("owner", value="os.system"), {}, "unknown owner 'os.system'"),
        ("kernel", under("owner", value=None), {}, "owner = None is not possible"),
        ("kernel", lambda h: [h], {}, "header is no object"),
        ("kernel", lambda h: {}, {}, "format is missing"),
        ("kernel", under("model", "kind", value="forest"), {}, "Unknown kind of model 'forest'"),
        ("kernel", under("model", "kind", value=["kernel"]), {}, "Unknown kind of model"),
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
        ("kernel", None, {"offset": None}, "not those of its kind"),
        ("kernel", None, {"more": np.ones(3)}, "not those of its kind"),
        ("kernel", None, {"offset": np.ones(2, np.float32)}, "offset is not of float64"),
        ("kernel", None, {"offset": np.array([1.0, np.nan])}, "contains NaN"),
        ("kernel", None, {"coefficients": np.ones((12, 3))}, "coefficients of the shape"),
        ("adaptive", under("model", "kernel", value="ck2"), {}, "has no metric"),
        ("adaptive", None, {"metric": -np.eye(5)}, "no eigenvalue below 0"),
        ("adaptive", None, {"metric": np.eye(4)}, "square metric"),
        ("3resnet", under("model", "network", value="resnet-999"), {}, "between 1 and 64"),
        ("3resnet", under("model", "network", value="../3resnet"), {}, "Unknown network"),
        ("3resnet", under("model", "network", value="3layer"), {}, "weights of 3layer are A, U, W, b1, b2, not"),
        ("3resnet", under("model", "network", value="conv-resnet-8(image=(9000, 9000, 3))"), {}, "243000000 inputs"),
        ("3resnet", under("model", "train", value="some"), {}, "train"),
        ("3resnet", under("model", "train", value="last"), {}, "that 'last' trains beside its start are A, not"),
        ("3resnet", None, {"weights.W": np.ones((8, 5), np.float32)}, "must have the shape"),
        ("3resnet", None, {"weights.W": np.ones((7, 5))}, "weights.W is not of float32"),
        ("3resnet", None, {"trained.A": np.ones((2, 7), np.float32)}, "'all' trains beside its start are , not A"),
        ("tangent", under("model", "train", value="ntk"), {}, "train"),
    ],
)  # fmt: skip
def test_a_file_whose_parts_do_not_belong_together_is_no_model(kind, header, arrays, words, tmp_path):
    path = fitted.model(kind).save(tmp_path / "x")
    assert models.load(change(path)).features == fitted.FEATURES
    check_refused(models.load, path, header, arrays, words)
