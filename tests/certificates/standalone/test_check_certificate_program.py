"""The checker as a program: alone, isolated, with its exit codes."""

import ast
import json
import shutil
import sys

import pytest

from support.certificates.format3 import add_claims, make_draft
from support.certificates.standalone import EVERY_POINT, PROGRAM, checker, run


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    draft = make_draft("hard(d=6, k=3, alpha=0.3)", floors=("ck2", "gaussian(bandwidth=1.0)"))
    (folder / "honest.zip").write_bytes(draft.sealed())
    draft.claim["networks"][0]["risk"] = "1/100"
    (folder / "false.zip").write_bytes(add_claims(draft).sealed())
    (folder / "damaged.zip").write_bytes(draft.sealed()[:-5])
    large = make_draft("hard(d=20, k=3, alpha=0.3)", network="2layer", width=2, networks=1, risks=[1])
    (folder / "large.zip").write_bytes(large.sealed())
    return folder


def test_it_is_one_file_of_the_standard_library():
    tree = ast.parse(PROGRAM.read_text())
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module.partition(".")[0])
    assert imported <= sys.stdlib_module_names
    assert "kernelgap" not in imported
    assert len(PROGRAM.read_text().splitlines()) < 800


def test_exit_codes(files):
    for name, code in (("honest", 0), ("false", 1), ("damaged", 2)):
        done = run(files / f"{name}.zip")
        assert done.returncode == code, done.stdout + done.stderr
        assert done.stderr == ""
    assert run().returncode == 2
    assert run(files / "missing.zip").returncode == 2
    assert run(files).returncode == 2
    assert run(files / "honest.zip", "--points").returncode == 2


def test_what_it_says(files):
    text = run(files / "honest.zip").stdout
    assert "Every statement holds." in text
    assert "exactly, at all 64 points" in text
    assert text.count("trust  ") == len(checker.TRUSTED)
    text = run(files / "false.zip").stdout
    assert "FAILS  The risk of network 0, 0.01" in text
    assert "1 statements do not hold." in text or "1 statement does not hold." in text
    assert run(files / "damaged.zip").stdout.startswith("Refused: ")


def test_json(files):
    found = json.loads(run(files / "honest.zip", "--json", "--seed", "x").stdout)
    assert found["exit"] == 0
    assert found["refused"] is None
    assert found["seed"] == "x"
    assert all(check["holds"] for check in found["checks"])
    assert found["trusted"] == list(checker.TRUSTED)
    found = json.loads(run(files / "damaged.zip", "--json").stdout)
    assert (found["exit"], found["checks"]) == (2, [])
    assert found["refused"]


def test_without_a_seed_the_points_are_fresh(files):
    seeds = {json.loads(run(files / "honest.zip", "--json").stdout)["seed"] for _ in range(3)}
    assert len(seeds) == 3


def test_all_points_without_numpy_and_with_it(files, tmp_path):
    """Alone in a folder the program uses no NumPy; beside the other file it does, with the same result."""
    (tmp_path / "alone").mkdir()
    alone = shutil.copy(PROGRAM, tmp_path / "alone" / PROGRAM.name)
    for program in (alone, PROGRAM):
        done = run(files / "honest.zip", "--all-points", program=program)
        assert done.returncode == 0, done.stdout + done.stderr
        assert run(files / "false.zip", "--all-points", program=program).returncode == 1


def test_the_optional_file_is_run_only_when_all_points_are_wanted(files, tmp_path):
    program = shutil.copy(PROGRAM, tmp_path / PROGRAM.name)
    (tmp_path / EVERY_POINT.name).write_text("raise SystemExit(77)\n")
    assert run(files / "honest.zip", program=program).returncode == 0
    assert run(files / "honest.zip", "--all-points", program=program).returncode == 77


def test_large_cubes_are_sampled(files, monkeypatch, capsys):
    monkeypatch.setattr(checker, "BUDGET", 10**6)
    code = checker.main([str(files / "large.zip"), "--seed", "x"])
    text = capsys.readouterr().out
    assert code in (0, 1)
    assert "from 298 of 1,048,576 points (a sample, from --seed x: with confidence 1 - 1e-06)" in text
