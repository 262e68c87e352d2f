"""What a claim is made of: its module's docstring, a scale that is checked, lines of a picture."""

import pytest

from kernelgap.errors import InputError
from kernelgap.paper.claims import Claim, Line, Verdict, get


def judge(numbers):
    return Verdict("holds", str(numbers["scale"]))


def measure(scale, seed):
    return {"scale": scale, "seed": seed}


def test_source_and_statement_are_the_first_paragraphs_of_a_docstring() -> None:
    claim = Claim.of("Lemma 1\n\nOne is\none.\n\nMore of it.", "one", "1", measure, judge, seconds=2)
    assert (claim.id, claim.source, claim.statement, claim.stated, claim.seconds) == (
        "one",
        "Lemma 1",
        "One is one.",
        "1",
        2,
    )
    assert Claim.of(None, "one", "1", measure, judge).statement == ""  # without docstrings, as python -OO has it


def test_a_scale_that_is_not_known_is_refused_by_every_claim() -> None:
    for name in ("lemma.d2", "net.resnet"):
        with pytest.raises(InputError, match="quick"):
            get(name).measure("huge", 0)


def test_lines_of_rows_and_of_repeats() -> None:
    line = Line.of_rows("a", [{"n": 1, "risk": 2.0}, {"n": 3, "risk": 4.0}], "n", "risk")
    assert (line.x, line.y, line.low) == ([1, 3], [2.0, 4.0], None)
    band = Line.of_repeats("b", [1, 2], [[1.0, 3.0], [5.0]])
    assert (band.y, band.low, band.high) == ([2.0, 5.0], [1.0, 5.0], [3.0, 5.0])
