"""Sentences about what was done."""

import pytest

from kernelgap.audit.tables.notices import Notice, brief, counted, named


def test_few_of_a_kind_are_shown():
    many = [Notice("constant", f"c{i}", f"Column 'c{i}' is constant.") for i in range(200)]
    assert brief([*many, Notice("leak", "x", "Column 'x' leaks.")]) == [
        "Column 'c0' is constant.",
        "Column 'c1' is constant.",
        "Column 'c2' is constant.",
        "... and 197 more of this kind (constant).",
        "Column 'x' leaks.",
    ]
    assert brief([]) == []


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("a", "'a'"),
        ("ab", "'a' and 'b'"),
        ("abc", "'a', 'b' and 'c'"),
        ("abcdefg", "'a', 'b', 'c', 'd', 'e' and 2 more"),
    ],
)
def test_names_in_a_sentence(names, text):
    assert named(list(names)) == text


def test_numbers_in_a_sentence():
    assert [counted(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]


def test_a_sentence_about_a_column():
    assert Notice.of_column("leak", "x", "is so.") == Notice("leak", "x", "Column 'x' is so.")
