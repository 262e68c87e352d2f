"""Models of tables as files: the same predictions to the last bit, and refusals of parts that do not fit."""

import numpy as np
import pytest

from kernelgap.audit.models import TableModel, load_model, save_model, to_bytes
from kernelgap.errors import InputError
from support import fitted
from support.changed_files import change, check_refused, under

NEW = fitted.table(50, seed=9)


@pytest.mark.parametrize(
    ("kind", "targets"), [("linear", fitted.CLASSES), *((kind, fitted.REGRESSION) for kind in fitted.KINDS)]
)
def test_a_model_predicts_the_same_after_loading(kind, targets, tmp_path):
    model = fitted.table_model(kind, targets)
    before = model.predict(NEW)
    path = save_model(model, tmp_path / "model.safetensors")
    assert list(tmp_path.iterdir()) == [path]
    for again in (load_model(path), load_model(tmp_path)):
        assert type(again.model) is type(model.model)
        assert again.model.metadata() == model.model.metadata()
        assert (again.targets, again.about) == (model.targets, model.about)
        assert again.predict(NEW).equals(before)
    assert path.read_bytes() == to_bytes(model) == to_bytes(load_model(path))


def test_what_cannot_be_saved():
    for about in ({"a": np.nan}, {"a": np.ones(2)}, {"a": {1, 2}}):
        with pytest.raises(InputError, match="must be plain"):
            to_bytes(TableModel(fitted.model("linear"), fitted.preparation(), fitted.REGRESSION, about))


HUGE = {"name": "x", "kind": "label", "levels": [str(i) for i in range(100_000)], "frequent": "1"}


def columns(change_columns):
    return lambda h: (h["metadata"]["preparation"].update(columns=change_columns(h["metadata"]["preparation"])), h)[1]


def targets(**fields):
    return lambda h: (h["metadata"]["targets"].update(fields), h)[1]


@pytest.mark.parametrize(
    ("header", "arrays", "words"),
    [
        (under("metadata", "code", value="import os"), {}, "code"),
        (under("metadata", value={}), {}, "preparation is missing"),
        (under("metadata", "about", value=float("nan")), {}, "metadata.about"),
        (under("metadata", "about", value=3), {}, "about = 3 is not possible"),
        (columns(lambda p: []), {}, "columns"),
        (columns(lambda p: [HUGE]), {}, "at most 30 items after validation, not 100000"),
        (columns(lambda p: p["columns"][:1]), {}, "makes 1 columns"),
        (under("metadata", "preparation", "columns", 2, "frequent", value="mauve"), {}, "none of its labels"),
        (targets(names=["price"]), {}, "mean and a scale for each"),
        (targets(names=["price", "price"]), {}, "a name of its own"),
        (targets(names=[]), {}, "a name of its own"),
        (targets(scales=[1.0, 0.0]), {}, "scale of a target"),
        (targets(means=[1.0, float("inf")]), {}, "means"),
        (under("metadata", "targets", value={"names": ["a"], "task": "classification", "classes": ["x"]}), {}, "two"),
        (
            under("metadata", "targets", value={"names": ["a"], "task": "classification", "classes": ["x", "y", "z"]}),
            {},
            "targets are 3 columns, and the model gives 2",
        ),
        (None, {"points": np.ones((12, 4))}, "model takes 4"),
        (None, {"owner.more": np.ones(2)}, "not those of its kind"),
    ],
)  # fmt: skip
def test_a_file_whose_parts_do_not_belong_together_is_no_model(header, arrays, words, tmp_path):
    path = save_model(fitted.table_model("kernel"), tmp_path / "x")
    assert load_model(change(path)).model.features == fitted.FEATURES
    check_refused(load_model, path, header, arrays, words)
