"""``make dist``: what is built, that it works where it alone is installed, and what else states its requirements."""

import json
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from support.scripts import load_script

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13")


@pytest.fixture(scope="module")
def wheels():
    return load_script("wheels")


@pytest.fixture(scope="module")
def built(wheels, tmp_path_factory):
    return wheels.build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_conda_recipe_asks_for_what_the_project_asks_for(project):
    recipe = yaml.safe_load((ROOT / "conda" / "meta.yaml").read_text())
    assert (recipe["package"]["name"], recipe["package"]["version"]) == (project["name"], project["version"])
    run = recipe["requirements"]["run"]
    assert run[0] == f"python {project['requires-python']}"
    parted = [re.fullmatch(r"([\w.-]+)(.*)", requirement).groups() for requirement in project["dependencies"]]
    assert run[1:] == [f"{name} {versions}" for name, versions in parted]
    assert recipe["about"]["license"] == project["license"]
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["build"]["entry_points"] == [f"{name} = {place}" for name, place in project["scripts"].items()]


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(built):
    wheel, sdist = built
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"kernelgap"}
    inside = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "kernelgap").rglob("*")}
    files = {name for name in names if name.startswith("kernelgap/")}
    assert files <= inside
    assert {name for name in inside if name.endswith((".py", ".html", ".css", ".cpp", ".json"))} <= files
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/conftest.py", "conda/meta.yaml"} <= held
    assert {f"src/{name}" for name in files} <= held


@pytest.mark.slow
@pytest.mark.parametrize("version", PYTHONS)
def test_the_wheel_works_where_it_alone_is_installed(wheels, built, project, version, tmp_path):
    python = load_script("matrix").interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version}")
    outputs = wheels.try_wheel(python, built[0], tmp_path)
    assert outputs["--version"] == f"kernelgap {project['version']}\n"
    assert "Reproduce:" in outputs["--help"]
    assert {row["name"] for row in json.loads(outputs["list --json"])["experiments"]} >= {"fig2a", "images"}
    run = json.loads(outputs["run tiny.yaml --workers 1 --json"])
    assert {row["method"] for row in run["rows"]} == {"3resnet(all)", "ck2"}
    assert (tmp_path / "empty" / json.loads(outputs["report runs/tiny-quick --json"])["report"]).exists()


def test_a_command_that_fails_is_an_error(wheels, tmp_path, monkeypatch):
    """An environment whose kernelgap always fails, in place of an installed one."""
    place = tmp_path / "environment" / "bin"
    place.mkdir(parents=True)
    for name, code in {"python": 0, "kernelgap": 3}.items():
        (place / name).write_text(f"#!/bin/sh\necho broken >&2\nexit {code}\n")
        (place / name).chmod(0o755)
    with pytest.raises(RuntimeError, match="kernelgap --version ended with 3: broken"):
        wheels.try_wheel("true", Path("x.whl"), tmp_path)
