"""Files that earlier versions wrote: they load and predict the same numbers, or are refused with one sentence.

They were made from eight samples each; expected.json has what the version that wrote them predicted.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kernelgap as kg
from kernelgap import models
from kernelgap.audit.models import load_model
from kernelgap.errors import InputError
from support import fitted
from support.changed_files import check_refused, parts, under

FILES = Path(__file__).parent / "files"
EXPECTED = json.loads((FILES / "expected.json").read_text())
NAMES = sorted(EXPECTED)


def test_every_file_is_of_an_old_format():
    for name in NAMES:
        mark, header, _ = parts(FILES / f"{name}.safetensors")
        assert (mark, header.get("format")) == (("kernelgap", None) if "estimator" in name else ("kernelgap.model", 1))


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("estimator")])
def test_an_estimator_predicts_what_it_did(name, tmp_path):
    estimator = kg.load(FILES / f"{name}.safetensors")
    plain = np.array(EXPECTED[name]["inputs"])
    inputs = pd.DataFrame(plain, columns=list("abc")) if hasattr(estimator, "feature_names_in_") else plain
    predict = estimator.decision_function if hasattr(estimator, "classes_") else estimator.predict
    np.testing.assert_allclose(predict(inputs), EXPECTED[name]["predictions"], rtol=1e-9, atol=1e-12)
    again = kg.load(estimator.save(tmp_path / "new"))
    np.testing.assert_array_equal(again.predict(inputs), estimator.predict(inputs))


def test_what_else_an_old_estimator_knows():
    model = kg.load(FILES / "estimator-adaptive.safetensors")
    assert (model.round_, model.factor_, model.ridge_, model.ridge) == (1, 1.0, 0.01, 0.01)
    assert model.spectrum_.samples == 8
    assert model.path_["ridge"].tolist() == [0.01, 0.1]
    assert model.rounds_["round"].tolist() == [0.0, 1.0]
    assert model.metric_.trace() == pytest.approx(3)
    classes = {name: kg.load(FILES / f"estimator-{name}.safetensors").classes_ for name in ("classifier", "integers")}
    assert classes["classifier"].tolist() == ["high", "low"]
    assert (classes["integers"].tolist(), classes["integers"].dtype) == ([5, 6, 7], np.int64)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("model")])
def test_a_model_of_an_audit_predicts_what_it_did(name):
    model = load_model(FILES / f"{name}.safetensors")
    expected = pd.DataFrame(EXPECTED[name]["predictions"])
    predictions = model.predict(fitted.table(4, seed=9)).reset_index(drop=True)
    rtol = 1e-5 if "resnet" in name else 1e-9
    pd.testing.assert_frame_equal(predictions, expected, rtol=rtol, check_index_type=False, check_dtype=False)
    assert model.about["samples"] == fitted.ROWS


@pytest.mark.parametrize(
    ("name", "header", "arrays", "words"),
    [
        ("estimator-integers", under("kind", value="KernelMachine"), {}, "Unknown estimator 'KernelMachine'"),
        ("estimator-integers", under("kind", value=["KernelClassifier"]), {}, "kind"),
        ("estimator-integers", under("kind", value="ResNetRegressor"), {}, "another kind of model"),
        ("estimator-integers", lambda h: {k: v for k, v in h.items() if k != "ridge"}, {}, "ridge is missing"),
        ("estimator-integers", under("ridge", value="much"), {}, "ridge = 'much' is not possible"),
        ("estimator-integers", under("spectrum", value=[1.0]), {}, "spectrum"),
        ("estimator-integers", under("samples", value=7), {}, "as many samples as coefficients"),
        ("estimator-integers", under("kernel", value="precomputed"), {}, "stands for a matrix"),
        ("estimator-integers", under("kernel", value={"a": 1}), {}, "kernel"),
        ("estimator-integers", under("feature_names", value=["a"]), {}, "other names"),
        ("estimator-integers", under("labels", value=None), {}, "needs labels"),
        ("estimator-integers", None, {"dual_coef": np.zeros((8, 3), np.float32)}, "not of float64"),
        ("estimator-integers", None, {"dual_coef": np.zeros((0, 10**12))}, "none of them 0"),
        ("estimator-integers", None, {"X_fit": np.zeros((8, 0))}, "none of them 0"),
        ("estimator-integers", None, {"X_fit": None}, "its inputs are missing"),
        ("estimator-integers", None, {"dual_coef": None}, "format is missing"),
        ("estimator-adaptive", under("kernel", value="ck2"), {}, "has no metric"),
        ("estimator-adaptive", None, {"metric": None}, "not those of its kind"),
        ("estimator-precomputed", None, {"dual_coef": np.zeros(8)}, "must have 2 dimensions"),
        ("model-linear", under("preparation", value=3), {}, "preparation"),
        ("model-linear", under("owner", value="estimator"), {}, "owner"),
        ("model-empirical", under("model", "train", value="ntk"), {}, "train"),
    ],
)  # fmt: skip
def test_changed_ones_are_refused(name, header, arrays, words, tmp_path):
    path = tmp_path / "x"
    path.write_bytes((FILES / f"{name}.safetensors").read_bytes())
    check_refused(kg.load if name.startswith("estimator") else load_model, path, header, arrays, words)


def test_old_kinds_are_not_confused():
    with pytest.raises(InputError, match=r"is a fitted estimator, and not a model of an audit"):
        load_model(FILES / "estimator-regressor.safetensors")
    with pytest.raises(InputError, match=r"is a model of an audit, and not a fitted estimator"):
        kg.load(FILES / "model-kernel.safetensors")
    assert isinstance(models.load(FILES / "model-last.safetensors"), models.TangentModel)
