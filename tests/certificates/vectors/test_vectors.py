"""The test vectors: what the index says of each file is what the checker finds, and kernelgap's own verifier, too."""

import importlib.util
import json
from collections import Counter
from pathlib import Path

import pytest

from kernelgap.certificates import verify
from kernelgap.errors import InputError
from support.certificates.standalone import checker, load, verdict

FOLDER = Path(__file__).parent
INDEX = json.loads((FOLDER / "index.json").read_text())
CODES = {"holds": 0, "false": 1, "refused": 2}
KNOWS_FORMAT_3 = importlib.util.find_spec("kernelgap.certificates.files.claim") is not None


@pytest.fixture(autouse=True)
def few_points(monkeypatch):
    """Of the cubes of 2^30 points, so that this takes no minutes."""
    monkeypatch.setattr(checker, "BUDGET", 2 * 10**7)


def test_the_index_is_complete():
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.zip")}
    assert files == set(INDEX)
    assert Counter(entry["verdict"] == "holds" for entry in INDEX.values()) == {True: 15, False: 55}
    assert all(entry["reason"] for entry in INDEX.values())
    assert sum((FOLDER / name).stat().st_size for name in INDEX) < 600_000


@pytest.mark.parametrize("name", INDEX)
def test_the_checker(name):
    code, reasons = verdict((FOLDER / name).read_bytes())
    assert code == CODES[INDEX[name]["verdict"]], reasons


@pytest.mark.skipif(not KNOWS_FORMAT_3, reason="kernelgap.certificates.verify does not know version 3")
@pytest.mark.parametrize("name", [name for name in INDEX if not name.partition("/")[2].startswith(("sec8", "slides"))])
def test_kernelgap(name):
    try:
        holds = verify(FOLDER / name).holds
    except InputError:
        holds = None
    assert (holds is True) == (INDEX[name]["verdict"] == "holds")


@pytest.mark.slow
def test_the_script_writes_these_files(tmp_path):
    load(FOLDER / "make.py").main(tmp_path)
    assert json.loads((tmp_path / "index.json").read_text()) == INDEX
    assert all((tmp_path / name).read_bytes() == (FOLDER / name).read_bytes() for name in INDEX)
