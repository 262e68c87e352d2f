"""The page of an audit: what it says, what its charts are made of, and that nothing of a table becomes markup."""

import html
import inspect
import json
import pydoc
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pandas as pd
import pytest

import kernelgap as kg
from kernelgap.audit.contenders.registry import FAMILIES, SMALL
from kernelgap.audit.dataset import TableOptions
from kernelgap.audit.run import run_audit
from kernelgap.audit.statistics.results import Gap, Interval
from kernelgap.errors import InputError
from kernelgap.reports.audit.curves_chart import curves_chart
from kernelgap.reports.audit.gap_chart import gap_chart
from kernelgap.reports.audit.interval_charts import difference_chart, features_chart, forest_chart
from kernelgap.reports.audit.lines import above_charts, best_kernels, curve_rows, law_of
from kernelgap.reports.audit.page import write_audit_page
from kernelgap.reports.audit.text import CONTENDERS, command_of, contender_in_words, contender_looks, describe_setting
from support.audits import NETWORK_WINS, invented, table

pytestmark = pytest.mark.usefixtures("no_bundle")

EVIL = "</script><img src=x onerror=alert(1)>\"'&"


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """An audit in which the network wins."""
    with invented():
        return run_audit(table(), "price", tmp_path_factory.mktemp("numbers"), leave_out=["kind"])


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    with invented({**NETWORK_WINS, "3resnet": 0.5}):
        return run_audit(table(), "kind", tmp_path_factory.mktemp("classes"), leave_out=["price"])


def specs(text):
    return json.loads(re.search(r'<script type="application/json" id="specs">(.*?)</script>', text)[1])


def seen(text):
    """What a reader sees, without programs and styles."""
    return re.sub(r"\s+", " ", re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", text, flags=re.S))


def rows_of(spec):
    return max(spec.to_dict()["datasets"].values(), key=len)


def test_the_page_of_numbers(numbers):
    path = write_audit_page(numbers)
    text, words = path.read_text(), seen(path.read_text())
    assert path == numbers.folder / "report.html"
    assert numbers.verdict == "network ahead"
    for sentence in (numbers.sentence, *numbers.answer.verdict.reasons, numbers.answer.gap.sentence):
        assert sentence in words
    assert numbers.answer.remarks[0] in html.unescape(words)
    assert 'class="verdict side-network"' in text
    assert words.index(numbers.deploy) < words.index(numbers.sentence)
    for sentence in numbers.not_shown:
        assert sentence in words
    assert set(specs(text)) == {"errors", "contenders", "difference", "gap", "features"}
    for name in specs(text):
        assert (numbers.folder / f"charts/{name}.svg").read_text().startswith("<svg")
        assert (numbers.folder / f"charts/{name}.png").read_bytes().startswith(b"\x89PNG")
        assert f'href="charts/{name}.pdf"' in text
    told = re.findall(r'<td class="who">.*?<strong>(.*?)</strong>', text)
    assert told == numbers.with_samples(153).contender.tolist()
    assert f"{numbers.with_samples(153).rmse[0]:.3g}" in words
    assert "Of 240 rows with a known target, 48 were put aside" in words
    assert "samples of 38, 76 and 153 rows were drawn 2 times, with 2 seeds" in words
    assert "every contender had the same 4 fits" in words
    assert text.count("</script>") == 3
    assert not re.search(r'(src|href)="(https?:)?//', text)
    assert str(numbers.folder) not in text
    record = json.loads((numbers.folder / "audit.json").read_text())
    assert record["verdict"]["sentence"] == numbers.sentence
    assert pd.read_csv(numbers.folder / "contenders.csv").shape == numbers.contenders.shape


def test_the_page_of_classes(classes, no_pictures):
    text = write_audit_page(classes).read_text()
    assert {"errors", "accuracy"} <= set(specs(text))
    first = classes.with_samples(153).iloc[0]
    assert f"{first.accuracy:.1%}" in seen(text)
    assert "RMSE" not in seen(text)
    comparison = classes.answer.comparison
    assert f"Accuracy of {comparison.network} minus accuracy of {comparison.kernel}: " in seen(text)
    assert "2 classes" in seen(text)
    report = classes.answer.classes
    assert "Class by class" in seen(text)
    assert f"{100 * report.recall[0]:.1f}%" in seen(text)
    assert sum(report.rows) == 48 == pytest.approx(np.sum(report.confusion))
    assert f"{classes.answer.constant_accuracy.value:.1%} right: what anyone has to beat" in seen(text)
    accuracy = curves_chart(classes, on_page=True, what="accuracy").to_dict()
    assert "constant guess" in json.dumps(accuracy["datasets"])


def test_an_undecided_page_of_two_targets(tmp_path, no_pictures):
    with invented({"3resnet": 0.4, "gaussian": 0.4}):
        found = run_audit(table().assign(age=lambda f: f["size"] ** 2), ["price", "age"], tmp_path)
    text = write_audit_page(found).read_text()
    assert found.verdict == "undecided"
    assert 'class="verdict side-undecided"' in text
    assert "it has the least validation error" in seen(text)
    assert f"The model of {found.winner} is kept" in seen(text)
    assert "price&rdquo; and &ldquo;age" in text
    assert "RMSE" not in seen(text)


def test_nothing_of_a_table_is_markup_and_nothing_is_hidden(tmp_path, no_pictures):
    frame = table().rename(columns={"price": EVIL, "size": "<i>size</i>"}).assign(**{f"{EVIL} 1": 1.0})
    frame.to_csv(tmp_path / "<b>&.csv", index=False)
    with invented(failing=("trees",), left=("ntk2",)):
        found = run_audit(tmp_path / "<b>&.csv", EVIL, tmp_path / "out", leave_out=["kind"])
    text = write_audit_page(found).read_text()
    assert "<img" not in text.replace("<noscript><img", "")
    assert "<b>&" not in text
    assert "&lt;b&gt;&amp;.csv" in text
    assert "&lt;img src=x" in text
    assert text.count("</script>") == 3
    assert str(tmp_path) not in text
    assert any(notice.where == f"{EVIL} 1" for notice in found.notices)
    assert "kernelgap audit &#39;&lt;b&gt;&amp;.csv&#39;" in text
    assert "judging trees, 153 samples, seed 0: MemoryError: too wide" in seen(text)
    assert "A budget of 5 min left no time for 6 of 80 parts" in seen(text)
    assert "judging ntk2, 38 samples, seed 1" in seen(text)


def test_one_size_has_no_curves_and_no_gap(tmp_path, no_pictures):
    with invented({"3resnet": 0.1, "gaussian": 0.4}, sizes=(153,)):
        found = run_audit(table(), "price", tmp_path)
    text = write_audit_page(found).read_text()
    assert set(specs(text)) == {"contenders", "difference", "features"}
    assert "There are no curves" in seen(text)


def test_a_folder_that_cannot_be_written(numbers, tmp_path):
    (tmp_path / "charts").write_text("in the way")
    with pytest.raises(InputError, match="could not be written"):
        write_audit_page(replace(numbers, folder=tmp_path))


def test_curves_are_the_answers_and_the_two_best_stand_out(numbers):
    rows = curve_rows(numbers)
    for curve in numbers.answer.curves:
        mine = rows[rows.method == curve.contender]
        assert mine.x.tolist() == list(curve.samples)
        assert mine.value.tolist() == [error.value for error in curve.errors]
        assert mine.low.tolist() == [error.low for error in curve.errors]
    assert set(rows[rows.best].method) == {"3resnet", "gaussian"}
    assert rows.setting[0] == "bandwidth 2, ridge 0.5"
    drawn = pd.DataFrame(rows_of(curves_chart(numbers, on_page=True)))
    assert len(drawn) == len(rows)
    assert (drawn.low > 0).all()


def test_intervals_are_those_of_the_verdicts_samples(numbers):
    drawn = pd.DataFrame(rows_of(forest_chart(numbers, on_page=True)))
    assert drawn.value.is_monotonic_increasing
    assert set(drawn.method) == {curve.contender for curve in numbers.answer.curves}
    names = [row["method"] for row in rows_of(features_chart(numbers, on_page=True))]
    assert names == ["best kernel (gaussian)", "last layer trained alone", "tangent kernel", "3resnet, trained"]
    nothing = replace(numbers.answer, features=replace(numbers.answer.features, last=None, ntk=None))
    assert features_chart(replace(numbers, answer=nothing), on_page=True) is None


def test_the_difference_has_its_interval_and_every_seed(numbers):
    rows = rows_of(difference_chart(numbers, on_page=True))
    comparison = numbers.answer.comparison
    assert (rows[0]["value"], rows[0]["low"]) == (comparison.difference.value, comparison.difference.low)
    assert [row["value"] for row in rows[1:]] == list(comparison.by_seed)
    assert rows[0]["value"] == pytest.approx(np.mean(comparison.by_seed))


def with_gap(audit, kind, value, low, high):
    n = audit.answer.comparison.samples
    needed, factor = Interval(value, low, high), Interval(value / n, low / n, high / n)
    return replace(audit, answer=replace(audit.answer, gap=Gap(kind, n, needed, factor, "So many.")))


@pytest.mark.parametrize(
    ("kind", "value", "dashed"),
    [("extrapolated", 4000.0, 2), ("out of reach", np.inf, 2), ("interpolated", 80.0, 0), ("below", 38.0, 0)],
)
def test_the_gap_is_dashed_where_it_is_extrapolated(numbers, kind, value, dashed):
    found = with_gap(numbers, kind, value, 38.0, np.inf)
    chart = gap_chart(found, on_page=True).to_dict()
    law = [layer for layer in chart["layer"] if layer["mark"]["type"] == "line" and "strokeDash" in layer["mark"]]
    assert len(law) == dashed // 2
    if law:
        points = chart["datasets"][law[0]["data"]["name"]]
        assert len(points) == dashed
        assert points[0]["x"] == 153
        if kind == "extrapolated":  # past where it gets to the network's error, which is what may be too early
            goal = found.answer.comparison.network_error.value
            assert points[1]["value"] < goal < points[0]["value"]
            assert points[1]["x"] > 4000
        else:
            assert points[1]["x"] == pytest.approx(153 * 30 * 1.6)
    none = replace(numbers.answer, gap=Gap("none", 153, None, None, "None."))
    assert gap_chart(replace(numbers, answer=none), on_page=True) is None


def test_a_power_law_is_found_and_a_curve_of_zeros_has_none():
    sizes = np.array([10, 20, 40, 80])
    law = law_of(pd.DataFrame({"x": sizes, "value": 3.0 * sizes**-0.7}))
    assert law.slope == pytest.approx(-0.7)
    assert law.at(1000) == pytest.approx(3.0 * 1000**-0.7)
    assert law.points == 3
    assert law_of(pd.DataFrame({"x": [10, 20], "value": [0.1, 0.0]})) is None


def test_the_kernel_that_validation_prefers_makes_the_kernels_curve(numbers):
    found = best_kernels(numbers)
    assert found.x.tolist() == [38, 76, 153]
    assert set(found.method) == {"gaussian"}
    flipped = tuple(
        replace(curve, validation=(9.0, 9.0, 9.0)) if curve.contender == "gaussian" else curve
        for curve in numbers.answer.curves
    )
    assert set(best_kernels(replace(numbers, answer=replace(numbers.answer, curves=flipped))).method) == {"ntk2"}


def test_who_went_astray_does_not_set_the_scale(numbers):
    astray = Interval(1e6, 1e5, 1e7)
    curves = tuple(
        replace(curve, errors=(astray,) * 3) if curve.contender == "2layer" else curve
        for curve in numbers.answer.curves
    )
    found = replace(numbers, answer=replace(numbers.answer, curves=curves))
    assert above_charts(numbers) == []
    assert above_charts(found) == ["2layer"]
    for chart, axis in ((curves_chart(found, on_page=True), "y"), (forest_chart(found, on_page=True), "x")):
        assert chart.to_dict()["layer"][1]["encoding"][axis]["scale"]["domain"][1] < 10


def test_every_contender_has_words_and_a_look_of_its_own():
    assert {*FAMILIES, SMALL} == set(CONTENDERS)
    assert contender_in_words("3resnet(ntk)") == "3resnet at its random start, tangent kernel"
    found = contender_looks(FAMILIES.items())
    assert len({(look.colour, look.dash) for look in found.values()}) == len(FAMILIES)


def test_settings_in_words():
    assert describe_setting(['{"ridge": 0.1, "max_leaf": 4}', '{"ridge": 0.25, "max_leaf": 4}']) == (
        "ridge 0.1 to 0.25, max leaf 4"
    )


def test_the_whole_call_leaves_the_page_and_how_it_was_asked(tmp_path, no_pictures):
    table().to_csv(tmp_path / "a table.csv", index=False)
    heard = []
    with invented({"3resnet": 0.02, "gaussian": 0.4}, sizes=(50, 100)):
        found = kg.audit(
            tmp_path / "a table.csv",
            target="price",
            out=tmp_path / "out",
            leave_out=["kind"],
            rows=200,
            header=True,
            on_progress=lambda share, words: heard.append(words),
        )
    assert isinstance(found, kg.audit.Audit)
    assert {"report.html", "fits.csv"} <= {p.name for p in found.folder.iterdir()}
    assert heard[0] == "reading the table"
    asked = shlex.split(command_of(found))
    assert asked[:3] == ["kernelgap", "audit", "a table.csv"]
    assert asked[3:] == ["--target", "price", "--leave-out", "kind", "--rows", "200", "--header", "--budget", "300s"]
    again = kg.audit.read_audit(tmp_path / "out")
    assert again.sentence == found.sentence


def test_the_package_is_called_as_it_is_documented():
    assert str(inspect.signature(kg.audit)).startswith("(source:")
    public, library = (inspect.signature(function).parameters for function in (kg.audit, run_audit))
    assert set(public) == {*library, *get_type_hints(TableOptions)} - {"began", "options"}
    for name, parameter in public.items():
        assert name not in library or parameter.default == library[name].default
        assert name in kg.audit.audit.__doc__
    assert "How long it may take" in pydoc.render_doc(kg.audit, renderer=pydoc.plaintext)
    assert kg.audit.tables.__name__ == "kernelgap.audit.tables"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        kg.audit.nothing  # noqa: B018


@pytest.mark.slow
def test_a_users_file_passes_the_type_checker(tmp_path, monkeypatch):
    from mypy import api

    root = Path(__file__).parents[3]
    monkeypatch.setenv("MYPYPATH", str(root / "src"))

    def checked(line):
        (tmp_path / "user.py").write_text(f"import kernelgap as kg\n\n{line}\n")
        options = ["--config-file", str(root / "pyproject.toml"), "--cache-dir", str(root / ".mypy_cache")]
        return api.run([*options, "--enable-error-code", "arg-type", str(tmp_path / "user.py")])

    assert checked('sentence: str = kg.audit("t.csv", target="y", budget=60).sentence')[2] == 0
    assert checked('sentence: str = kg.audit.read_audit("runs/audit-t").sentence')[2] == 0
    wrong = checked('kg.audit("t.csv", target=3)')
    assert wrong[2] == 1
    assert "user.py" in wrong[0]


def test_charts_for_which_there_is_no_time_are_on_the_page_alone(numbers, tmp_path):
    text = write_audit_page(replace(numbers, folder=copied(numbers, tmp_path)), until=0.0).read_text()
    assert not list((tmp_path / "audit" / "charts").glob("*.png"))
    assert "There was no time to save this chart as a file" in text
    assert "charts/errors.png" not in text
    assert "errors" in specs(text)


def copied(audit, folder):
    return Path(shutil.copytree(audit.folder, folder / "audit"))


def test_the_kept_model_is_not_said_to_be_better_than_one_that_is_not_kept(tmp_path, no_pictures):
    close = {"3resnet": 0.5, "gaussian": 0.5, "trees": 0.3}
    with invented(levels=close):
        found = run_audit(table(), "price", tmp_path, leave_out=["kind"])
    assert (found.verdict, found.winner) == ("undecided", "ridge")
    text = write_audit_page(found).read_text()
    assert "the least validation error of those that a file can hold (trees, 3resnet and gaussian had less)" in text
    assert "from all 240 rows, test rows included" in text
    assert "learned from 153 rows and seen no test row" in text


def test_a_bound_is_told_as_one(numbers, no_pictures):
    text = write_audit_page(with_gap(numbers, "extrapolated", 1530.0, 1530.0, np.inf)).read_text()
    assert "\u2265 10\u00d7" in text
    assert "at least 1,530 samples" in text


def test_the_budget_of_the_last_call_is_told(numbers, no_pictures):
    text = write_audit_page(
        replace(numbers, budget=150.0, unfinished=("judging ck2, 153 samples, seed 0",))
    ).read_text()
    assert "A budget of 2 min 30 s left no time for 1 of" in text
    assert "5 min at the plan, 2 min 30 s at the last call" in text
