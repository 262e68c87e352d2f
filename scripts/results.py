"""A page of the documentation for each figure and one for the claims: python scripts/results.py (make results).

Reads the kept results in src/kernelgap/paper/results and writes docs/results/NAME.md: the paper's values beside ours,
the points of each scale, the chart. Words on where they differ and why are written by hand, in
docs/results/notes/NAME.md, and taken in as they are; a figure that differs without a word on it is named.
docs/results/claims.md has the kept verdicts.
"""

import argparse
import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from kernelgap.paper.claims.kept import KeptClaims, KeptVerdict, all_kept_claims
from kernelgap.paper.claims.registry import claims as all_claims
from kernelgap.paper.figures import EXPERIMENTS
from kernelgap.paper.figures.paper_values import REMARKS, VALUES, PaperValue, beside
from kernelgap.paper.figures.picks import BUILT, NETWORKS, OF_NETWORKS, OTHER_KERNELS
from kernelgap.paper.figures.reference import CHART, Point, Reference, folder_of, kept_references
from kernelgap.paper.kept_file import RESULTS
from kernelgap.reports.common.words import rounded

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "results"
NOTES = "notes"
CLAIMS = "claims"
NEAR = 0.1  # a norm within this share of the paper's is the same place
DIFFERS = "no"
UNEXPLAINED = "Nothing is written on this yet."


def write_pages(root: Path = RESULTS, pages: Path = PAGES) -> list[str]:
    """Write the pages and their index; the figures that differ from the paper without a word on why."""
    references = kept_references(root)
    pages.mkdir(parents=True, exist_ok=True)
    unexplained = []
    for name, each in groupby(references, key=lambda reference: reference.experiment):
        kept = list(each)
        notes = pages / NOTES / f"{name}.md"
        words = notes.read_text(encoding="utf-8").strip() if notes.is_file() else ""
        tables = [beside_paper(reference) for reference in kept]
        if not words and any(row[-1].startswith(DIFFERS) for table in tables for row in table):
            unexplained.append(name)
        text = page(kept, tables, words, root, pages)
        (pages / f"{name}.md").write_text(text, encoding="utf-8")
    verdicts = all_kept_claims(root)
    if verdicts:
        (pages / f"{CLAIMS}.md").write_text(claims_page(verdicts), encoding="utf-8")
    (pages / "README.md").write_text(index(references, verdicts), encoding="utf-8")
    return unexplained


def page(kept: Sequence[Reference], tables: Sequence[list[list[str]]], words: str, root: Path, pages: Path) -> str:
    """The page of a figure, its scales one after the other."""
    name = kept[0].experiment
    source = f" ({EXPERIMENTS[name].source})" if name in EXPERIMENTS else ""
    parts = [
        f"# {name}: {kept[0].title}{source}",
        "Made by `make results` from the kept results; the words on differences are in "
        f"[{NOTES}/{name}.md]({NOTES}/{name}.md)."
        if words
        else "Made by `make results` from the kept results.",
    ]
    for reference, table in zip(kept, tables, strict=True):
        parts += scale_parts(reference, table, root, pages)
    parts += ["## Where the paper's values and ours differ, and why", words or UNEXPLAINED]
    return "\n\n".join(parts) + "\n"


def scale_parts(reference: Reference, table: list[list[str]], root: Path, pages: Path) -> list[str]:
    """What is said of one scale: how it was run, the chart, what came of it, the paper's values, all points."""
    chart = os.path.relpath(folder_of(reference.experiment, reference.scale, root) / CHART, pages)
    seeds = f"seeds {spans(reference.seeds)}"
    seeds += f", settings searched on seeds {spans(reference.search_seeds)}" if reference.search_seeds else ""
    parts = [
        f"## Scale {reference.scale}",
        f"`{reference.problem}`, {reference.samples:,} samples, {seeds}. Run with kernelgap {reference.version} "
        f"(code {reference.code}) on {machine(reference.environment)}; finished {reference.date}.",
        f"![Test errors of {reference.experiment}: medians with ranges over seeds]({chart})",
        rounded(reference.sentence),
    ]
    if reference.gap is not None:
        interval = reference.gap.get("interval") or {}
        parts += [rounded(str(said)) for said in (reference.gap["sentence"], interval.get("sentence")) if said]
    if table:
        parts += [
            "### Beside the paper",
            markdown(["paper, read off the figure", "here: median (range)", "agrees"], table),
        ]
    if reference.experiment in REMARKS:
        parts.append(REMARKS[reference.experiment])
    columns = ["method", "width", *(["beta"] if reference.x == "beta" else [])]
    columns += ["median", "range", "mean", "seeds", "setting", "picked on test"]
    columns += ["norm"] if reference.x == "norm" else []
    return [*parts, "### All points", markdown(columns, [row_of(point, columns) for point in reference.points])]


def row_of(point: Point, columns: Sequence[str]) -> list[str]:
    settings = [
        f"{name} {value:g}" for name in ("rate", "decay", "ridge") if (value := getattr(point, name)) is not None
    ]
    kernel = [] if point.kernel in (None, point.method) else [rounded(str(point.kernel))]
    least, greatest = point.range
    shown = {
        "method": point.method,
        "width": "any" if point.width is None else str(point.width),
        "beta": number(point.beta),
        "median": number(point.median, "\u221e"),
        "range": f"{least:.3g} to {greatest:.3g}",
        "mean": number(point.mean, "\u221e"),
        "seeds": str(point.seeds),
        "setting": ", ".join(kernel + settings),
        "picked on test": number(point.best_on_test, "\u221e"),
        "norm": number(point.norm),
    }
    return [shown[column] for column in columns]


def beside_paper(reference: Reference) -> list[list[str]]:
    """Each of the paper's values, ours at the same place, and whether they agree."""
    rows = []
    for value in VALUES.get(reference.experiment, ()):
        points = points_for(value, reference)
        norms = [f", norm {number(point.norm)}" if value.group == BUILT else "" for point in points]
        ours = "; ".join(f"{p.name}{norm}: {p.text}" for p, norm in zip(points, norms, strict=True)) or "not run"
        about = value.text if value.method is None else f"{value.method}: {value.text}"
        rows.append([about, ours, agreement(value, points)])
    return rows


def points_for(value: PaperValue, reference: Reference) -> list[Point]:
    """Our points at the place of one of the paper's values.

    Of a group of networks or kernels it is the best one, and at each beta the width with the least validation error.
    """
    start, stop = value.start or 0.0, math.inf if value.stop is None else value.stop
    points = [point for point in reference.points if value.method in (None, point.method)]
    if value.group == BUILT:
        near = [p for p in points if p.learner == "built" and p.norm and abs(math.log(p.norm / start)) < NEAR]
        return sorted(near, key=lambda p: abs(math.log((p.norm or 1.0) / start)))[:1]
    if value.group is not None:
        of_group = [point for point in points if group_of(point) == value.group]
        return sorted(of_group, key=lambda point: median_of(point))[:1]
    if reference.x != "beta":
        return [point for point in points if point.width is not None and start <= point.width <= stop]
    betas = sorted({point.beta for point in points if point.beta is not None and start <= point.beta <= stop})
    return [min((p for p in points if p.beta == beta), key=validation_of) for beta in betas]


def group_of(point: Point) -> str:
    if point.learner == "kernel":
        return OTHER_KERNELS if point.width is None else OF_NETWORKS
    return NETWORKS if point.learner == "network" else BUILT


def agreement(value: PaperValue, points: Sequence[Point]) -> str:
    """Whether each point agrees with the paper's value; if not, the farthest one that does not."""
    if not points:
        return ""
    others = [point for point in points if not agrees(value, point)]
    if not others:
        return "yes"
    farthest = max(others, key=lambda point: abs(math.log(max(median_of(point), 1e-12) / value.error)))
    text = f"{DIFFERS}: {median_of(farthest) / value.error:.2g} times the paper's"
    return (
        text if len(points) == 1 else f"{text} at {farthest.name} ({len(points) - len(others)} of {len(points)} agree)"
    )


def agrees(value: PaperValue, point: Point) -> bool:
    """As claims judge it: about the value, or above or at most it by the median."""
    median = median_of(point)
    if value.relation == "about":
        return beside(value.error, median, *point.range) == "about"
    return median > value.error if value.relation == "above" else median <= value.error


def claims_page(verdicts: Sequence[KeptClaims]) -> str:
    """The kept verdicts, scale after scale."""
    parts = [
        "# The verdicts on the claims",
        "Made by `make results` from the kept results. What claims are, and by which rules they are judged, is in "
        "[claims.md](../claims.md).",
    ]
    for kept in verdicts:
        counts = f"{kept.count('holds')} hold, {kept.count('fails')} fail, {kept.count('undecided')} are undecided"
        columns = ["claim", "source", "stated", "measured", "verdict"]
        others = [claim for claim in kept.claims if claim.verdict != "holds"]
        parts += [
            f"## Scale {kept.scale}",
            f"Of {len(kept.claims)} claims {counts}. Seed {kept.seed}, kernelgap {kept.version} (code {kept.code}) on "
            f"{machine(kept.environment)}; finished {kept.date}.",
            markdown(columns, [claim_row(claim) for claim in kept.claims]),
            "### Why claims do not hold",
            *([f"**{claim.id}** {claim.verdict}: {as_it_is(claim.reason)}" for claim in others] or ["All hold."]),
        ]
    return "\n\n".join(parts) + "\n"


def claim_row(kept: KeptVerdict) -> list[str]:
    claim = all_claims().get(kept.id)  # a claim may have been renamed since
    source, stated = ("", "") if claim is None else (claim.source, claim.stated)
    texts = [as_it_is(text) for text in (source, stated, kept.measured)]
    return [kept.id, *texts, kept.verdict + (" (identity)" if kept.identity else "")]


def as_it_is(text: str) -> str:
    """A text of which Markdown makes no emphasis and no tags: V* and <w,x> stay what they are."""
    return re.sub(r"([\\`*_<])", r"\\\1", text)


def machine(environment: Mapping[str, str]) -> str:
    return ", ".join(environment[key] for key in ("system", "processor") if key in environment)


def index(references: Sequence[Reference], verdicts: Sequence[KeptClaims]) -> str:
    """The list of what is kept."""
    parts = [
        "# Results",
        "What was run and kept: medians and ranges over seeds, beside the paper's values. Made by `make results` from "
        "the files in [results](../../src/kernelgap/paper/results/README.md).",
    ]
    rows = [
        [f"[{r.experiment}]({r.experiment}.md)", r.scale, r.title, str(len(r.seeds)), r.version, r.date]
        for r in references
    ]
    rows += [
        [f"[{CLAIMS}]({CLAIMS}.md)", kept.scale, f"verdicts on {len(kept.claims)} claims", "1", kept.version, kept.date]
        for kept in verdicts
    ]
    columns = ["figure", "scale", "what", "seeds", "kernelgap", "finished"]
    return "\n\n".join([*parts, markdown(columns, rows) if rows else "Nothing is kept yet."]) + "\n"


def median_of(point: Point) -> float:
    return math.inf if point.median is None else point.median


def validation_of(point: Point) -> float:
    return math.inf if point.validation_error is None else point.validation_error


def number(value: float | None, missing: str = "") -> str:
    return missing if value is None else f"{value:.3g}"


def spans(seeds: Sequence[int]) -> str:
    """0 to 4, or each by itself where there is a hole."""
    whole = len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1))
    return f"{seeds[0]} to {seeds[-1]}" if whole else ", ".join(map(str, seeds))


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; nothing in a cell ends it."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=PAGES, help="where the pages are written")
    parser.add_argument("--kept", type=Path, default=RESULTS, help="where the kept results are")
    chosen = parser.parse_args()
    for name in write_pages(chosen.kept, chosen.into):
        notes = chosen.into / NOTES / f"{name}.md"
        print(f"{name} differs from the paper, and '{notes}' does not say why.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
