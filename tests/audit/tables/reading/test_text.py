"""Text files as people have them: delimiters, encodings, numerals, headings."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kernelgap import InputError
from kernelgap.audit.tables.reading.read import read_table
from kernelgap.audit.tables.table import Table


@pytest.fixture
def read(tmp_path):
    def write_and_read(content: str | bytes, name: str = "table.csv", **options: object) -> Table:
        path: Path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, seed=0, **options)

    return write_and_read


def whats(table: Table) -> list[str]:
    return [notice.what for notice in table.notices]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["csv", "txt", "tsv"])
def test_the_delimiter_is_found(read, delimiter, ending):
    table = read("a,b,c\n1,2.5,x\n3,4,y\n5,6,x\n".replace(",", delimiter), f"table.{ending}")
    assert list(table.kinds.items()) == [("a", "number"), ("b", "number"), ("c", "label")]
    assert table.frame["b"].tolist() == [2.5, 4, 6]
    assert table.notices == ()


@pytest.mark.parametrize(
    "cell",
    ["it,'s, 'x',", '"a, ""b"", c"', "['a', 'b']", '"x|y, z|w"'],
    ids=["apostrophes", "doubled quotation marks", "a list", "bars"],
)
def test_the_delimiter_is_found_beside_other_punctuation(read, cell):
    """In the first three csv.Sniffer finds the comma."""
    table = read("id;text\n" + "".join(f"{i % 5}.5;{cell}\n" for i in range(20)))
    assert list(table.kinds) == ["id", "text"]
    assert table.frame["id"].tolist() == [i % 5 + 0.5 for i in range(20)]


def test_text_with_the_delimiter_in_quotes(read):
    table = read('a,b\n1,"x, y"\n2,"z ""q"""\n3,"z ""q"""\n')
    assert table.frame["b"].tolist() == ["x, y", 'z "q"', 'z "q"']


def test_the_delimiter_may_be_said_in_the_first_line(read):
    table = read("sep=;\r\na;b\r\n1,5;2\r\n3;4\r\n")
    assert table.frame["a"].tolist() == [1.5, 3]


def test_empty_cells_at_the_edges(read):
    table = read("a\tb\tc\n\t2\t\n1\t\t3\n", "table.tsv")
    assert np.array_equal(table.frame, [[np.nan, 2, np.nan], [1, np.nan, 3]], equal_nan=True)


def test_a_wrong_delimiter_is_told_with_the_right_one(read):
    with pytest.raises(InputError, match=r"single column at the delimiter ','.* semicolon"):
        read("a;b\n1;2\n3;4\n", delimiter=",")
    with pytest.raises(InputError, match="single column at comma, semicolon, tab and bar"):
        read("a:b\n1:2\n3:4\n")
    assert read("a:b\n1:2\n3:4\n", delimiter=":").frame["b"].tolist() == [2, 4]
    with pytest.raises(InputError, match="a single character"):
        read("a;b\n1;2\n3;4\n", delimiter="||")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is empty"),
        ("\n  \n\n", "is empty"),
        ("a,b\n", "a heading and no rows"),
        ("a,b\n1,2\n", "a single row"),
        ("a\n1\n2\n", "a single column"),
        ("a,b\n1,2\n3,4,5\n", "line 3 has 3 fields, the first line 2"),
        ('a,b\n1,"2\n3,4\n', "never closed"),
        (b"a,b\n1,\0\n", "not a text file"),
        (b"PK\x03\x04rest", "a ZIP or Excel file"),
        (b"\x1f\x8brest", "gzip"),
        (b"\xff\xfea", "UTF-16"),
    ],
)
def test_what_is_no_table_is_refused_with_one_sentence(read, content, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        read(content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_is_read_without_a_word(read, encoding):
    table = read("größe,b\n1,é\n2,é\n3,ü\n".encode(encoding))
    assert list(table.frame) == ["größe", "b"]
    assert table.frame["b"].tolist() == ["é", "é", "ü"]
    assert table.notices == ()


def test_latin_1_is_read_with_a_notice(read):
    table = read("größe,b\n1,é\n2,é\n3,ü\n".encode("latin-1"))
    assert list(table.frame) == ["größe", "b"]
    assert table.frame["b"].tolist() == ["é", "é", "ü"]
    assert whats(table) == ["encoding"]
    assert "4 lines" in table.notices[0].sentence


def test_mixed_encodings_are_read_line_by_line(read):
    table = read(b"a,b\n1,\xc3\xa9\n2,\xe9\n3,\x93x\x81\n")
    assert table.frame["b"].tolist()[:2] == ["é", "é"]
    assert "2 lines not in UTF-8, line 3 first" in table.notices[0].sentence


def test_a_character_across_two_blocks_is_not_torn(read, monkeypatch):
    monkeypatch.setattr("kernelgap.audit.tables.reading.text.BLOCK", 7)
    rows = "".join(f"{i},{'é' * (i % 5 + 1)}\n" for i in range(50))
    table = read("a,b\n" + rows)
    assert table.frame["b"].tolist() == ["é" * (i % 5 + 1) for i in range(50)]
    assert table.notices == ()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(read, end):
    assert read(end.join(["a,b", "1,2", "3,4", ""])).frame["b"].tolist() == [2, 4]


def test_a_line_without_end_is_no_table(read, monkeypatch):
    monkeypatch.setattr("kernelgap.audit.tables.reading.text.BLOCK", 8)
    monkeypatch.setattr("kernelgap.audit.tables.reading.text.LONGEST_LINE", 64)
    assert len(read("a,b\n" + f"{'x' * 20},1\n" * 50).frame) == 50
    with pytest.raises(InputError, match="a line of more than 64 bytes"):
        read("a,b\n" + "x" * 200)


def test_decimal_commas(read):
    table = read("a;b\n1,5;-2\n2.000,25;,5\n3;1,234\n")
    assert table.frame["a"].tolist() == [1.5, 2000.25, 3]
    assert table.frame["b"].tolist() == [-2, 0.5, 1.234]
    assert whats(table) == ["decimals", "decimals"]
    assert "decimal comma, as in '1,5'" in table.notices[0].sentence


def test_thousands_apart(read):
    table = read('a,b\n"1,234",1\n"12,345,678.5",2\n3,3\n')
    assert table.frame["a"].tolist() == [1234, 12345678.5, 3]
    assert "between thousands" in table.notices[0].sentence


def test_a_column_that_is_only_a_comma_is_no_number(read):
    assert read('a,b\n",",1\n"-,",2\n",",3\n').kinds["a"] == "label"


def test_huge_integers_infinities_and_gaps(read):
    table = read("a,b,c\n99999999999999999999999,1,inf\n2,NaN,-Infinity\n3,NA,1e400\n4,?,5\n")
    assert table.frame["a"][0] == 1e23
    assert np.isnan(table.frame["b"]).tolist() == [False, True, True, True]
    assert np.isnan(table.frame["c"]).tolist() == [True, True, True, False]
    assert whats(table) == ["rounded", "infinite"]
    assert "3 values" in table.notices[1].sentence


def test_some_words_among_many_numbers_are_missing_values(read):
    rows = "".join(f"{i * i % 997},{i}\n" for i in range(100))
    table = read("a,b\n" + rows + "oops,1\n")
    assert table.kinds["a"] == "number"
    assert np.isnan(table.frame["a"].iloc[-1])
    assert "1 value such as 'oops'" in table.notices[0].sentence
    few = read("a,b\n" + "1,1\n2,1\n" * 50 + "oops,1\n")
    assert few.kinds["a"] == "label"  # grades, not measurements


def test_names_that_occur_twice(read):
    table = read("x,x,y,x.2, \n1,2,3,4,a\n5,6,7,8,b\n1,1,1,1,a\n")
    assert list(table.frame) == ["x", "x.3", "y", "x.2", "column_5"]
    assert table.repeated == {"x"}
    assert whats(table) == ["names"]


def test_a_first_line_of_numbers_is_data(read):
    table = read("1,2\n3,4\n5,7\n")
    assert list(table.frame) == ["column_1", "column_2"]
    assert len(table.frame) == 3
    assert whats(table) == ["header"]
    years = read("2019,2020\n3,4\n5,7\n", header=True)
    assert list(years.frame) == ["2019", "2020"]
    assert list(read("a,b\nc,d\nc,b\n", header=False).frame.iloc[0]) == ["a", "b"]


def test_kinds(read):
    rows = [
        ",".join(
            (
                f"{i}",
                f"2024-01-{i % 28 + 1:02d}",
                f"{i % 12 + 1}/{i % 28 + 1}/2024 10:30",
                f"the {i} quick brown foxes jump over {i * 7}",
                f"id-{i}",
                ("true", "False")[i % 2],
                "yes" if i % 3 else "no",
                "",
                f"{i % 7 * 1111:05d}",
            )
        )
        for i in range(60)
    ]
    table = read(",date,us,text,name,bool,answer,empty,code\n" + "\n".join(rows) + "\n")
    assert dict(table.kinds) == {
        "column_1": "counter", "date": "date", "us": "date", "text": "text", "name": "text",
        "bool": "number", "answer": "label", "empty": "empty", "code": "label",
    }  # fmt: skip
    assert list(table.frame) == ["column_1", "bool", "answer", "code"]
    assert table.frame["bool"].tolist()[:2] == [1, 0]
    assert len(table.left_out()) == 5
    assert "'date' holds dates" in table.left_out()[0].sentence


def test_columns_can_be_kept_as_labels(read):
    table = read("a,b\n02,1\n3,2\n3,2\n", labels=["a"])
    assert table.frame["a"].tolist() == ["02", "3", "3"]


def test_empty_rows_are_left_out_with_a_notice(read):
    table = read("a,b\n1,2\n,\n\n3,4\n,\n")
    assert len(table.frame) == 2
    assert whats(table) == ["empty rows"]
    assert "2 empty rows" in table.notices[0].sentence


def test_what_was_written_is_read_back(read, tmp_path, rng):
    frame = pd.DataFrame({"a": rng.normal(size=200), "b": rng.integers(-9, 9, 200), "c": rng.choice(["u", "v w"], 200)})
    frame.loc[3, "a"] = np.nan
    frame.loc[5, "c"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    back = read_table(tmp_path / "t.csv", seed=0).frame
    assert np.array_equal(back["a"], frame["a"], equal_nan=True)
    assert back["b"].tolist() == frame["b"].tolist()
    assert back["c"].isna().tolist() == frame["c"].isna().tolist()
    assert back["c"].dropna().tolist() == frame["c"].dropna().tolist()


@pytest.mark.parametrize("none", ["none", "None", "NONE", "nil"])
def test_none_is_a_label_among_labels_and_missing_among_numbers(read, none):
    """Who has no garage has the garage 'none'; a length of 'none' is no length."""
    kinds = ["brick", none, "wood", none] * 10
    rows = "\n".join(f"{kind},{i if i % 4 else none},{['true', 'false', none][i % 3]}" for i, kind in enumerate(kinds))
    table = read(f"garage,length,sold\n{rows}\n")
    assert set(table.frame.garage) == {"brick", "wood", none}
    assert table.kinds == {"garage": "label", "length": "number", "sold": "number"}
    assert table.frame.length.isna().sum() == 10
    assert table.frame.sold.isna().sum() == 13
    said = [notice.sentence for notice in table.notices]
    assert any(
        sentence == f"Column 'length' holds numbers, and '{none}' in 10 rows: taken as missing." for sentence in said
    )


def test_none_alone_and_among_codes_is_a_label(read):
    rows = "\n".join(f"none,{['00123', '04567', 'none'][i % 3]},{i}" for i in range(30))
    table = read(f"a,code,y\n{rows}\n")
    assert table.kinds["a"] == table.kinds["code"] == "label"
    assert table.frame.a.notna().all()


@pytest.mark.parametrize("gap", ["NA", "NaN", "null", "?", "", "N/A", "missing"])
def test_other_words_for_no_value_are_missing_everywhere(read, gap):
    rows = "\n".join(f"{['red', 'blue', gap][i % 3]},{i if i % 3 else gap},{i % 2}" for i in range(30))
    table = read(f"colour,length,y\n{rows}\n")
    assert table.frame.colour.isna().sum() == table.frame.length.isna().sum() == 10
