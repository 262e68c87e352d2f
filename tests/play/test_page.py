"""The playground as a file: joined, written whole or not at all, opened."""

import json
import re
import webbrowser
from functools import partial

import pytest

from kernelgap.errors import InputError
from kernelgap.play import open_playground, playground, write_playground
from kernelgap.play.page import join_modules
from support.commands import exit_code


def test_one_file_that_asks_for_no_other():
    page = playground()
    assert page.startswith("<!doctype html>")
    assert "{{" not in page
    assert not re.findall(
        r"(?:src|href)=|@import|url\(|fetch\(|^import |^export |https?://(?!www\.w3\.org)", page, re.M
    )
    assert len(page) < 200_000


def test_modules_are_joined_after_what_they_import(tmp_path):
    (tmp_path / "first.js").write_text("export const one = 1;\nexport function two() {}\n")
    (tmp_path / "second.js").write_text('import { one } from "./first.js";\nexport const three = one + 2;\n')
    entry = tmp_path / "entry.js"
    entry.write_text(
        'import { one,\n  two } from "./first.js";\nimport { three } from "./second.js";\ntwo(one, three);\n'
    )
    assert join_modules(entry) == "const one = 1;\nfunction two() {}\n\nconst three = one + 2;\n\ntwo(one, three);"


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "play.html"
    path.write_text("before")
    monkeypatch.setattr("kernelgap.play.page.playground", lambda: "\ud800")  # no file can hold it
    with pytest.raises(UnicodeEncodeError):
        write_playground(path)
    assert [one.name for one in tmp_path.iterdir()] == ["play.html"]
    assert path.read_text() == "before"
    monkeypatch.undo()
    assert write_playground(path) == path
    assert path.read_text(encoding="utf-8") == playground()


def test_a_place_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        write_playground(tmp_path / "nowhere" / "play.html")
    with pytest.raises(InputError, match="it is a folder"):
        write_playground(tmp_path)


def test_it_is_opened_from_the_cache(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(opened.append(address)) or True)
    monkeypatch.setenv("KERNELGAP_CACHE_DIR", str(tmp_path / "cache"))
    assert open_playground() == (tmp_path / "cache" / "play.html", True)
    assert opened == [(tmp_path / "cache" / "play.html").as_uri()]
    monkeypatch.setenv("KERNELGAP_CACHE_DIR", "off")
    monkeypatch.setattr("kernelgap.play.page.gettempdir", lambda: str(tmp_path))
    assert open_playground() == (tmp_path / "play.html", True)


def test_the_command(tmp_path, monkeypatch, capsys):
    typed = partial(exit_code, monkeypatch, "play")
    path = tmp_path / "play.html"
    assert typed("--out", path, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"page": str(path), "opened": False}
    assert path.read_text(encoding="utf-8") == playground()
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    monkeypatch.setenv("KERNELGAP_CACHE_DIR", str(tmp_path))
    assert typed() == 0
    printed = capsys.readouterr()
    assert str(path) in printed.out
    assert "There is no browser here" in printed.err
    assert typed("--out", tmp_path) == 2
