"""Whatever a table holds, it is read or refused with one sentence, from the file to the prepared numbers."""

import csv
import io
import warnings
from contextlib import suppress
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelgap import InputError
from kernelgap.audit.tables.cells import looks_like_number, read_numerals
from kernelgap.audit.tables.columns import interpret
from kernelgap.audit.tables.preparing import Preparation
from kernelgap.audit.tables.question import pose
from kernelgap.audit.tables.reading.read import read_table

NUMERIC = "0123456789eE+-.,_ \u2212\u0663\u00b2\uff11ijnftyINF\u0131\u0130"
NEARLY = st.one_of(
    st.text(NUMERIC, max_size=8),
    st.from_regex(r"[+-]?[0-9]{0,3}[.,]?[0-9]{0,3}([eE][+-]?[0-9]{0,4})?", fullmatch=True),
    st.sampled_from(
        ["e-9", "e5", ",e5", "-e7", "1,5e3", "1.234,5", "1,234.5", "infinity", "\u0131nf", "9" * 500, "1e400"]
    ),
)
WORDS = st.sampled_from(
    ["clerk, office", "manager", "none", "None", "NONE", "nil", "NA", "null", "?", "", " ", "true", "False", "a\0b",
     "\0", 'say "so"', "'", "2024-01-01", "12:30", "00123", "0x1F", "1_000", "\u2028", "\ufeff", "line\nend", "\r"]
)  # fmt: skip
CELLS = st.one_of(NEARLY, WORDS, st.integers(-9, 9).map(str), st.text(max_size=4))


@st.composite
def tables(draw):
    """A text file: each column draws from a few cells of its own, so that labels and mixed columns come up."""
    delimiter = draw(st.sampled_from(",;\t|"))
    rows = draw(st.integers(28, 45))
    palettes = [draw(st.lists(CELLS, min_size=1, max_size=6)) for _ in range(draw(st.integers(1, 4)))]
    chosen = draw(st.randoms(use_true_random=False))
    lines = [[*(f"c{i}" for i in range(len(palettes))), "y"]]
    for row in range(rows):
        lines.append([*(chosen.choice(palette) for palette in palettes), str(row % 3)])
    written = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    csv.writer(written, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(lines)
    said = draw(st.sampled_from(["", "", f"sep={delimiter}\n", "sep=\u00e9\n", "sep=\n"]))
    return (said + written.getvalue()).encode(draw(st.sampled_from(["utf-8", "utf-16", "utf-8-sig"])), "surrogatepass")


def read_whole(source, target="y", **options):
    """The numbers that would be learned from; anything but an InputError of one sentence passes through."""
    try:
        question = pose(read_table(source, seed=0, **options), target)
        made = Preparation.fit(question.features[: question.rows // 2])
        again = read_table(
            source, seed=0, labels=made.label_names, numbers=made.number_names, to_learn=False, **options
        )
        X = made.transform(question.features)
        new = made.transform(again.frame)
        made.check(again.frame)
    except InputError as error:
        sentence = str(error)
        if "\n" in sentence or not sentence.endswith((".", "?")):
            raise RuntimeError(f"not a sentence: {sentence!r}") from error
        return None
    assert np.isfinite(X).all()
    assert np.isfinite(new).all()
    return X


CRASHED = (
    "job,n,y\n"
    + "".join(f"{('e-9', chr(34) + 'clerk, office' + chr(34), 'manager')[i % 3]},{i},{i % 2}\n" for i in range(60))
).encode()


@settings(max_examples=60, deadline=None)
@given(tables())
@example(CRASHED)
@example(b"sep=;\n")
@example(b'"\n')
def test_any_text_file_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_whole(path)
        with suppress(InputError):
            read_table(path, seed=0, to_learn=False)


@pytest.mark.parametrize("delimiter", ["\0", "\u00e9", "\U0001f600", " ", "x", "\x1f"])
def test_odd_delimiters(tmp_path, delimiter):
    """Each cuts the file, or is refused."""
    path = tmp_path / "odd.csv"
    rows = ["a{0}b{0}y", *(f"{i % 7}.5{{0}}e-{i % 5}{{0}}{i % 3}" for i in range(60))]
    path.write_text("\n".join(row.replace("{0}", delimiter) for row in rows), encoding="utf-16")
    read_whole(path, delimiter=delimiter)


def test_the_labels_that_ended_in_a_traceback_are_labels(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_bytes(CRASHED)
    table = read_table(path, seed=0)
    assert table.kinds["job"] == "label"
    assert set(table.frame.job) == {"e-9", "clerk, office", "manager"}
    assert read_whole(path) is not None


@settings(max_examples=200, deadline=None)
@given(st.lists(NEARLY, max_size=6), st.booleans())
@example(["e-9", "e5", "1,5"], True)
@example(["\u0131nf", "1,5"], False)
def test_what_looks_like_a_number_is_one(texts, comma_first):
    together = read_numerals(texts, comma_first=comma_first)
    assert len(together.values) == len(texts)
    for text in texts:
        alone = read_numerals([text], comma_first=comma_first)
        assert looks_like_number(text) == bool(not np.isnan(alone.values[0]))
    plain = [text for text in texts if "," not in text and "_" not in text and text.isascii()]
    for text in plain:
        found = read_numerals([text], comma_first=False).values[0]
        try:
            expected = float(text)
        except ValueError:
            expected = np.nan
        assert (found == expected) or (np.isnan(found) and (np.isnan(expected) or "." in text)), text


@pytest.mark.parametrize(
    ("text", "style", "value"),
    [
        ("1.234,5", "comma", 1234.5),
        (",5e2", "comma", 50.0),
        ("1,234.5", "thousands", 1234.5),
        ("\u22121e3", "point", -1e3),
    ],
)
def test_numbers_in_each_style(text, style, value):
    found = read_numerals([text], comma_first=False)
    assert (found.style, found.values.tolist()) == (style, [value])


STRANGE = st.one_of(
    st.none(), st.floats(), st.integers(), st.sampled_from([10**5000, -(10**5000), Decimal("sNaN"), Decimal("NaN")]),
    st.booleans(), st.text(max_size=3), st.binary(max_size=2), st.lists(st.integers(), max_size=2), NEARLY, WORDS,
    st.sampled_from([pd.NaT, pd.NA, np.float32(1.5), np.int8(3), 1j, pd.Timestamp("2024-01-01")]),
)  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(st.lists(STRANGE, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_any_data_frame_is_read_or_refused(values, chosen):
    column = pd.Series([chosen.choice(values) for _ in range(40)], dtype=object)
    frame = pd.DataFrame({"strange": column, "plain": np.arange(40.0) ** 0.5, "y": np.arange(40) % 3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_whole(frame)
        read_whole(frame, target="strange")
        interpret(frame, numbers=("strange",))
        interpret(frame, labels=("strange",))
