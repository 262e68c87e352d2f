"""The page of the executable paper: each claim with what was stated, what was measured, and where its code is."""

from functools import partial
from pathlib import Path
from typing import Any

from kernelgap.durations import format_duration
from kernelgap.paper.claims.registry import OWN, section_of
from kernelgap.paper.claims.result import ORDER, ClaimsRun, Finding
from kernelgap.reports.common.charts import PICTURES
from kernelgap.reports.common.page import CHARTS, write_page
from kernelgap.reports.common.picture_chart import picture_chart

TITLES = {
    "learners": "Who learns",
    "targets": "What is learned, and how complex it is",
    "algorithms": "How it is learned",
    "positive": "What the network learns",
    "negative": "What no kernel learns",
    "experiments": "What the figures show",
    "talk": "What the talk says beyond the paper",
    OWN: "Your own",
}


def write_claims_page(run: ClaimsRun) -> Path:
    """Write ``report.html`` and ``charts/`` into the folder of the claims."""
    pictures = {
        finding.claim.id: finding.claim.picture(finding.numbers)
        for finding in run.findings
        if finding.claim.picture is not None and finding.numbers is not None
    }
    charts = {name: picture_chart(picture, on_page=True) for name, picture in pictures.items()}
    alone = {name: partial(picture_chart, picture, on_page=False, title=name) for name, picture in pictures.items()}
    return write_page(run, "claims/page.html", _context(run, charts), charts=charts, pictures=alone, tables={})


def _context(run: ClaimsRun, charts: dict[str, Any]) -> dict[str, Any]:
    sections = [
        {
            "name": section,
            "title": TITLES[section],
            "claims": [_entry(f, charts) for f in run.findings if section_of(f.claim) == section],
        }
        for section in TITLES
    ]
    return {
        "run": run,
        "sections": [section for section in sections if section["claims"]],
        "counts": {outcome: run.count(outcome) for outcome in reversed(ORDER)},
    }


def _entry(finding: Finding, charts: dict[str, Any]) -> dict[str, Any]:
    name = finding.claim.id
    return {
        **finding.as_record(),
        "anchor": name.replace(".", "-"),
        "time": None if finding.seconds is None else format_duration(finding.seconds),
        "chart": name if name in charts else None,
        "pictures": [f"{CHARTS}/{name}{suffix}" for suffix in PICTURES] if name in charts else [],
    }
