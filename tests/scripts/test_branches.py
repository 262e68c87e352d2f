"""``make coverage``: a folder whose branches are not taken is seen."""

import json

import pytest

from support.scripts import load_script


@pytest.fixture(scope="module")
def branches():
    return load_script("branches")


@pytest.mark.parametrize(("taken", "code"), [(17, 1), (18, 0)])
def test_less_than_nine_tenths_is_a_failure(branches, tmp_path, capsys, taken, code):
    def counts(there, taken):
        return {"summary": {"num_branches": there, "covered_branches": taken, "missing_branches": there - taken}}

    files = {
        "src/kernelgap/runs/a.py": counts(10, 10),
        "src/kernelgap/runs/workers/b.py": counts(10, taken - 10),
        "src/kernelgap/reports/c.py": counts(10, 0),  # asks for no share
    }
    (tmp_path / "coverage.json").write_text(json.dumps({"files": files}))
    assert branches.main(str(tmp_path / "coverage.json")) == code
    printed = capsys.readouterr().out
    assert ("less than 90%" in printed) == bool(code)
    assert branches.main(str(tmp_path / "coverage.json"), "certificates") == 0
    assert f"runs/workers/b.py {'':27} misses {20 - taken}" in printed
