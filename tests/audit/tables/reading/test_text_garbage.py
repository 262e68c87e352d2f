"""Whatever is in a text file, it is read or refused with a sentence."""

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelgap import InputError
from kernelgap.audit.tables.preparing import Preparation
from kernelgap.audit.tables.question import pose
from kernelgap.audit.tables.reading.read import read_table

FRAGMENTS = st.sampled_from(
    [",", ";", "\t", "|", "\n", "\r\n", "\r", '"', "'", "1", "-2.5", "1,5", "1e999", "inf", "NaN", "é", "a", "y", " ",
     "true", "2024-01-01", "9" * 400, "0x1F", "1_000", "=cmd()", "\ufeff", "\u2028", "x" * 50, "0", "00", "\u0663"]
)  # fmt: skip
TEXTS = st.lists(FRAGMENTS, max_size=60).map(lambda parts: "".join(parts).encode())
CELLS = FRAGMENTS.filter(lambda cell: not set(cell) & set(',;\t|"\r\n\u2028'))
TABLES = st.lists(st.tuples(st.sampled_from(["1", "2"]), CELLS, CELLS, CELLS), min_size=28, max_size=50).map(
    lambda rows: "\n".join(map(";".join, [("y", "a", "b", "é"), *rows])).encode()
)


def audit_whole(path, target: str) -> bool:
    """Whether the file could be asked about; anything but an InputError passes through."""
    try:
        question = pose(read_table(path, seed=0), target)
        made = Preparation.fit(question.features[: question.rows // 2])
        X = made.transform(question.features)
    except InputError as error:
        sentence = str(error)
        if "\n" in sentence or not sentence.endswith((".", "?")):
            raise RuntimeError(f"not a sentence: {sentence!r}") from error
        return False
    made.check(question.features)
    assert np.isfinite(X).all()
    return True


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=300), TEXTS, TABLES))
def test_garbage_is_read_or_refused(tmp_path_factory, content):
    """Any error but the one sentence of an InputError ends it, and so does a warning; what is read must be finite."""
    path = tmp_path_factory.getbasetemp() / "garbage.csv"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        audit_whole(path, "y")


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_tables_with_garbage_in_them_are_read(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    strange = ["", "NA", "inf", "-inf", "1e400", "9" * 30, "abc", "é", "1,5", "0"]
    rows = [
        [
            f"{rng.normal():.3f}",
            rng.choice(strange),
            f"{rng.normal():.3f}" if rng.random() < 0.9 else rng.choice(strange),
        ]
        for _ in range(100)
    ]
    lines = ["y;a;b", *(";".join(row) for row in rows)]
    path = tmp_path_factory.getbasetemp() / "strange.csv"
    path.write_bytes("\n".join(lines).encode(rng.choice(["utf-8", "latin-1"])))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert audit_whole(path, "y")
