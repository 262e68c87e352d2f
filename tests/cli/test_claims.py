"""The command that runs the paper."""

import json
import sys

import pytest

from kernelgap.cli import main
from kernelgap.reports.common import render


@pytest.fixture
def kernelgap(monkeypatch, capsys):
    """The command, in this process: its exit code and what it printed."""
    monkeypatch.setattr(render.vl_convert, "javascript_bundle", lambda **_: "")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["kernelgap", *arguments])
        try:
            code = main()
        except SystemExit as end:
            code = end.code
        return code or 0, *capsys.readouterr()

    return call


def test_claims_are_measured_shown_and_kept(kernelgap, tmp_path):
    out = str(tmp_path / "claims")
    code, printed, told = kernelgap("claims", "lemma.d2", "cifar.kernels", "--out", out, "--workers", "1", "--json")
    assert code == 0, told
    record = json.loads(printed)
    assert (record["holds"], record["fails"], record["undecided"]) == (1, 0, 1)
    first = record["claims"][0]
    assert first["id"] == "lemma.d2"
    assert first["code"].startswith("paper/claims/negative/lemma_d2.py:")
    assert first["numbers"]["rows"]
    assert "report.html" in told
    code, printed, _ = kernelgap("claims", "lemma.d2", "--out", out)
    assert code == 0
    assert "not for every column" in printed
    assert "holds (identity)" in printed
    code, printed, _ = kernelgap("report", out)
    assert code == 0
    assert "Of 2 claims" in printed


def test_a_claim_that_fails_is_exit_code_1(kernelgap, tmp_path, monkeypatch):
    from kernelgap.paper.claims import Verdict, get

    out = str(tmp_path / "claims")
    kernelgap("claims", "lemma.d2", "--out", out, "--workers", "1")
    claim = get("lemma.d2")
    monkeypatch.setitem(claim.__dict__, "judge", lambda numbers: Verdict("fails", "0", "It is false."))
    code, printed, _ = kernelgap("claims", "lemma.d2", "--out", out)
    assert code == 1
    assert "lemma.d2 fails: It is false." in printed


def test_unknown_claims_and_scales_are_bad_usage(kernelgap, tmp_path):
    code, _, told = kernelgap("claims", "fig2", "--out", str(tmp_path))
    assert code == 2
    assert "fig2a" in told
    assert kernelgap("claims", "fig2a", "--scale", "huge", "--out", str(tmp_path))[0] == 2


def test_the_list_has_every_claim(kernelgap):
    _, printed, _ = kernelgap("claims", "--list", "--json")
    assert {"fig2a", "thm2.kernels", "bound.sharp"} <= {claim["id"] for claim in json.loads(printed)}
    assert {claim["id"]: claim["identity"] for claim in json.loads(printed)}["thm1.xi"] is True
    assert "Theorem 2" in kernelgap("claims", "--list")[1]
