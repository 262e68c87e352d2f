"""``make docs``: the site builds without a warning and without a network, and what is wrong with a site is noticed."""

import html
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from support.browser import chromium, open_page
from support.scripts import load_script

ROOT = Path(__file__).parents[2]
pytest.importorskip("mkdocs", reason="the extra 'docs' is not installed")
HERMETIC = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "NO_MKDOCS_2_WARNING": "1"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, env={**os.environ, **HERMETIC}
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def text_of(path: Path) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", path.read_text()))


def test_every_command_has_its_options_in_the_site(site):
    from kernelgap.cli.app import app

    page = text_of(site / "reference" / "command-line.html")
    commands = load_script("website/command_line").commands(typer.main.get_command(app), "kernelgap")
    assert {"kernelgap run", "kernelgap certify any-kernel"} <= {name for name, _ in commands}
    for name, command in commands:
        (part,) = re.findall(rf"{name}¶(.*?)(?:kernelgap [a-z -]+¶|\Z)", page, re.S)
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
        assert all(option in part for option in options), name


def test_every_public_name_is_in_the_site(site):
    import kernelgap

    anchors = (site / "objects.inv").read_bytes()
    assert anchors.startswith(b"# Sphinx inventory")
    names = load_script("website/names")
    pages = {path.stem: path.read_text() for path in (site / "reference" / "python").glob("*.html")}
    assert len(pages) > 15
    for package, module in names.exporting():
        for name in names.exported(module):
            assert f">{name}<" in pages[package] or f'id="{package}.{name}"' in pages[package], (package, name)
    assert set(names.exported(kernelgap)) <= set(kernelgap.__all__)


def test_pages_have_one_title_and_no_step_is_left_out_below_it(site):
    for path in site.rglob("*.html"):
        levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", path.read_text())]
        assert levels.count(1) == 1, path
        assert all(after <= before + 1 for before, after in pairwise(levels)), path


def test_results_and_notebooks_are_in_the_site(site):
    from kernelgap.paper.figures.reference import kept_references

    gallery = (site / "gallery.html").read_text()
    for kept in kept_references():
        assert f"{kept.experiment}-{kept.scale}/errors.svg" in gallery
        assert (site / "results" / f"{kept.experiment}.html").is_file()
    assert "kg.kernels.from_function" in text_of(site / "repository" / "notebooks" / "your_own.ipynb.html")
    assert (site / "search" / "search_index.js").is_file()


def test_the_playground_is_in_the_site_and_linked_from_its_first_page(site):
    from kernelgap.play import playground

    assert (site / "play.html").read_text() == playground()
    assert 'href="play.html"' in (site / "index.html").read_text()
    assert 'href="play.html"' in (site / "playground.html").read_text()


def test_what_is_wrong_with_a_site_is_named(tmp_path):
    links = load_script("website/links")
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">x</a><a href="b.html#gone">x</a><a href="c.html">x</a><a href="https://there.org">x</a>'
    )
    (tmp_path / "b.html").write_text('<h1 id="there">x</h1><script src="https://cdn.org/x.js"></script>')
    (tmp_path / "style.css").write_text("@import url('https://fonts.org/a.css'); a { background: url(data:x) }")
    assert links.problems(tmp_path) == [
        "a.html links to b.html#gone, which is not there.",
        "a.html links to c.html, which is not there.",
        "b.html loads https://cdn.org/x.js from another host.",
        "style.css loads https://fonts.org/a.css from another host.",
    ]


def test_links_out_of_the_documentation_lead_to_copies():
    files = load_script("website/repository_files")
    docs = ROOT / "docs"
    assert files.place_of(docs / "runs.md", docs) == "runs.md"
    assert files.place_of(ROOT / "CONTRIBUTING.md", docs) == "contributing.md"
    assert files.place_of(ROOT / "examples" / "my_extension.py", docs) == "repository/examples/my_extension.py.md"
    chart = ROOT / "src" / "kernelgap" / "paper" / "results" / "fig3a-paper" / "errors.svg"
    link = "../../src/kernelgap/paper/results/fig3a-paper/errors.svg"
    assert files.targets(f"![x]({link}) [y](https://there.org) [z](#here)", docs / "results") == [chart]


@pytest.mark.parametrize("width", [1200, 390])
def test_the_search_works_in_a_folder_and_nothing_is_asked_of_other_hosts(site, width):
    with chromium() as browser:
        page, said, asked = open_page(browser, (site / "index.html").as_uri(), width, "light")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("/")
        page.keyboard.type("leap of a staircase")
        page.wait_for_selector(".md-search-result__link", timeout=120_000)
        links = page.eval_on_selector_all(".md-search-result__link", "links => links.map((link) => link.href)")
        assert any("kernelgap.problems.html" in link for link in links)
        assert page.get_attribute(".md-search", "aria-label") == "Search"
    assert said == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)
