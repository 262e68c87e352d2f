"""The page of the executable paper: each claim with what was stated, what was measured, and where its code is."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kernelgap import console
from kernelgap.durations import format_duration
from kernelgap.errors import InputError
from kernelgap.paper.claims.registry import ROOMS, room_of
from kernelgap.paper.claims.run import ORDER, Finding, Findings
from kernelgap.reports.claims.picture_chart import picture_chart
from kernelgap.reports.common.charts import PICTURES, save_pictures
from kernelgap.reports.common.environment import environment
from kernelgap.reports.common.render import render

FILE = "report.html"
TITLES = {
    "learners": "Who learns",
    "targets": "What is learned, and how complex it is",
    "algorithms": "How it is learned",
    "positive": "What the network learns",
    "negative": "What no kernel learns",
    "experiments": "What the figures show",
}


def write_claims_page(findings: Findings) -> Path:
    """Write ``report.html`` and ``charts/`` into the folder of the claims."""
    pictures = {f.claim.id: f for f in findings.found if f.claim.picture is not None and f.numbers is not None}
    charts = {}
    try:
        folder = findings.folder / "charts"
        folder.mkdir(parents=True, exist_ok=True)
        with console.progress("charts") as show:
            for i, (name, finding) in enumerate(pictures.items()):
                show(i / len(pictures), name)
                assert finding.claim.picture is not None
                picture = finding.claim.picture(finding.numbers or {})
                charts[name] = picture_chart(picture, on_page=True)
                save_pictures(picture_chart(picture, on_page=False, title=name), folder, name)
        path = findings.folder / FILE
        path.write_text(render("claims/page.html", _context(findings, charts), charts), encoding="utf-8")
    except OSError as error:
        raise InputError(f"The report could not be written to '{findings.folder}': {error.strerror}.") from None
    return path


def _context(findings: Findings, charts: dict[str, Any]) -> dict[str, Any]:
    rooms = [
        {
            "name": room,
            "title": TITLES[room],
            "claims": [_entry(f, charts) for f in findings.found if room_of(f.claim) == room],
        }
        for room in ROOMS
    ]
    return {
        "sentence": findings.sentence,
        "scale": findings.scale,
        "seed": findings.seed,
        "rooms": [room for room in rooms if room["claims"]],
        "counts": {outcome: findings.count(outcome) for outcome in reversed(ORDER)},
        "work": format_duration(sum(finding.seconds or 0.0 for finding in findings.found)),
        "environment": environment(),
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _entry(finding: Finding, charts: dict[str, Any]) -> dict[str, Any]:
    name = finding.claim.id
    return {
        **finding.as_record(),
        "anchor": name.replace(".", "-"),
        "time": None if finding.seconds is None else format_duration(finding.seconds),
        "chart": name if name in charts else None,
        "pictures": [f"charts/{name}{suffix}" for suffix in PICTURES] if name in charts else [],
    }
