"""Every notebook runs from its first cell to its last, and is stored without output."""

import ast
import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from kernelgap.networks import NETWORKS
from kernelgap.problems import PROBLEMS
from support.audits import without_training

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
TRAINS = "an_audit"


def executed(cells: list[str]) -> dict[str, object]:
    """The names that cells leave; what a cell ends with is shown, as in Jupyter."""
    names: dict[str, object] = {"__name__": "__main__"}
    for number, source in enumerate(cells, start=1):
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"<cell {number}>", "exec"), names)
        if last is not None:
            assert repr(eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names))
    return names


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The names that a notebook leaves, by its name; what it registers is forgotten."""
    monkeypatch.chdir(tmp_path)
    before = [(registry, dict(registry)) for registry in (PROBLEMS, NETWORKS)]

    def run_it(name):
        (path,) = [path for path in NOTEBOOKS if path.stem == name]
        cells = json.loads(path.read_text())["cells"]
        with without_training(monkeypatch) if name == TRAINS else nullcontext():
            return executed(["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"])

    yield run_it
    for registry, things in before:
        for name in set(registry) - set(things):
            del registry[name]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_output(path):
    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert notebook["cells"][0]["source"][0].startswith("# ")
    for cell in notebook["cells"]:
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)


def test_a_first_gap(run, capsys):
    names = run("a_first_gap")
    assert max(names["risks"]) < names["problem"].threshold / 20
    assert names["floor"].risk > 0.9 * names["problem"].threshold
    assert 9 < names["gap"] < 10.2
    assert "a gap of" in capsys.readouterr().out


def test_your_own(run):
    names = run("your_own")
    assert 0.5 < names["best"] < names["own"]
    assert (names["mine"].d, names["errors"].shape) == (12, (3,))
    assert "my_three_signs" in PROBLEMS


def test_a_certificate(run):
    names = run("a_certificate")
    assert names["exact"].points == 2**16
    assert max(float(risk) for risk in names["claim"].risks) < names["problem"].threshold / 20
    assert names["verification"].holds


def test_an_audit(run, tmp_path, capsys):
    names = run(TRAINS)
    assert names["audit"].contenders.contender.isin(["3resnet", "gaussian"]).sum() == 2
    assert (tmp_path / "runs" / "notebook-audit" / "report.html").is_file()
    assert names["audit"].sentence in capsys.readouterr().out


def test_all_are_run():
    assert {path.stem for path in NOTEBOOKS} == {"a_first_gap", "your_own", "a_certificate", TRAINS}


def test_a_cell_that_fails_is_noticed():
    assert executed(["a = 1", "a + 1"])["a"] == 1
    with pytest.raises(ZeroDivisionError):
        executed(["a = 1", "a / 0"])
