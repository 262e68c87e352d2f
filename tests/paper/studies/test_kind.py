"""Studies as runs: planned, measured, resumed, read, and damaged."""

import json
import pickle
import sqlite3
from functools import partial

import pytest
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from kernelgap.errors import InputError
from kernelgap.paper.claims.claim import Picture
from kernelgap.paper.figures import EXPERIMENTS, register
from kernelgap.paper.studies import STUDIES, get
from kernelgap.paper.studies.kind import StudyChunk, StudyStore, measure, plan_study, read_study
from kernelgap.paper.studies.study import Part, Study, StudyScale
from kernelgap.runs.kind import STUDIES as NAMES
from kernelgap.runs.kind import kind_for, kind_named
from kernelgap.runs.start import run

CALLS: list[str] = []


def count(label: str, seed: int) -> list[dict[str, object]]:
    CALLS.append(label)
    return [{"label": label, "value": len(label) + seed, "none": None}]


class TinyRow(TypedDict):
    label: str
    value: int
    none: None


TINY = Study(
    name="outside",
    title="For tests",
    source="tests",
    scales={"quick": StudyScale(tuple(Part(x, float(len(x)), partial(count, x)) for x in ("a", "bb")), "seconds")},
    schema=TypeAdapter(list[TinyRow]),
    columns=(("label", "label", ""), ("value", "value", ".1f"), ("none", "none", "d")),
    summarise=lambda rows: sorted(rows, key=lambda row: row["label"]),
    sentence=lambda rows: f"{len(rows)} rows.",
    charts=lambda rows: {"one": Picture("x", "y", ())},
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A finished study."""
    CALLS.clear()
    monkeypatch.setitem(STUDIES, "outside", TINY)
    plan = plan_study("outside", "quick", 3, tmp_path / "run")
    kind = kind_named("study")
    with StudyStore.open(plan.folder) as store:
        store.describe(kind.describe(plan.description))
        store.note(dict(plan.notes))
        for chunk in plan.chunks:
            store.save(chunk, measure(chunk))
    return plan.folder


def test_what_was_measured_is_read(folder):
    found = read_study(folder)
    assert [(row["label"], row["value"]) for row in found.rows] == [("a", 4), ("bb", 5)]
    assert found.sentence == "2 rows."
    assert len(found.table) == 2
    record = found.as_record()
    assert json.loads(json.dumps(record, allow_nan=False))["rows"][0] == {"label": "a", "value": 4, "none": None}


def test_the_longest_part_comes_first_and_the_names_start_studies(folder):
    plan = plan_study("outside", "quick", 3, folder)
    assert [chunk.label for chunk in plan.chunks] == ["bb", "a"]
    assert plan.estimate(plan.chunks, 1) == 3.0
    assert set(NAMES) == set(STUDIES)
    assert {kind_for(name).name for name in NAMES} == {"study"}
    assert (kind_for("fig2a").name, kind_for("claims").name, kind_for("study").name) == ("figure", "claims", "figure")


def test_a_finished_run_measures_nothing_again(folder):
    before = list(CALLS)
    found = run("outside", out=folder, seed=3, page=False)
    assert (found.sentence, CALLS) == ("2 rows.", before)


@pytest.mark.parametrize("text", ["", "no JSON", "{}", "[3]", '[{"label": []}]', '[{"label": "x"}]', "[" * 100_000])
def test_damaged_rows_are_refused(folder, text):
    with sqlite3.connect(folder / "run.sqlite") as connection:
        connection.execute("UPDATE parts SET rows = ?", (text,))
    with pytest.raises(InputError, match="is not a readable run"):
        read_study(folder)


def test_an_unfinished_folder_and_unknown_names_are_refused(folder, tmp_path):
    plan = plan_study("outside", "quick", 0, tmp_path / "empty")
    with StudyStore.open(plan.folder) as store:
        store.describe(kind_named("study").describe(plan.description))
    with pytest.raises(InputError, match="Nothing is finished"):
        read_study(plan.folder)
    with pytest.raises(InputError, match="scale"):
        plan_study("outside", "paper", 0, None)
    with pytest.raises(InputError, match="map"):
        get("mop")
    with pytest.raises(InputError, match="already"):
        register(type(EXPERIMENTS["fig2a"])(**{**vars(EXPERIMENTS["fig2a"]), "name": "map"}))


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_every_part_has_its_own_label_and_every_column_a_row_key(name):
    study = get(name)
    for scale in study.scales.values():
        labels = [part.label for part in scale.parts]
        assert len(set(labels)) == len(labels)
        assert scale.seconds > 0
        for part in scale.parts:
            chunk = StudyChunk(name, "quick", part, 0)
            assert pickle.loads(pickle.dumps(chunk)).id == chunk.id  # as it goes to a worker
