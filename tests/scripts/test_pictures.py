"""The pictures of README.md and docs/idea.md show what was kept and what is predicted."""

import html
import re
from pathlib import Path

import numpy as np
import pytest

import kernelgap as kg
from support.scripts import load_script

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


@pytest.fixture(scope="module")
def script():
    return load_script("pictures")


def words(name):
    """The texts that a picture shows."""
    return html.unescape(re.sub(r"<[^>]+>", " ", (PICTURES / name).read_text()))


def test_the_picture_of_the_gap_is_that_of_the_kept_run(script):
    point = script.network_point(script.kept_run())
    assert all(line in words("gap.svg") for line in point["label"])
    assert point["low"] <= point["risk"] <= point["high"]
    assert all(name in words("gap.svg") for name in (*script.KERNELS, script.FLOOR))


def test_the_floor_is_under_every_kernel(script):
    problem = kg.problems.get(script.kept_run().problem)
    table = script.gap_table(problem)
    at = table[table.n.isin(script.SAMPLES)].pivot_table(index="n", columns="what", values="risk").dropna()
    assert len(at) > 50
    assert (at[script.FLOOR].to_numpy()[:, None] <= at[list(script.KERNELS)].to_numpy() * (1 + 1e-9)).all()


def test_kernels_learn_f_long_before_g(script):
    table = script.degrees_table(kg.problems.get("sec8"), ["ntk3"])
    half = table[table.share > 0.5].groupby("what").n.min()
    base, composite = (half[half.index.str.startswith(name)].iloc[0] for name in ("F,", "G(F),"))
    assert composite > 1000 * base
    assert set(table.what) <= {"F, degree 2: ntk3", "G(F), degree 8: ntk3"}
    assert "G(F), degree 8: ntk3" in words("degrees.svg")


def test_the_picture_of_learning_is_drawn_from_shares(script, tmp_path):
    table = script.learning_table(starts=[0], epochs=(3, 24), width=20)
    share = table.pivot_table(index="epochs", columns="what", values="share")
    assert np.all(share["F in the output"] > share["G(F) in the output"])
    assert script.learning_chart(table).to_dict()["layer"]
    assert "F in the output" in words("first-f-then-g.svg")
