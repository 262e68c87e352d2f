"""Charts as files, whatever their texts and numbers are."""

import altair as alt
import pandas as pd
import pytest

from kernelgap.reports.common.charts import FORMATS, PICTURES, save_chart, save_pictures

HOSTILE = "a\x1b[2Jb\ud800c\x00d\uffffe \\x1b \\0"


@pytest.fixture
def hostile():
    table = pd.DataFrame({"x": [1.0, 2.0], "name": ["\x1b[2J\x00", "plain"]})
    return alt.Chart(table).mark_point().encode(x="x", y=alt.Y("name", title=HOSTILE)).properties(title=HOSTILE)


def test_pictures_write_control_characters_as_python_does(hostile, tmp_path):
    paths = save_pictures(hostile, tmp_path, "chart")
    assert [path.suffix for path in paths] == list(PICTURES)
    assert "a\\x1b[2Jb\\ud800c\\x00d\\uffffe" in paths[0].read_text()


@pytest.mark.parametrize("ending", FORMATS)
def test_a_chart_of_hostile_texts_is_saved(hostile, tmp_path, ending):
    content = save_chart(hostile, tmp_path / f"chart{ending}").read_bytes()
    assert content.startswith({".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE"}[ending])
