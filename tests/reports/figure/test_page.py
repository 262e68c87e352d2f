"""The page of a run, of odd runs too."""

import json
import re
import sys
from dataclasses import replace

import pytest

from kernelgap.cli import main
from kernelgap.cli.show.figure import show_figure
from kernelgap.errors import InputError
from kernelgap.paper.figures import EXPERIMENTS
from kernelgap.runs import Failure, read_run
from support import tiny
from support.figure_runs import Invented

pytestmark = pytest.mark.usefixtures("no_bundle")

INF = float("inf")


def specs(text):
    return json.loads(re.search(r'<script type="application/json" id="specs">(.*?)</script>', text)[1])


def seen(text):
    """What a reader sees, without programs and styles."""
    return re.sub(r"\s+", " ", re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", text, flags=re.S))


def test_a_run_with_networks_and_kernels(tmp_path):
    run = Invented().sgd(0.1, 0.12).sgd(0.3, 0.35, rate=0.2).sgd(0.2, 0.1, width=8).ridge(1.0, 1.1)
    gap = {
        "sentence": "A gap of 1,234 times (k(x=1.23456789)).",
        "ratio": 1234.5,
        "needed": 9,
        "error": 0.1,
    }
    (tmp_path / "charts").mkdir()
    (tmp_path / "charts" / "stale.svg").write_text("of an earlier report")
    report = replace(run.write(tmp_path), gap=gap).report()
    text = report.read_text()
    words = seen(text)
    assert "1,234 &times; the kernel gap" in words.replace("&times;", " &times;").replace("  ", " ")
    assert "A gap of 1,234 times (k(x=1.235))." in words
    assert "First F, then G." in words
    assert set(specs(text)) == {"errors", "learning", "signals", "grid-1"}
    assert {p.stem for p in (tmp_path / "charts").iterdir()} == set(specs(text))
    assert (tmp_path / "charts/errors.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "charts/errors.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "charts/errors.svg").read_text().startswith("<svg")
    assert str(tmp_path) not in text
    assert text.count("</script>") == 3
    assert not re.search(r'(src|href)="(https?:)?//', text)


def test_an_unfinished_run_is_shown_without_computing_a_gap(tmp_path):
    run = Invented().sgd(0.01, 0.02)
    run.store(tmp_path / "begun", concluded=False)
    run.store(tmp_path / "done")
    begun, done = read_run(tmp_path / "begun"), read_run(tmp_path / "done")
    assert (begun.gap, begun.concluded, done.concluded) == (None, False, True)
    assert done.gap is not None
    assert begun.best.signals == done.best.signals
    assert "The kernel gap is not concluded yet" in begun.report().read_text()
    assert "not concluded yet" not in done.report().read_text()


def test_an_earlier_picture_stays_until_the_new_ones_are_written(tmp_path, monkeypatch):
    run = Invented().sgd(0.1, 0.12).write(tmp_path)
    run.report()
    before = (tmp_path / "charts" / "errors.svg").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kernelgap.reports.common.page.save_pictures", full)
    with pytest.raises(InputError, match="No space left"):
        run.report()
    assert (tmp_path / "charts" / "errors.svg").read_bytes() == before


def test_everything_diverged(tmp_path):
    text = Invented().sgd(INF, INF).sgd(INF, INF, rate=0.2).write(tmp_path).report().read_text()
    words = seen(text)
    assert "Nothing can be drawn" in words
    assert "No kernel gap is claimed" in words
    assert "3resnet(all) width 4" in words
    assert specs(text) == {}
    assert list((tmp_path / "charts").iterdir()) == []


def test_kernels_alone_are_shown_in_the_terminal(tmp_path, capsys):
    show_figure(Invented().ridge(1.0, 1.1).write(tmp_path))
    assert capsys.readouterr().out.startswith("The best of each method")


def test_one_trial_of_one_kernel(tmp_path):
    text = Invented().ridge(1.0, 1.1).write(tmp_path).report().read_text()
    assert set(specs(text)) == {"errors"}
    assert "How the best network learned" not in text


def test_networks_alone_with_several_seeds(tmp_path):
    run = Invented()
    for seed in (0, 1, 2):
        run.sgd(0.1 + seed, 0.1 + seed, seed=seed).sgd(0.2, 0.2, seed=seed, network="2layer")
    text = run.write(tmp_path).report().read_text()
    marks = [layer["mark"]["type"] for layer in specs(text)["errors"]["layer"]]
    assert marks.count("area") == 2
    assert "least to the greatest of 3 seeds" in seen(text)
    assert "seeds 0, 1, 2" in seen(text)


def test_the_page_has_the_range_and_what_few_seeds_say(tmp_path):
    run = Invented()
    for seed, error in enumerate((0.01, 0.02, 0.06)):
        run.sgd(error, error, seed=seed).ridge(1.0, 1.1, seed=seed)
    run.store(tmp_path)
    found = read_run(tmp_path)
    words = seen(found.report().read_text())
    assert "1.5e-02" not in words
    assert "3resnet(all) 4 &#9679; 0.02 &#9679; 0.02 0.01 0.06 0.03 0.015 3" in words.replace("\u25cf", "&#9679;")
    assert found.gap["interval"]["share"] == 0.368
    assert "Whatever the distribution of errors, with confidence 95% at least 36.8% of all starts end at 0.06" in words
    assert "points are medians" in words
    one = Invented().sgd(0.01, 0.01).ridge(1.0, 1.1)
    one.store(tmp_path / "one")
    words = seen(read_run(tmp_path / "one").report().read_text())
    assert "Whatever the distribution" not in words
    assert "3resnet(all) reached 0.01 (one start)" in words
    assert "one start, so that no spread is known" in words


def test_a_run_that_searched_says_with_which_seeds(tmp_path):
    run = (
        Invented()
        .sgd(0.1, 0.1, seed=0)
        .sgd(0.2, 0.2, seed=1)
        .sgd(1e-5, 1e-5, seed=100)
        .sgd(0.5, 0.5, seed=100, rate=0.2)
    )
    found = run.write(tmp_path)
    stage = ["search" if seed == 100 else "judged" for seed in found.table.seed]
    words = seen(replace(found, table=found.table.assign(stage=stage)).report().read_text())
    assert "seeds 0, 1; of the search 100" in words
    assert "the mean over seeds 100" in words
    assert "1e-05" not in words
    assert set(json.loads((tmp_path / "summary.json").read_text())["search_seeds"]) == {100}
    assert "of the search" not in seen(found.report().read_text())


def test_nothing_in_a_name_is_html(tmp_path):
    run = Invented().sgd(0.1, 0.12).ridge(1.0, 1.1).write(tmp_path)
    evil = "</script><img src=x onerror=alert(1)>"
    run.table["method"] = [evil + method for method in run.table.method]
    failures = (Failure("chunk", evil, 1, evil),)
    text = replace(run, name=evil, title=evil, scale=evil, failures=failures).report().read_text()
    assert "<img src=x" not in text
    assert "&lt;img src=x" in text
    assert text.count("</script>") == 3


def test_a_network_without_a_first_block_has_no_such_curve(tmp_path):
    text = Invented().sgd(0.1, 0.12, network="2layer").write(tmp_path).report().read_text()
    assert "signals" not in specs(text)


def test_an_unknown_experiment_is_read_from_its_trials(tmp_path):
    Invented().sgd(0.3, 0.35).ridge(1.0, 1.1).store(tmp_path)
    run = read_run(tmp_path)
    assert run.report() == tmp_path / "report.html"
    assert "No method got under the threshold 0.18 with 20 samples" in run.sentence
    assert "the run did not note its own" in seen((tmp_path / "report.html").read_text())


def test_a_folder_without_results(tmp_path):
    with pytest.raises(InputError, match="There is no run"):
        read_run(tmp_path)
    Invented().store(tmp_path)
    with pytest.raises(InputError, match="Nothing is finished"):
        read_run(tmp_path)


def test_a_folder_that_cannot_be_written(tmp_path):
    run = Invented().ridge(1.0, 1.1).write(tmp_path)
    (tmp_path / "charts").write_text("in the way")
    with pytest.raises(InputError, match="could not be written"):
        run.report()


def command(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["kernelgap", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


@pytest.mark.slow
def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(EXPERIMENTS, "tiny", tiny.tiny)
    folder = tmp_path / "out"
    assert command(monkeypatch, "run", "tiny", "--workers", 1, "--out", folder) == 0
    assert f"Report: {folder / 'report.html'}\n" in capsys.readouterr().err
    (folder / "report.html").unlink()
    assert command(monkeypatch, "report", folder, "--json") == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert record["report"] == str(folder / "report.html")
    assert (folder / "report.html").exists()
    assert set(record) >= {"report", "charts", "sentence", "gap", "warnings", "rows"}
    assert "those of the end of the run" in seen((folder / "report.html").read_text())
    assert command(monkeypatch, "report", tmp_path / "nowhere") == 2
    assert "There is no run" in capsys.readouterr().err
