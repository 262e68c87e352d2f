"""Every example and the README run, and say what they claim."""

import doctest
import importlib.util
import re
from contextlib import nullcontext
from pathlib import Path

import pytest

from support.audits import without_training

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "kernelgap"
WITH_EXAMPLES = [path for path in sorted(PACKAGE.rglob("*.py")) if ">>> " in path.read_text()]
SMALL = {
    "your_own_problem": {"samples": 60, "epochs": 5},
    "first_f_then_g": {"width": 8, "epochs": (1, 2)},
    "every_kernel_loses": {"samples": 60, "epochs": 5},
    "a_floor_for_your_kernel": {"samples": 20},
    "is_a_network_worth_it": {"rows": 240},
}


EXAMPLES = [
    path for path in sorted((ROOT / "examples").glob("*.py")) if path.stem in SMALL
]  # the rest is run elsewhere


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with without_training(monkeypatch) if path.stem == "is_a_network_worth_it" else nullcontext():
        answer = module.main(**SMALL[path.stem])
    printed = capsys.readouterr().out
    values = answer.values() if isinstance(answer, dict) else [value for row in answer for value in row]
    for value in values:
        assert f"{value:.3f}" in printed or str(value) in printed


def test_links_lead_somewhere():
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name} links to {link}"


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/algorithms.md",
        "docs/certificates.md",
        "docs/claims.md",
        "docs/compare.md",
        "docs/curves.md",
        "docs/estimators.md",
        "docs/first-run.md",
        "docs/gradient-floors.md",
        "docs/idea.md",
        "docs/index.md",
        "docs/kernels.md",
        "docs/playground.md",
        "docs/reports.md",
        "docs/theory.md",
        "docs/tutorials/data-scientist.md",
        "docs/tutorials/researcher.md",
        "docs/tutorials/teacher.md",
    ],
)
def test_documents(path):
    results = doctest.testfile(
        str(ROOT / path), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    assert results.attempted >= 3
    assert results.failed == 0


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=[path.relative_to(PACKAGE).as_posix() for path in WITH_EXAMPLES])
def test_docstrings(path):
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.attempted > 0
    assert results.failed == 0
