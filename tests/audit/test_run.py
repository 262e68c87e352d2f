"""An audit from a table to an answer, in this process, with few contenders."""

import json
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelgap.audit import plan
from kernelgap.audit import run as audit_run
from kernelgap.audit.chunks import Fitting, Judging, Refitting, work
from kernelgap.audit.contenders import registry
from kernelgap.audit.dataset import LABELS, load_dataset, read_arrays
from kernelgap.audit.plan import SearchSize
from kernelgap.audit.reading import read_audit
from kernelgap.audit.refitting import refitting
from kernelgap.audit.stages import choose, ranked_networks
from kernelgap.audit.store import AuditStore, FitKey
from kernelgap.errors import InputError
from kernelgap.reports.audit.text import command_of

FEW = {"gaussian": "kernel", "ck2": "kernel", "2layer": "network", "ridge": "baseline", "trees": "baseline"}


def table(rows=150, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=["a", "b", "c"])
    return frame.assign(y=3 * frame.a + frame.b**2 + 0.1 * rng.normal(size=rows))


class Here:
    """Does the work in this process; may be interrupted, or run out of time, after so many cells."""

    def __init__(self) -> None:
        self.done: list = []
        self.left = 10**9
        self.late = 10**9

    def __call__(self, cells, store, **options):
        finished = store.finished()
        for cell in cells:
            if cell.id in finished:
                continue
            if not self.left:
                raise KeyboardInterrupt
            if not self.late:
                return []
            self.left -= 1
            self.late -= 1
            store.save(cell, work(cell, lambda share: None))
            self.done.append(cell)
        return []


def few_contenders(monkeypatch):
    found = Here()
    for module in (registry, audit_run, plan):
        monkeypatch.setattr(module, "FAMILIES", FEW)
    monkeypatch.setattr(plan, "RUNGS", (SearchSize(4, 2, 2),) * 2)
    monkeypatch.setattr(plan, "PASSES", 10)
    monkeypatch.setattr(audit_run, "run_chunks", found)
    monkeypatch.setattr(audit_run, "measured_slowdown", lambda: 1.0)  # of which the plan keeps note
    return found


@pytest.fixture
def here(monkeypatch):
    return few_contenders(monkeypatch)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """An audit of ``table()`` and the cells that were done, for tests that only read it."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        here = few_contenders(monkeypatch)
        return audit_run.run_audit(table(), "y", tmp_path_factory.mktemp("finished") / "a"), here.done


def compared(done):
    """The cells that the verdict comes from."""
    return [cell for cell in done if not isinstance(cell, Refitting)]


def answers(audit):
    return audit.as_record() | dict.fromkeys(("fits", "contenders", "folder", "model"))  # seconds, and places


def test_an_audit_and_what_is_in_its_folder(here, tmp_path):
    audit = audit_run.run_audit(table(), "y", tmp_path / "a")
    assert audit.data.task == "regression"
    assert (audit.data.rows, audit.data.test_rows, audit.plan.sizes) == (150, 30, (60, 120))
    assert {curve.contender for curve in audit.answer.curves} == {*FEW, "2layer(last)", "2layer(ntk)"}
    assert not audit.unfinished
    judged = [cell for cell in here.done if isinstance(cell, Judging)]
    assert {(cell.contender, cell.samples, cell.seed) for cell in judged} == {
        (name, n, seed)
        for seed in (0, 1)
        for n, names in ((120, [*FEW, "2layer(last)", "2layer(ntk)"]), (60, FEW))
        for name in names
    }
    record = json.loads(json.dumps(audit.as_record(), allow_nan=False))
    assert record["verdict"]["outcome"] == audit.verdict
    again = read_audit(tmp_path / "a")
    assert answers(again) == answers(audit)
    assert set(audit.contenders.contender) == {curve.contender for curve in audit.answer.curves}
    model = audit.load_model()
    assert model.about["contender"] == audit.winner
    frame = table(20, seed=1)
    assert model.predict(frame).shape == (20, 1)


def test_the_kept_model_learned_from_all_rows_and_says_so(finished):
    audit, _ = finished
    trained = audit.load_model()
    assert audit.model_rows == trained.about["rows"] == trained.about["of"] == 150
    assert read_audit(audit.folder).model_rows == 150
    assert audit.as_record()["model_rows"] == 150
    assert "from all 150 rows" in audit.model_sentence
    assert "learned from 120 rows and seen no test row" in audit.model_sentence
    error = audit.contenders.set_index("contender").error[audit.winner]
    assert trained.about["test_error"] == pytest.approx(error)
    dataset = load_dataset((audit.folder / "dataset.npz").absolute())
    Y = read_arrays(audit.folder / LABELS, ("Y",))["Y"]
    with AuditStore.reading(audit.folder) as store:
        chosen = {named: one for named, one in store.outcomes().items() if named.contender == audit.winner}
    one = next(one for named, one in chosen.items() if (named.samples, named.seed) == (120, 0))
    assert trained.about["setting"] == json.loads(one.setting)
    outputs = one.outcome.outputs()
    kept = trained.model.predict(dataset.X_test)
    assert np.mean((kept - Y) ** 2) < np.mean((outputs - Y) ** 2), "it has learned from the test rows"


def test_the_dataset_of_an_earlier_version_is_read(finished, tmp_path):
    path = finished[0].folder.absolute() / "dataset.npz"
    with np.load(path) as arrays:
        older = {"words" if name == "metadata" else name: array for name, array in arrays.items()}
    np.savez(tmp_path / "material.npz", **older)
    assert load_dataset(tmp_path / "dataset.npz").digest == load_dataset(path).digest


def test_without_time_the_model_that_was_tested_is_kept(here, tmp_path, monkeypatch):
    monkeypatch.setattr(audit_run, "refitting", lambda *_: None)
    audit = audit_run.run_audit(table(), "y", tmp_path / "a")
    assert audit.model_rows == audit.load_model().about["rows"] == 120
    assert "It is the model that was tested: it learned from 120 of 150 rows" in audit.model_sentence
    dataset = load_dataset((tmp_path / "a" / "dataset.npz").absolute())
    with AuditStore.reading(tmp_path / "a") as store:
        one = store.outcomes()[FitKey(audit.winner, 120, 0)]
    np.testing.assert_array_equal(audit.load_model().model.predict(dataset.X_test), one.outcome.outputs())


@pytest.mark.parametrize(("left", "rows"), [(1e6, 150), (0.0, None)])
def test_as_many_rows_as_the_time_allows(here, finished, left, rows):
    audit, _ = finished
    dataset = load_dataset((audit.folder / "dataset.npz").absolute())
    with AuditStore.reading(audit.folder) as store:
        cell = refitting(audit, store, dataset, left)
        assert (cell and cell.samples) == rows
        part = refitting(replace(audit, data=replace(audit.data, rows=100_000)), store, dataset, 5.0)
    assert 120 < part.samples < 100_000


def test_choices_are_made_on_validation_rows_by_the_mean_over_seeds(finished):
    audit, done = finished
    with AuditStore.reading(audit.folder) as store:
        judgements = store.judgements()
    choices = choose(judgements)
    for name in FEW:
        errors = np.mean(
            [j.read().errors for named, j in judgements.items() if (named.contender, named.samples) == (name, 120)],
            axis=0,
        )
        assert choices[name, 120].error == pytest.approx(errors.min())
    assert ranked_networks(choices, 120) == ["2layer"]
    fitted = [cell for cell in done if isinstance(cell, Fitting)]
    assert fitted
    assert all(cell.setting == choices[cell.contender, cell.samples].setting for cell in fitted)


def test_targets_of_test_rows_reach_nobody_who_learns_or_chooses(here, finished, tmp_path):
    """With other targets in the test rows every cell gives the same; only the answer changes."""
    frame = table()
    first, _ = finished
    from kernelgap.audit.split import put_aside

    test = put_aside(150, None, seed=0)[1]
    other = frame.copy()
    other.loc[test, "y"] = np.random.default_rng(5).normal(size=len(test))
    second = audit_run.run_audit(other, "y", tmp_path / "b")
    found = []
    for folder in (first.folder, tmp_path / "b"):
        with AuditStore.reading(folder) as store:
            found.append({n: (one.setting, one.outcome.predictions) for n, one in store.outcomes().items()})
    assert found[0] == found[1]
    assert first.answer.comparison.kernel_error != second.answer.comparison.kernel_error
    with np.load(first.folder / "dataset.npz") as dataset:
        assert sorted(dataset.files) == ["X", "X_test", "Y", "metadata"]
        assert len(dataset["Y"]) == 120


@pytest.mark.parametrize(
    "cells", [pytest.param(3, marks=pytest.mark.slow), 14, pytest.param(20, marks=pytest.mark.slow)]
)
def test_an_interrupted_audit_goes_on_and_ends_as_an_uninterrupted_one(here, finished, tmp_path, cells):
    whole, done = finished
    here.left = cells
    with pytest.raises(KeyboardInterrupt, match=f"^{cells} of .* were finished and are kept"):
        audit_run.run_audit(table(), "y", tmp_path / "cut")
    here.left = 10**9
    resumed = audit_run.run_audit(table(), "y", tmp_path / "cut")
    assert len(compared(here.done)) == len(compared(done)), "nothing was done twice"
    assert answers(resumed) == answers(whole)


def test_what_there_was_no_time_for_is_named(here, tmp_path):
    here.late = 9 + 8  # of the 10 + 10 with the most samples
    audit = audit_run.run_audit(table(), "y", tmp_path / "a")
    assert audit.unfinished
    assert all("samples, seed" in label for label in audit.unfinished)


def test_there_is_an_answer_if_no_worker_does_anything(here, tmp_path):
    here.late = 0
    audit = audit_run.run_audit(table(), "y", tmp_path / "a", budget=150.0)
    assert not here.done
    assert audit.verdict == "undecided"
    assert set(audit.contenders.contender) == set(registry.FIRST)
    assert audit.contenders.samples.unique().tolist() == [119]
    assert any(
        "ck2 may do better" in reason or "2layer may do better" in reason for reason in audit.answer.verdict.reasons
    )
    assert audit.load_model().about["rows"] == 150
    here.late = 10**9
    later = audit_run.run_audit(table(), "y", tmp_path / "a")
    assert registry.SMALL not in set(later.contenders.contender), "who came first is left out once others are there"
    assert later.answer.comparison.samples == 120
    assert later.model_rows == 150


def test_the_budget_that_is_told_is_the_one_that_was_given_last(here, tmp_path):
    audit_run.run_audit(table(), "y", tmp_path / "a", budget="1m")
    audit = audit_run.run_audit(table(), "y", tmp_path / "a", budget="150s")
    assert (audit.budget, audit.plan.budget) == (150.0, 60.0)


@pytest.mark.parametrize(("hanging", "seeds"), [(0.0, [0]), (30.0, [0, 1])])
def test_there_is_an_answer_if_reading_took_the_whole_budget(here, tmp_path, monkeypatch, hanging, seeds):
    given, run_here = [], audit_run.run_here

    def noted(cells, store, do, until):
        given.append(until - time.monotonic())
        run_here(cells, store, do, until)

    monkeypatch.setattr(audit_run, "run_here", noted)
    monkeypatch.setattr(audit_run, "HANGING", hanging)
    here.late = 0
    audit = audit_run.run_audit(table(), "y", tmp_path / "a", budget=10.0, began=time.monotonic() - 60)
    assert min(given[:2]) >= 200
    assert sorted(audit.table.seed.unique()) == seeds
    assert set(audit.contenders.contender) == set(registry.FIRST)
    assert audit.deploy.startswith("Deploy ")


def test_seeds_are_as_many_as_asked_for(here, tmp_path):
    audit = audit_run.run_audit(table(), "y", tmp_path / "a", seeds=3)
    assert audit.plan.seeds == 3
    assert audit.table.seed.nunique() == 3
    with pytest.raises(InputError, match="has a plan of 3 seeds: choose another --out for 4"):
        audit_run.run_audit(table(), "y", tmp_path / "a", seeds=4)


def test_another_table_in_the_same_folder_is_refused(here, finished):
    audit, _ = finished
    with pytest.raises(InputError, match="holds another run"):
        audit_run.run_audit(table(seed=1), "y", audit.folder)


def test_the_best_model_of_all_is_deployed_and_kept(finished):
    audit, _ = finished
    table = audit.with_samples(120)
    best = table.iloc[table.validation_error.argmin()]
    assert audit.answer.best.contender == best.contender == audit.winner == audit.load_model().about["contender"]
    assert audit.deploy.startswith(f"Deploy {best.contender} (the least validation error of 7 contenders): RMSE ")
    assert f"R^2 {best.r2:.3f}, on 30 test rows that it had not seen." in audit.deploy
    assert audit.as_record()["deploy"] == audit.deploy
    shown = {other.contender for other in table.itertuples() if other.error > best.error + 0.05}
    assert shown
    assert not shown & set(audit.answer.best.no_better_than)


def test_trees_are_kept_where_they_are_best(here, tmp_path):
    frame = table(400).assign(y=lambda f: np.sign(f.a) * np.sign(f.b) + 0.1 * f.c)
    audit = audit_run.run_audit(frame, "y", tmp_path / "a")
    assert audit.winner == "trees"
    model = audit.load_model()
    assert model.model.metadata().kind == "trees"
    predicted = model.predict(frame).y
    assert np.mean((predicted - frame.y) ** 2) < 0.2 * frame.y.var()


def test_floors_are_below_what_the_best_kernel_has(finished):
    audit, _ = finished
    assert [floor.samples for floor in audit.answer.floors] == [60]
    (floor,) = audit.answer.floors
    assert floor.kernel == audit.answer.comparison.kernel
    assert (floor.rows, floor.random_share) == (90, pytest.approx(1 - 60 / 89))
    assert 0 < floor.share < 1


OWN = ["sklearn.tree:DecisionTreeRegressor", make_pipeline(StandardScaler(), Ridge(alpha=0.1))]


def test_contenders_of_ones_own_compete(here, tmp_path):
    audit = audit_run.run_audit(table(), "y", tmp_path / "a", contenders=OWN)
    own = audit.contenders.set_index("contender").loc[["own:DecisionTreeRegressor", "own:Pipeline"]]
    assert own.family.tolist() == ["baseline"] * 2
    linear = audit.contenders.set_index("contender").loc["ridge"]
    assert own.error["own:Pipeline"] == pytest.approx(linear.error, rel=0.1)
    again = read_audit(tmp_path / "a")
    assert set(again.contenders.contender) == set(audit.contenders.contender)
    assert "--contender sklearn.tree:DecisionTreeRegressor" in command_of(again)
    assert audit.winner not in own.index
    with pytest.raises(InputError, match="other contenders of your own"):
        audit_run.run_audit(table(), "y", tmp_path / "a")


def test_an_own_contender_that_is_best_is_deployed_and_another_is_kept(here, tmp_path):
    frame = table(200).assign(y=lambda f: f.a + 2.0 * (np.arange(200) % 2), odd=np.arange(200) % 2)
    audit = audit_run.run_audit(frame, "y", tmp_path / "a", contenders=["sklearn.linear_model:LinearRegression"])
    assert audit.answer.best.contender == "own:LinearRegression"
    assert audit.winner in FEW
    assert f"The model that is kept is {audit.winner}, the best of those that a file can hold" in audit.not_shown[-1]


def worst(truth, predicted):
    return np.quantile(np.abs(truth - predicted), 0.9)


def test_a_metric_chooses_and_compares(here, tmp_path):
    audit = audit_run.run_audit(table(), "y", tmp_path / "a", metric="mae")
    assert audit.measures == ["mae"]
    dataset, Y = (
        load_dataset((audit.folder / "dataset.npz").absolute()),
        read_arrays(audit.folder / LABELS, ("Y",))["Y"],
    )
    with AuditStore.reading(audit.folder) as store:
        stored = store.outcomes()
    for row in audit.with_samples(120).itertuples():
        fits = [fit for key, fit in stored.items() if (key.contender, key.samples) == (row.contender, 120)]
        errors = [
            np.abs(dataset.targets.decode(fit.outcome.outputs()) - dataset.targets.decode(Y)).mean() for fit in fits
        ]
        assert row.mae == pytest.approx(np.mean(errors))
        assert row.validation_error == pytest.approx(np.mean([fit.validation_error for fit in fits]))
    assert f"mean absolute error {audit.metric.text(audit.answer.best.error.value)}" in audit.deploy
    assert "--metric mae" in command_of(audit)
    own = audit_run.run_audit(table(), "y", tmp_path / "b", metric=worst)
    assert own.measures == ["worst"]
    with pytest.raises(InputError, match="another metric"):
        audit_run.run_audit(table(), "y", tmp_path / "a")


def test_shares_of_classes_have_a_log_loss(here, tmp_path):
    frame = table().assign(y=lambda f: np.where(f.a + 0.5 * f.b > 0, "yes", "no"))
    audit = audit_run.run_audit(frame, "y", tmp_path / "a", metric="log_loss")
    assert audit.measures == ["log_loss"]
    assert audit.answer.best.error.value < 0.5 < 0.6 < audit.answer.constant.value < 0.75
    assert audit.answer.classes.classes == ("no", "yes")
    assert np.sum(audit.answer.classes.confusion) == pytest.approx(30)


def grouped(rows=300):
    """Rows of 60 people, each of whom has a level of his own: known people are easy, others are not."""
    rng = np.random.default_rng(3)
    person = np.arange(rows) % 60
    frame = pd.DataFrame(rng.normal(size=(60, 3))[person] + 0.01 * rng.normal(size=(rows, 3)), columns=["a", "b", "c"])
    return frame.assign(person=[f"p{i}" for i in person], y=rng.normal(size=60)[person] + 0.05 * rng.normal(size=rows))


def test_groups_are_put_aside_whole(here, tmp_path):
    mixed = audit_run.run_audit(grouped(), "y", tmp_path / "mixed", leave_out=["person"])
    apart = audit_run.run_audit(grouped(), "y", tmp_path / "apart", group="person")
    assert mixed.answer.best.error.value < 0.3 * apart.answer.best.error.value
    dataset = load_dataset((tmp_path / "apart" / "dataset.npz").absolute())
    assert len(np.unique(dataset.groups)) == 48
    for seed in range(3):
        train, val = dataset.rows(len(dataset.X), seed)
        assert not set(dataset.groups[train]) & set(dataset.groups[val])
    assert apart.data.features == 3
    assert "test groups" in " ".join(apart.answer.verdict.reasons)


@pytest.mark.parametrize(
    "write", [lambda days: days.strftime("%d %b %Y"), lambda days: days, lambda days: days.year * 366]
)
def test_the_latest_rows_are_put_aside(here, tmp_path, write):
    rng = np.random.default_rng(4)
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.permutation(150) * 20, unit="D")
    frame = table().assign(when=write(days))
    audit = audit_run.run_audit(frame, "y", tmp_path / "a", time="when")
    assert audit.data.features == 3
    assert 30 <= audit.data.test_rows < 60, "all of one year"
    dataset = load_dataset((tmp_path / "a" / "dataset.npz").absolute())
    train, val = dataset.rows(len(dataset.X), 1)
    assert dataset.times[train].max() < dataset.times[val].min()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"group": "a", "time": "b"}, "give one of the two"),
        ({"group": "y"}, "is the target"),
        ({"group": "person"}, "no column 'person'"),
        ({"time": "colour"}, "which is no date"),
        ({"metric": "auc"}, "is for classes"),
        ({"metric": lambda truth, predicted: 0.0}, "cannot import"),
        ({"contenders": ["math:floor"]}, "cannot be made|has no fit"),
        ({"contenders": ["sklearn.linear_model:LogisticRegression"]}, "is not for regression"),
    ],
)
def test_choices_that_cannot_be_made(here, tmp_path, options, words):
    with pytest.raises(InputError, match=words):
        audit_run.run_audit(table().assign(colour="red"), "y", tmp_path / "a", **options)


@pytest.mark.slow
def test_classes(here, tmp_path):
    frame = table().assign(y=lambda f: np.where(f.a + 0.5 * f.b > 0, "yes", "no"))
    audit = audit_run.run_audit(frame, "y", tmp_path / "a")
    assert audit.data.classes == ("no", "yes")
    assert audit.contenders.accuracy.max() > 0.8
    most = load_dataset((audit.folder / "dataset.npz").absolute()).Y.mean(axis=0).argmax()
    test = read_arrays(audit.folder / LABELS, ("Y",))["Y"]
    assert audit.answer.constant_accuracy.value == pytest.approx(test[:, most].mean())
    assert audit.load_model().predict(frame).iloc[:, 0].isin(["no", "yes"]).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 0.5}, "seed"),
        ({"seeds": 0}, "seeds is a whole number"),
        ({"workers": 0}, "worker"),
        ({"budget": "soon"}, "budget"),
    ],
)
def test_bad_arguments(tmp_path, options, words):
    with pytest.raises(InputError, match=words):
        audit_run.run_audit(table(), "y", tmp_path / "a", **options)
    assert not (tmp_path / "a").exists()
