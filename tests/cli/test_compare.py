"""compare, as a user types it."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from kernelgap.cli import main


@pytest.fixture
def typed(monkeypatch, tmp_path, rng):
    """The exit code of a command in this process, beside two files of predictions and the truth."""
    monkeypatch.chdir(tmp_path)
    truth = rng.normal(size=150)
    pd.DataFrame({"price": truth, "x": 1.0}).to_csv("test.csv", index=False)
    for name, spread in (("near", 0.1), ("far", 0.5)):
        pd.DataFrame({"price": truth + spread * rng.normal(size=150)}).to_csv(f"{name}.csv", index=False)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["kernelgap", "compare", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code or 0

    return run


def test_the_answer_and_its_chart(typed, capsys, tmp_path):
    assert typed("near.csv", "far.csv", "--truth", "test.csv", "--target", "price", "--out", "chart.svg") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("near is ahead of far: RMSE 0.")
    assert said[1].startswith("- The difference of the errors is ")
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")


def test_json(typed, capsys):
    assert typed("far.csv", "near.csv", "--truth", "test.csv", "--target", "price", "--metric", "mae", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["outcome"], answer["metric"], answer["rows"]) == ("second ahead", "mean absolute error", 150)
    truth, far = pd.read_csv("test.csv").price, pd.read_csv("far.csv").price
    assert answer["first_score"]["value"] == pytest.approx(np.mean(np.abs(truth - far)))


def test_what_cannot_be_compared_ends_in_a_sentence(typed, capsys):
    assert typed("near.csv", "far.csv", "--truth", "test.csv", "--target", "prize") == 2
    assert "no usable column 'prize'" in capsys.readouterr().err
