"""``make results``: a page of the documentation for each figure, from the kept results."""

import re
from pathlib import Path

import pytest

import kernelgap as kg
from kernelgap.paper.figures import EXPERIMENTS
from kernelgap.paper.figures.paper_values import VALUES, PaperValue
from kernelgap.paper.figures.reference import Point, kept_references
from kernelgap.paper.kept_file import RESULTS
from kernelgap.reports.figure.keep import keep_reference
from support.kept import kept
from support.scripts import load_script

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    return load_script("results")


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    """A tiny run with five seeds, kept."""
    folder = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EXPERIMENTS, "kept", kept)
        run = kg.run("kept", out=folder / "run", workers=1, page=False, on_progress=lambda progress: None)
    keep_reference(run, folder / "results")
    return folder / "results"


def test_a_page_of_a_kept_run(script, references, tmp_path, monkeypatch):
    (found,) = kept_references(references)
    resnet = next(point for point in found.points if point.width == 5)
    values = (
        PaperValue("about as here", resnet.median, "3resnet(all)", 5, None),
        PaperValue("far away", 1e6, "3resnet(all)", 4, 4),
        PaperValue("of a method that was not run", 1.0, "3layer(all)"),
    )
    monkeypatch.setitem(VALUES, "kept", values)
    assert script.write_pages(references, tmp_path / "docs") == ["kept"]
    text = (tmp_path / "docs" / "kept.md").read_text()
    words = " ".join(text.split())
    assert f"| 3resnet(all): about as here | 3resnet(all), width 5: {resnet.text} | yes |" in words
    assert re.search(
        r"\| 3resnet\(all\): far away \| 3resnet\(all\), width 4: [^|]* \| no: \S+ times the paper's \|", words
    )
    assert "of a method that was not run | not run | |" in words
    assert "seeds 0 to 4" in words
    assert found.sentence in words
    assert script.UNEXPLAINED in text
    (chart,) = re.findall(r"!\[.*\]\((.*)\)", text)
    assert (tmp_path / "docs" / chart).resolve() == (references / "kept-quick" / "errors.svg").resolve()
    for point in found.points:
        assert f"| {point.method} | {point.width or 'any'} | {point.median:.3g} |" in words
    (tmp_path / "docs" / "notes").mkdir()
    (tmp_path / "docs" / "notes" / "kept.md").write_text("Far away since nobody went there.\n")
    assert script.write_pages(references, tmp_path / "docs") == []
    text = (tmp_path / "docs" / "kept.md").read_text()
    assert "Far away since nobody went there." in text
    assert script.UNEXPLAINED not in text
    assert "[kept](kept.md) | quick | kept, for tests | 5 |" in (tmp_path / "docs" / "README.md").read_text()


def point(low, middle, high, **changes):
    told = {"method": "3resnet(all)", "learner": "network", "width": 100, "seeds": 5, **changes}
    return Point(least=low, median=middle, greatest=high, mean=None, standard_error=None, best_on_test=None, **told)


@pytest.mark.parametrize(
    ("relation", "error", "words"),
    [
        ("about", 0.02, "yes"),
        ("about", 0.029, "yes"),  # within the range
        ("about", 0.014, "yes"),  # and within a factor of 1.5
        ("about", 0.05, "no: 0.4 times the paper's"),
        ("about", 0.005, "no: 4 times the paper's"),
        ("above", 0.019, "yes"),
        ("above", 0.02, "no: 1 times the paper's"),
        ("at most", 0.02, "yes"),
        ("at most", 0.01, "no: 2 times the paper's"),
    ],
)
def test_what_agrees_with_the_paper(script, relation, error, words):
    value = PaperValue("stated", error, "3resnet(all)", relation=relation)
    assert script.agreement(value, [point(0.01, 0.02, 0.03)]) == words


def test_each_point_has_to_agree(script):
    value = PaperValue("stated", 0.02, "3resnet(all)", 100, 200)
    good, bad = point(0.01, 0.02, 0.03), point(0.1, 0.2, 0.3, width=200)
    assert script.agreement(value, [good, good]) == "yes"
    words = script.agreement(value, [good, bad])
    assert words == "no: 10 times the paper's at 3resnet(all), width 200 (1 of 2 agree)"
    assert script.agreement(value, [bad, point(0.001, 0.001, 0.001)]).endswith("(0 of 2 agree)")
    above = PaperValue("stated", 0.1, "3resnet(all)", relation="above")
    assert script.agreement(above, [good, bad]).startswith("no: 0.2 times")


def test_groups_and_norms(script, references):
    (found,) = kept_references(references)
    kernel = {"learner": "kernel", "method": "2layer(NTK)"}
    built = {"learner": "built", "method": "built(trained)", "width": 200}
    points = [
        point(0.01, 0.02, 0.03),
        point(5.0, 6.0, 7.0, **kernel),
        point(4.0, 5.0, 6.0, **{**kernel, "method": "ck2", "width": None}),
        point(0.1, 0.1, 0.1, norm=61.0, decay=4e-4, **built),
        point(0.01, 0.01, 0.01, norm=78.5, decay=1e-4, **built),
    ]
    of = found.model_copy(update={"points": points})
    above, *_ = [value for value in VALUES["fig2a"] if value.group is not None]
    assert [p.method for p in script.points_for(above, of)] == ["2layer(NTK)"]  # ck2 is not in the paper's figure
    best, *made = VALUES["fig4a"]
    assert [p.median for p in script.points_for(best, of)] == [0.02]
    assert [[p.median for p in script.points_for(value, of)] for value in made] == [[0.1], [0.01], []]


def test_at_a_beta_the_width_is_chosen_by_validation(script, references):
    (found,) = kept_references(references)
    points = [
        point(0.01, 0.02, 0.03, beta=0.5, width=50, validation_error=0.5),
        point(1.0, 2.0, 3.0, beta=0.5, width=100, validation_error=0.01),
        point(0.01, 0.02, 0.03, beta=1.0, width=50, validation_error=0.02),
        point(1.8, 2.0, 2.2, beta=1.0, width=100, validation_error=None),
        point(1.3, 1.4, 1.5, beta=0.2, width=50, validation_error=1.4),
    ]
    of = found.model_copy(update={"points": points, "x": "beta"})
    fails, learns = VALUES["fig3a"]
    assert [(p.beta, p.width) for p in script.points_for(learns, of)] == [(0.5, 100), (1.0, 50)]
    assert script.agreement(learns, script.points_for(learns, of)).startswith("no: 1.5 times the paper's at")
    assert script.agreement(fails, script.points_for(fails, of)) == "yes"


def test_the_pages_are_those_of_the_kept_results(script, tmp_path):
    """What is committed is what ``make results`` makes; the notes are taken as they are."""
    pages = ROOT / "docs" / "results"
    notes = tmp_path / "docs" / "results" / "notes"
    notes.mkdir(parents=True)
    for note in (pages / "notes").glob("*.md"):
        (notes / note.name).write_text(note.read_text())
    script.write_pages(pages=notes.parent)
    made = {
        path.name: re.sub(r"\]\([./]*(?:[^)]*/)?src/", "](src/", path.read_text()) for path in notes.parent.glob("*.md")
    }
    kept = {path.name: re.sub(r"\]\([./]*(?:[^)]*/)?src/", "](src/", path.read_text()) for path in pages.glob("*.md")}
    assert made == kept


def test_results_at_the_top_are_those_of_the_package():
    assert (ROOT / "results").resolve() == RESULTS.resolve()
    assert (RESULTS / "README.md").is_file()


def test_links_of_the_pages_lead_somewhere():
    for document in (ROOT / "docs" / "results").glob("*.md"):
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name} links to {link}"
