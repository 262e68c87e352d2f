"""Verdicts on all claims, kept: what is refused, what is read, and a run beside them."""

import json
import shutil
import sys
from dataclasses import replace

import pytest

from kernelgap.cli import main
from kernelgap.errors import InputError
from kernelgap.paper.claims import Verdict, kept
from kernelgap.paper.claims.kept import all_kept_claims, beside_kept, keep_claims, read_kept_claims
from kernelgap.paper.claims.registry import get
from kernelgap.paper.claims.result import read_claims
from kernelgap.paper.kept_file import RESULTS
from kernelgap.reports.common import render
from kernelgap.runs import Failure
from kernelgap.runs.start import run as start
from support.scripts import load_script

ALL = ("lemma.d1", "lemma.d2", "cifar.kernels")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "claims"
    start("claims", "quick", folder, claims=ALL, workers=1, page=False)
    return folder


@pytest.fixture
def run(folder, monkeypatch):
    """A run on all claims there are: three."""
    monkeypatch.setattr(kept, "claims", lambda: {name: get(name) for name in ALL})
    return read_claims(folder)


@pytest.fixture
def root(run, tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "RESULTS", tmp_path / "results")
    keep_claims(run, tmp_path / "results")
    return tmp_path / "results"


def verdict(run, name, outcome):
    """The run with another verdict on one claim."""
    changed = [
        replace(f, verdict=Verdict(outcome, "measured anew", "since then")) if f.claim.id == name else f
        for f in run.findings
    ]
    return replace(run, findings=tuple(changed))


def test_what_is_kept(run, root, folder):
    path = root / "claims-quick" / "claims.json"
    found = read_kept_claims(path.parent)
    assert [claim.id for claim in found.claims] == [finding.claim.id for finding in run.findings]
    assert {claim.id: claim.verdict for claim in found.claims}["cifar.kernels"] == "undecided"
    assert {claim.id for claim in found.claims if claim.identity} == {"lemma.d1", "lemma.d2"}
    assert (found.scale, found.seed, found.version, found.code) == ("quick", 0, run.version, run.code)
    assert found.environment == run.environment
    assert found.date == run.times.finished.max().strftime("%Y-%m-%d")
    for finding, claim in zip(run.findings, found.claims, strict=True):
        assert (claim.measured, claim.reason) == (finding.verdict.measured, finding.verdict.reason)
        if claim.numbers is not None:
            assert claim.numbers.keys() == finding.numbers.keys()
            assert len(json.dumps(claim.numbers)) <= 1200
    assert str(folder) not in path.read_text()
    again = keep_claims(run, root.parent / "again")
    assert (again / "claims.json").read_bytes() == path.read_bytes()
    assert [each.scale for each in all_kept_claims()] == ["quick"]


def test_numbers_are_kept_to_four_digits_where_they_are_few():
    assert kept._few({"a": 1.23456789, "b": [1, 2.0], "c": None, "d": "1.23456"}) == {
        "a": 1.235,
        "b": [1, 2.0],
        "c": None,
        "d": "1.23456",
    }
    assert kept._few({"a": [0.5] * 1000}) is None
    assert kept._few(None) is None


def test_what_does_not_have_all_verdicts_is_not_kept(run, tmp_path, monkeypatch):
    for unfinished in (
        replace(run, planned=run.planned + 1),
        replace(run, failures=(Failure("chunk", "lemma.d2", 1, "no"),)),
    ):
        with pytest.raises(InputError, match="is not finished"):
            keep_claims(unfinished, tmp_path)
    with pytest.raises(InputError, match="does not say with which version"):
        keep_claims(replace(run, code=None), tmp_path)
    with pytest.raises(InputError, match="code = 3 is not possible"):
        keep_claims(replace(run, code=3), tmp_path)
    with pytest.raises(InputError, match=r"2 are missing, such as lemma\.d1"):
        keep_claims(run.only(["lemma.d2"]), tmp_path)
    large = [replace(f, verdict=Verdict("holds", "a" * 100_000)) for f in run.findings]
    with pytest.raises(InputError, match="200,000 are the most"):
        keep_claims(replace(run, findings=tuple(large)), tmp_path)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be made"):
        keep_claims(run, tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_run_says_which_verdicts_changed(run, root):
    same = run.beside_kept
    assert (same.same, same.changed) == (3, [])
    assert "3 of 3 are the same." in same.sentence
    assert "another version" not in same.sentence
    now = replace(verdict(run, "lemma.d2", "fails"), code="of another day").beside_kept
    assert "2 of 3 are the same. Changed: lemma.d2 fails (kept: holds)." in now.sentence
    assert "another version of the code" in now.sentence
    record = json.loads(json.dumps(verdict(run, "lemma.d2", "fails").as_record(), allow_nan=False))["reference"]
    assert record["changed"] == [{"id": "lemma.d2", "kept": "holds", "now": "fails"}]
    assert "1 of 1 are the same" in run.only(["lemma.d2"]).beside_kept.sentence
    assert beside_kept(replace(run, scale="full")) is None


def test_damaged_verdicts_are_refused_and_the_run_is_shown(run, root):
    path = root / "claims-quick" / "claims.json"
    record = json.loads(path.read_text())
    other = [{**record["claims"][0], "verdict": "fails"}, *record["claims"][1:]]
    for text, words in (
        ("{", "cannot be used"),
        ("[1]", "no object"),
        (json.dumps({**record, "format": 2}), "format"),
        (json.dumps({**record, "claims": other}), "its digest is not"),
        (json.dumps({**record, "claims": []}), "claims"),
        ("[" * 100_000, "cannot be used"),
        (" " * 200_001, "more than 200,000"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=words):
            read_kept_claims(path.parent)
        assert "Nothing is compared with it." in run.beside_kept.sentence
    path.unlink()
    with pytest.raises(InputError, match="There is no kept list of verdicts"):
        read_kept_claims(path.parent)


def command(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["kernelgap", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


def test_the_commands_keep_and_compare(run, folder, root, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(render.vl_convert, "javascript_bundle", lambda **_: "")
    assert command(monkeypatch, "report", folder, "--keep", tmp_path / "more", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["reference"]["same"] == 3
    assert record["kept"] == str(tmp_path / "more" / "claims-quick")
    assert read_kept_claims(tmp_path / "more" / "claims-quick").claims
    monkeypatch.setitem(get("lemma.d2").__dict__, "judge", lambda numbers: Verdict("fails", "0", "It is false."))
    own = shutil.copytree(folder, tmp_path / "own")  # what is asked of a folder is written there
    assert command(monkeypatch, "claims", "lemma.d2", "--out", own) == 1
    assert "Changed: lemma.d2 fails (kept: holds)" in " ".join(capsys.readouterr().out.split())


def test_the_page_of_the_documentation(run, root, tmp_path):
    script = load_script("results")
    assert script.write_pages(root, tmp_path / "docs") == []
    text = (tmp_path / "docs" / "claims.md").read_text()
    words = " ".join(text.split())
    assert "Of 3 claims 2 hold, 0 fail, 1 are undecided. Seed 0" in words
    claim = get("lemma.d2")
    assert f"| lemma.d2 | {claim.source} | {claim.stated} |" in words
    assert "| holds (identity) |" in words
    cifar = next(f for f in run.findings if f.claim.id == "cifar.kernels")
    assert f"**cifar.kernels** undecided: {cifar.verdict.reason}" in text
    assert script.as_it_is("|V*| <w,x> C_s") == r"|V\*| \<w,x> C\_s"
    assert "[claims](claims.md) | quick | verdicts on 3 claims" in (tmp_path / "docs" / "README.md").read_text()


def test_the_verdicts_that_are_kept_are_whole():
    """Those of the package, if there are any: read with their digests."""
    for found in all_kept_claims(RESULTS):
        assert len(found.claims) > 50
