"""The page of a study, with rows that were made up: nothing is measured."""

import pandas as pd
import pytest

from kernelgap.cli.show.study import show_study
from kernelgap.paper.studies import get
from kernelgap.reports.study.map_chart import map_chart
from kernelgap.reports.study.page import format_cell, write_study_page
from support.studies import ROWS, made_study

pytestmark = pytest.mark.usefixtures("no_bundle", "no_pictures")


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_page_has_the_sentence_the_table_and_the_charts(name, tmp_path, capsys):
    run = made_study(name, tmp_path)
    page = write_study_page(run).read_text()
    assert run.sentence in page.replace("&#39;", "'").replace("&gt;", ">")
    assert page.count("<tr>") == 1 + len(run.rows)
    for chart in run.study.charts(run.rows):
        assert f'data-chart="{chart}"' in page
    assert "1 of 2 parts are not finished" in page
    assert len(pd.read_csv(tmp_path / "rows.csv")) == len(ROWS[name])
    assert (tmp_path / "summary.json").exists()
    show_study(run)
    assert run.sentence.split()[0] in capsys.readouterr().out


def test_cells_that_were_not_learned_are_empty_and_have_their_text():
    heat = get("map").charts(get("map").summarise(ROWS["map"]))["map"]
    chart = map_chart(heat, on_page=False, title="x").to_dict()
    assert len(chart["hconcat"]) == 3
    data = next(iter(chart["datasets"].values()))
    assert len(chart["datasets"]) <= 3
    assert {"text", "value", "ok", "light"} <= set(data[0])
    rows = [row for rows in chart["datasets"].values() for row in rows]
    assert [row["text"] for row in rows if not row["ok"]] == [">1k"]


def test_a_dash_stands_for_nothing():
    assert (format_cell(None, "d"), format_cell(1.25, ".1f"), format_cell("x", "")) == ("–", "1.2", "x")
