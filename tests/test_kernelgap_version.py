"""The version is stated once in each file that readers look at, and moves with the changelog."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import kernelgap

ROOT = Path(__file__).parents[1]


def test_all_files_state_the_newest_release():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    releases = re.findall(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    cited = (ROOT / "CITATION.cff").read_text()
    assert releases[0][0] == stated == version("kernelgap") == kernelgap.__version__
    assert f"version: {stated}\ndate-released: {releases[0][1]}\n" in cited
    numbers = [tuple(map(int, number.split("."))) for number, _ in releases]
    assert numbers == sorted(numbers, reverse=True)
