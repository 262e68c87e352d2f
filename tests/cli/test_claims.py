"""The command that runs the paper."""

import json
import subprocess
import sys


def kernelgap(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "kernelgap", *arguments], capture_output=True, text=True, check=False)


def test_claims_are_measured_shown_and_kept(tmp_path):
    out = str(tmp_path / "claims")
    done = kernelgap("claims", "lemma.d2", "slides.gated", "--out", out, "--workers", "1", "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["holds"], record["fails"], record["undecided"]) == (1, 0, 1)
    first = record["claims"][0]
    assert first["id"] == "lemma.d2"
    assert first["code"].startswith("claims/negative/lemma_d2.py:")
    assert first["numbers"]["rows"]
    assert "report.html" in done.stderr
    shown = kernelgap("claims", "lemma.d2", "--out", out)
    assert shown.returncode == 0
    assert "not for every column" in shown.stdout
    page = kernelgap("report", out)
    assert page.returncode == 0
    assert "Of 2 claims" in page.stdout


def test_unknown_claims_and_scales_are_bad_usage(tmp_path):
    wrong = kernelgap("claims", "fig2", "--out", str(tmp_path))
    assert wrong.returncode == 2
    assert "fig2a" in wrong.stderr
    assert "Traceback" not in wrong.stderr
    assert kernelgap("claims", "fig2a", "--scale", "huge", "--out", str(tmp_path)).returncode == 2


def test_the_list_has_every_claim():
    listed = kernelgap("claims", "--list", "--json")
    ids = [claim["id"] for claim in json.loads(listed.stdout)]
    assert {"fig2a", "thm2.kernels", "bound.sharp"} <= set(ids)
