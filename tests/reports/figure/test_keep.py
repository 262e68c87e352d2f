"""A reference of a real run, tiny: kept, refused where it is none, read, damaged, and compared with."""

import json
import shutil
import sys
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import kernelgap as kg
from kernelgap.cli import main
from kernelgap.cli.show.figure import show_figure
from kernelgap.errors import InputError
from kernelgap.fingerprint import fingerprint
from kernelgap.paper.figures import EXPERIMENTS, compare, read_reference, reference
from kernelgap.paper.figures.reference import Beside, Point, kept_references, points_of
from kernelgap.reports.figure.keep import keep_reference
from kernelgap.runs import Failure, Run, read_run
from support.kept import kept

pytestmark = pytest.mark.usefixtures("no_bundle")

INF = float("inf")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished run with five seeds."""
    folder = tmp_path_factory.mktemp("runs") / "kept"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EXPERIMENTS, "kept", kept)
        kg.run("kept", out=folder, workers=1, page=False, on_progress=lambda progress: None)
    return folder


@pytest.fixture
def run(folder):
    return read_run(folder)


@pytest.fixture
def root(run, tmp_path, monkeypatch):
    """A folder of references with that of the run, in place of the package's."""
    monkeypatch.setattr(reference, "RESULTS", tmp_path / "results")
    keep_reference(run, tmp_path / "results")
    return tmp_path / "results"


def test_what_is_kept(run, root, folder):
    files = {path.name: path.read_bytes() for path in (root / "kept-quick").iterdir()}
    assert set(files) == {"reference.json", "summary.csv", "errors.svg"}
    assert sum(map(len, files.values())) < 200_000
    assert files["errors.svg"].startswith(b"<svg")
    found = read_reference(root / "kept-quick")
    summary = run.summary
    assert (found.experiment, found.scale, found.seeds, found.search_seeds) == ("kept", "quick", [0, 1, 2, 3, 4], [])
    assert [point.median for point in found.points] == pytest.approx(summary["median"].tolist(), rel=1e-5)
    ranges = np.array([point.range for point in found.points])
    np.testing.assert_allclose(ranges, summary[["least", "greatest"]].to_numpy(), rtol=1e-5)
    assert (found.version, found.code) == (run.version, run.code)
    assert found.environment == run.environment
    assert found.date == run.times.finished.max().strftime("%Y-%m-%d")
    table = pd.read_csv(root / "kept-quick" / "summary.csv")
    assert table["median"].tolist() == pytest.approx(summary["median"].tolist(), rel=1e-5)
    for content in files.values():
        assert str(folder).encode() not in content
    assert [kept.experiment for kept in kept_references()] == ["kept"]


def test_the_same_run_gives_the_same_bytes(run, root, tmp_path):
    again = keep_reference(run, tmp_path / "again")
    for path in (root / "kept-quick").iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes()


def test_an_unfinished_run_is_not_kept(run, tmp_path):
    for unfinished in (
        replace(run, planned=run.planned + 1),
        replace(run, failures=(Failure("chunk", "3resnet", 1, "no"),)),
    ):
        with pytest.raises(InputError, match="is not finished"):
            keep_reference(unfinished, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_fewer_than_five_seeds_are_not_kept(run, tmp_path):
    four = replace(run, table=run.table[(run.table.seed < 4) | (run.table.method == "ck2")])
    with pytest.raises(InputError, match=r"fewer seeds than a reference needs: 3resnet\(all\) has 4, and 5 are"):
        keep_reference(four, tmp_path)


def test_what_no_reference_can_be_made_of(run, tmp_path):
    with pytest.raises(InputError, match="does not say with which version"):
        keep_reference(replace(run, code=None), tmp_path)
    with pytest.raises(InputError, match="code = 3 is not possible"):
        keep_reference(replace(run, code=3), tmp_path)
    with pytest.raises(InputError, match="cannot be that of a folder"):
        keep_reference(replace(run, scale="../elsewhere"), tmp_path)
    with pytest.raises(InputError, match="has no finite error"):
        keep_reference(replace(run, table=run.table.assign(test_error=INF, status="diverged")), tmp_path)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be made"):
        keep_reference(run, tmp_path / "file")


def test_a_large_one_is_not_kept(run, tmp_path):
    many = [run.table.assign(method=f"{i:04}" * 1000, width=4) for i in range(30)]
    with pytest.raises(InputError, match="and 200,000 are the most"):
        keep_reference(replace(run, table=pd.concat(many, ignore_index=True)), tmp_path)


def test_a_run_agrees_with_itself(run, root, capsys):
    comparison = run.comparison
    assert [point.agrees for point in comparison.points] == [True] * len(run.summary)
    assert "3 of 3 points agree" in comparison.sentence
    assert "5 of the seeds are the same" in comparison.sentence
    assert "another version" not in comparison.sentence
    show_figure(run)
    assert comparison.sentence in capsys.readouterr().out
    record = json.loads(json.dumps(run.as_record(), allow_nan=False))["reference"]
    assert (record["agree"], record["made"]["code"], record["missing"]) == (3, run.code, [])
    assert comparison.sentence in run.report().read_text()


def test_a_run_that_differs_is_told_so(run, root):
    wide = (run.table.width == 5).fillna(False).to_numpy(bool)
    worse = run.table.assign(test_error=run.table.test_error.where(~wide, run.table.test_error + 50))
    seeds = run.table.seed + 10
    comparison = replace(run, table=worse.assign(seed=seeds), code="of another day").comparison
    assert [point.agrees for point in comparison.points].count(False) == 1
    assert "2 of 3 points agree" in comparison.sentence
    assert "Not so: 3resnet(all), width 5: 5" in comparison.sentence
    assert "by the luck of the seeds alone 0.024 of them would not" in comparison.sentence  # 3 x 2 / binom(10, 5)
    assert "made with another version of the code (kernelgap" in comparison.sentence
    part = replace(run, table=run.table[~wide]).comparison
    assert "2 of 2 points agree" in part.sentence
    assert "1 of the reference's points is not in this run" in part.sentence


def test_where_no_reference_is_kept_nothing_is_said(run, root, capsys):
    shutil.rmtree(root)
    assert run.comparison is None
    assert run.as_record()["reference"] is None
    show_figure(run)
    assert "reference" not in capsys.readouterr().out


def test_a_reference_of_something_else_is_not_compared_with(run, root):
    assert replace(run, samples=21).comparison is None
    assert replace(run, scale="paper").comparison is None
    assert replace(run, scale="../kept-quick").comparison is None


def test_damaged_references_are_refused_and_the_run_is_shown(run, root, capsys):
    path = root / "kept-quick" / "reference.json"
    whole = path.read_text()
    record = json.loads(whole)
    other = {**record["points"][0], "median": 0.5 * (record["points"][0]["least"] + record["points"][0]["median"])}
    wrong_order = {**record["points"][0], "median": 2 * record["points"][0]["greatest"]}
    for text, words in (
        ("{", "cannot be used"),
        ("[1]", "no object"),
        (json.dumps({**record, "format": 2}), "its format is 2"),
        (json.dumps({**record, "points": [other, *record["points"][1:]]}), "its digest is not"),
        (json.dumps({**record, "points": [wrong_order]}), "is not between"),
        (json.dumps({**record, "seeds": [0, 1]}), "seeds"),
        (json.dumps({**record, "samples": True}), "samples"),
        ("[" * 100_000, "cannot be used"),
        (whole.replace("\n", "\n" + " " * 20_000), "cannot be used"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=words):
            read_reference(path.parent)
        comparison = replace(run).comparison
        assert (comparison.reference, comparison.points) == (None, ())
        assert "Nothing is compared with it." in comparison.sentence
        assert str(root) not in comparison.sentence
    show_figure(replace(run))
    assert "cannot be used" in capsys.readouterr().out
    path.write_text(whole)
    (path.parent / "summary.csv").write_text("method\n")
    with pytest.raises(InputError, match=r"'summary.csv' is not the file that was kept"):
        read_reference(path.parent)
    (path.parent / "summary.csv").unlink()
    with pytest.raises(InputError, match=r"'summary.csv' is missing"):
        read_reference(path.parent)
    path.unlink()
    with pytest.raises(InputError, match="There is no kept reference"):
        read_reference(path.parent)


def point(*errors, **changes):
    ordered = sorted(errors)
    told = {"least": ordered[0], "median": ordered[len(errors) // 2], "greatest": ordered[-1], "seeds": len(errors)}
    told = {name: None if value == INF else value for name, value in told.items()}
    rest = {"mean": None, "standard_error": None, "best_on_test": None, "width": 4}
    return Point(method="3resnet(all)", learner="network", **told, **rest, **changes)


def test_points_agree_where_their_ranges_meet():
    kept = point(0.1, 0.2, 0.3)
    assert Beside(point(0.25), kept).agrees  # one start: its median within the reference's range
    assert not Beside(point(0.31), kept).agrees
    assert not Beside(point(0.09), kept).agrees
    assert Beside(point(0.29, 0.4, 0.5), kept).agrees  # the median is outside, its own seeds reach in
    assert not Beside(point(0.31, 0.4, 0.5), kept).agrees
    assert not Beside(point(INF), kept).agrees
    assert Beside(point(INF), point(0.1, 0.2, INF)).agrees
    assert Beside(point(0.05, 0.2, 0.9), point(0.3, 0.3, 0.3)).agrees


def test_the_luck_of_the_seeds_by_all_orders():
    """Two of five seeds and three of them: in how many orders do all of one side come first?"""
    orders = list(permutations(range(5)))
    apart = sum(max(o[:2]) < min(o[2:]) or max(o[2:]) < min(o[:2]) for o in orders)
    assert Beside(point(1.0, 2.0), point(1.0, 2.0, 3.0)).by_luck == pytest.approx(apart / len(orders))


def test_solutions_that_were_built_are_told_apart_by_their_decay(run):
    row = {**run.summary.iloc[0].to_dict(), "method": "built(trained)", "learner": "built"}
    found = points_of(pd.DataFrame([{**row, "decay": 0.1}, {**row, "decay": 0.2}]))
    assert len({point.place for point in found}) == 2
    assert found[0].name == "built(trained), width 4, decay 0.1"
    assert compare(run, read_kept(run)).missing == []


def read_kept(run):
    """A reference without files beside it."""
    about = ("scale", "title", "problem", "samples", "x", "threshold", "seeds", "search_seeds", "version", "code")
    told = {name: getattr(run, name) for name in (*about, "environment", "sentence", "gap")}
    points = points_of(run.summary)
    return reference.Reference(experiment=run.name, date="2030-01-01", points=points, files={}, **told)


def command(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["kernelgap", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


def test_the_command_keeps(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(reference, "RESULTS", tmp_path / "none")
    assert command(monkeypatch, "report", folder, "--keep", tmp_path / "results", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["kept"] == str(tmp_path / "results" / "kept-quick")
    assert (tmp_path / "results" / "kept-quick" / "reference.json").exists()
    assert record["reference"] is None
    assert record["seeds"] == [0, 1, 2, 3, 4]


def test_the_command_refuses_what_is_no_reference(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(EXPERIMENTS, "kept", kept)
    folder = tmp_path / "three"
    kg.run("kept", "three", out=folder, workers=1, page=False, on_progress=lambda progress: None)
    assert command(monkeypatch, "report", folder, "--keep", tmp_path / "results") == 2
    assert "fewer seeds than a reference needs: 3resnet(all) has 3, and 5 are the least" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_only_a_figure_is_kept(tmp_path):
    class Other(Run):
        kind = "claims"
        sentence = ""

        def as_record(self):
            return {}

    other = Other(folder=tmp_path, name="claims", scale="quick", seed=0, table=pd.DataFrame(), times=pd.DataFrame())
    with pytest.raises(InputError, match="of the kind 'claims': only a figure's is kept"):
        keep_reference(other, tmp_path)


def test_the_references_that_are_kept_are_whole():
    """Those of the package, if there are any: read with their digests, small, of experiments that exist."""
    for found in kept_references():
        folder = reference.folder_of(found.experiment, found.scale)
        assert sum(path.stat().st_size for path in folder.iterdir()) <= 200_000
        assert found.scale in EXPERIMENTS[found.experiment].scales
        assert fingerprint((folder / "summary.csv").read_bytes()) == found.files["summary.csv"]
        assert all(point.seeds >= 5 for point in found.points)
