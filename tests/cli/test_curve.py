"""curve, as a user types it."""

import json
from functools import partial

import numpy as np
import pytest

from support.commands import exit_code


@pytest.fixture
def typed(monkeypatch):
    return partial(exit_code, monkeypatch, "curve")


def test_the_answer_states_the_need_beside_the_floor(typed, capsys):
    assert typed("ntk2(bias=True)", "--problem", "hard(d=20, k=3, alpha=0.3)", "--n", "10..1e5", "--risk", 0.05) == 0
    said = capsys.readouterr().out
    assert "under the threshold 0.27" in said
    assert "(predicted); no scalar kernel fixed beforehand can with fewer than 929 (proved)." in said


def test_json_has_points_fits_and_the_chart(typed, capsys, tmp_path):
    chart = tmp_path / "curve.svg"
    arguments = ["gaussian", "--problem", "hard(d=12, k=3, alpha=0.3)", "--n", "50,100", "--ridge", 0.01]
    assert typed(*arguments, "--check", "50", "--out", chart, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert [point["n"] for point in answer["points"]] == [50, 100]
    (point,) = answer["calibration"]["points"]
    assert point["ridge"] == 0.01
    assert abs(point["error"]) < 0.1
    assert answer["calibration"]["kernel"] == answer["kernel"]
    assert answer["calibration"]["problem"] == answer["problem"]
    assert answer["need"]["samples"] > answer["need"]["floor"]
    assert chart.read_text(encoding="utf-8").startswith("<svg")


def test_without_checks_it_says_so(typed, capsys):
    assert typed("gaussian", "--problem", "hard(d=12, k=3, alpha=0.3)", "--n", "50,100") == 0
    assert "Not checked here" in capsys.readouterr().out
    assert typed("gaussian", "--problem", "hard(d=12, k=3, alpha=0.3)", "--n", "50,100", "--check", "50") == 0
    assert "Checked by 5 fits with 50 samples: predictions were off by" in capsys.readouterr().out


def test_a_table_is_a_pool(typed, capsys, tmp_path):
    chart = tmp_path / "curve.svg"
    arguments = ["laplace", "--table", "sklearn:diabetes", "--rows", 200, "--risk", 0.7, "--out", chart]
    assert typed(*arguments) == 0
    said = capsys.readouterr().out
    assert "laplace(bandwidth=" in said
    assert "predicted from the Gram matrix of a pool of 200 rows, 10 inputs and 1 output" in said
    assert "Checked by 15 fits with 10 to" in said
    assert "samples for a test error of 0.7 (predicted)." in said
    assert chart.read_text(encoding="utf-8").startswith("<svg")


def test_a_file_with_named_target_is_a_pool_too(typed, capsys, tmp_path, rng):
    x = rng.standard_normal((60, 2))
    lines = [f"{a},{b},{a - b}" for a, b in x]
    (tmp_path / "own.csv").write_text("\n".join(["first,second,y", *lines]))
    arguments = ["linear", "--table", tmp_path / "own.csv", "--target", "y", "--n", "10,60", "--ridge", 0.01]
    assert typed(*arguments, "--check", "10,30", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert [point["n"] for point in answer["calibration"]["points"]] == [10, 30]
    assert answer["rows"] == 60
    assert answer["need"] is None
    assert all(point["test_error"] < 1e-3 for point in answer["points"])


def test_images_are_a_pool(typed, capsys, tmp_path, rng):
    labels = rng.integers(0, 2, 80)
    pixels = (rng.integers(0, 100, (80, 5, 5)) + 100 * labels[:, None, None]).astype(np.uint8)
    np.savez(tmp_path / "own.npz", X=pixels, y=labels)
    assert typed("laplace", "--images", tmp_path / "own.npz", "--n", "10,30,70", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rows"] == 79
    errors = [point["test_error"] for point in answer["points"]]
    assert errors[0] > errors[1] > errors[2] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Give one of --problem, --table and --images, not none"),
        (("--problem", "sec8", "--table", "sklearn:iris"), "not --problem and --table"),
        (("--table", "sklearn:iris", "--noise", 1), "--noise says nothing beside --table"),
        (("--table", "sklearn:iris", "--run", "x"), "--run says nothing beside --table"),
        (("--images", "x.npz", "--target", "y"), "--target says nothing beside --images"),
        (("--problem", "sec8", "--target", "y"), "--target says nothing beside --problem"),
        (("--table", "sklearn:iris", "--n", "0"), "n must be at least 1"),
        (("--table", "sklearn:iris", "--n", "151"), "n must be at most 150, the rows of the pool"),
        (("--table", "sklearn:iris", "--rows", 100, "--n", "101"), "n must be at most 100, the rows of the pool"),
        (("--table", "sklearn:iris", "--check", "100"), "at most 75 samples"),
        (("--table", "sklearn:iris", "--ridge", "-1"), "ridge must be at least 0"),
        (("--table", "sklearn:iris", "--ridge", "nan"), "--ridge takes a number"),
        (("--table", "sklearn:iris", "--risk", "-1"), "test_error must be"),
        (("--table", "sklearn:iris", "--rows", "0"), "--rows takes a number"),
        (("--table", "nowhere.csv", "--target", "y"), "There is no file nowhere.csv"),
        (("--table", "sklearn:diabetes", "--target", "nothing"), "no column 'nothing'"),
        (("--images", "nowhere.npz"), "There is no file or folder nowhere.npz"),
    ],
)
def test_a_pool_that_cannot_be_is_one_sentence(typed, capsys, arguments, message):
    assert typed("laplace", *arguments) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("kernelgap: ") == 1
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing", "--problem", "sec8"), "nothing"),
        (("ck2", "--problem", "sec8", "--n", "many"), "--n takes a number"),
        (("ck2", "--problem", "sec8", "--n", "100..10"), "range"),
        (("ck2", "--problem", "sec8", "--n", "0"), "n must be at least 1"),
        (("ck2", "--problem", "sec8", "--ridge", "-1"), "ridge must be at least 0"),
        (("ck2", "--problem", "sec8", "--ridge", "nan"), "--ridge takes a number"),
        (("ck2", "--problem", "sec8", "--noise", "-1"), "noise must be"),
        (("ck2", "--problem", "sec8", "--noise", "nan"), "noise must be"),
        (("random_features(feature='sign', count=50)", "--problem", "sec8"), "is not given as a formula in <x,z>"),
        (("ck2", "--problem", "sec8", "--risk", "-1"), "risk must be"),
        (("ck2", "--problem", "sec8", "--n", "100", "--check", "1e9"), "--check fits with up to"),
        (("ck2", "--problem", "concept1(d=6, k=2, alpha=0.3)"), "no Fourier expansion"),
        (("ck2", "--problem", "sec8", "--out", "curve.txt"), "A chart is written as"),
        (("ck2", "--problem", "sec8", "--run", "nowhere"), "nowhere"),
    ],
)
def test_wrong_input_is_one_sentence(typed, capsys, arguments, message):
    assert typed(*arguments) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
