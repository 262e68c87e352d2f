"""``make bench``: what falls is seen, whatever its direction; seconds are not compared."""

import json

import pytest


@pytest.fixture(scope="module")
def compare(benchmark_module):
    return benchmark_module("compare")


def write_rows(folder, *rows, name="training"):
    folder.mkdir(exist_ok=True)
    named = [dict(zip(("name", "value", "unit", "higher_is_better"), row, strict=True)) for row in rows]
    content = {"date": "2026-01-02T03:04:05+00:00", "machine": {"cores": "2"}, "rows": named, "results": []}
    (folder / f"{name}.json").write_text(json.dumps(content))


def run(compare, tmp_path, *options):
    return compare.main(["--results", str(tmp_path / "results"), "--kept", str(tmp_path / "kept.json"), *options])


@pytest.mark.parametrize(
    ("before", "after", "unit", "higher", "code"),
    [
        (10.0, 8.6, "ratio", True, 0),
        (10.0, 8.4, "ratio", True, 1),
        (0.40, 0.33, "share", True, 1),
        (0.40, 0.80, "share", True, 0),
        (0.02, 0.03, "share", False, 1),
        (0.03, 0.02, "share", False, 0),
        (1.0, 5.0, "s", False, 0),
        (1000.0, 10.0, "trials/s", True, 0),
    ],
)
def test_what_falls_by_more_than_15_percent_is_a_failure(compare, tmp_path, capsys, before, after, unit, higher, code):
    write_rows(tmp_path / "results", ("width 20", before, unit, higher))
    assert run(compare, tmp_path, "--keep") == 0
    write_rows(tmp_path / "results", ("width 20", after, unit, higher))
    assert run(compare, tmp_path) == code
    assert ("Fell by" in capsys.readouterr().out) == bool(code)


def test_what_is_not_measured_any_more_is_said(compare, tmp_path, capsys):
    write_rows(tmp_path / "results", ("width 20", 2.0, "ratio", True), ("width 100", 2.0, "ratio", True))
    run(compare, tmp_path, "--keep")
    write_rows(tmp_path / "results", ("width 20", 2.0, "ratio", True))
    assert run(compare, tmp_path) == 0
    assert "Not measured: training: width 100" in capsys.readouterr().out


def test_to_keep_one_benchmark_leaves_the_others(compare, tmp_path):
    write_rows(tmp_path / "results", ("width 20", 2.0, "ratio", True))
    run(compare, tmp_path, "--keep")
    (tmp_path / "results" / "training.json").unlink()
    write_rows(tmp_path / "results", ("1 in a chunk", 600.0, "trials/s", True), name="store")
    run(compare, tmp_path, "--keep")
    assert set(json.loads((tmp_path / "kept.json").read_text())) == {"training", "store"}


def test_each_comparison_is_kept_with_its_date_and_machine(compare, tmp_path):
    write_rows(tmp_path / "results", ("width 20", 2.0, "ratio", True))
    assert run(compare, tmp_path) == 0
    (path,) = (tmp_path / "results" / "history").glob("*.json")
    history = json.loads(path.read_text())
    assert history["machine"]["kernelgap"]
    assert history["date"][:2] == "20"
    assert history["benchmarks"]["training"]["rows"][0]["value"] == 2.0


def test_without_results_there_is_nothing_to_say(compare, tmp_path, capsys):
    assert run(compare, tmp_path) == 2
    assert "make bench" in capsys.readouterr().err
