"""curve, as a user types it."""

import json
from functools import partial

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
    (fit,) = answer["measured"]
    assert fit["ridge"] == 0.01
    assert abs(fit["mean"] / fit["predicted"] - 1) < 0.1
    assert answer["need"]["samples"] > answer["need"]["floor"]
    assert chart.read_text(encoding="utf-8").startswith("<svg")


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
