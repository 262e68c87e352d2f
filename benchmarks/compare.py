"""One table of every benchmark's results, beside those that were kept; what fell by more than 15% is said.

Each benchmark leaves a file in ``results/`` with rows {name, value, unit, higher_is_better}. Ratios and shares of a
peak are compared, since seconds differ between machines. ``--keep`` makes the results those that later ones are
compared with (``kept.json``, which is committed). The exit code is 1 if something fell.
"""

import argparse
import json
import sys
from pathlib import Path

from contest import HERE, now
from kernelgap import console
from kernelgap.runs.environment import environment

RESULTS, KEPT = HERE / "results", HERE / "kept.json"
FALL = 0.15
COMPARED = ("ratio", "share")
Results = dict[str, dict]  # by benchmark: date, machine, rows


def read_results(folder: Path) -> Results:
    """What each benchmark measured last."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    return {name: {key: r[key] for key in ("date", "machine", "rows")} for name, r in found.items() if r.get("rows")}


def change(row: dict, before: dict | None) -> float | None:
    """How much better it is, as a share of what was kept; less than 0 is worse. None if it is not compared."""
    if before is None or row["unit"] not in COMPARED or row["unit"] != before["unit"] or not before["value"]:
        return None
    if row["higher_is_better"]:
        return row["value"] / before["value"] - 1
    return before["value"] / row["value"] - 1 if row["value"] else 0.0


def compare(results: Results, kept: Results) -> list[tuple[str, dict, dict | None, float | None]]:
    """Every row with its benchmark, what was kept of it, and the change."""
    compared = []
    for name, result in results.items():
        before = {row["name"]: row for row in kept.get(name, {}).get("rows", ())}
        compared += [(name, r, before.get(r["name"]), change(r, before.get(r["name"]))) for r in result["rows"]]
    return compared


def missing(results: Results, kept: Results) -> list[str]:
    """What was kept and is not measured any more."""
    there = {(name, row["name"]) for name, result in results.items() for row in result["rows"]}
    return [
        f"{name}: {row['name']}"
        for name, result in kept.items()
        for row in result["rows"]
        if (name, row["name"]) not in there
    ]


def format_value(row: dict) -> str:
    value = row["value"]
    if row["unit"] == "share":
        return f"{value:.1%}"
    return f"{value:.2f}x" if row["unit"] == "ratio" else f"{value:,.4g} {row['unit']}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", action="store_true", help="compare later results with these")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--kept", type=Path, default=KEPT)
    options = parser.parse_args(arguments)
    results = read_results(options.results)
    if not results:
        console.message("There are no results: run make bench.")
        return 2
    kept: Results = json.loads(options.kept.read_text()) if options.kept.exists() else {}
    compared = compare(results, kept)
    table = [
        [
            name,
            row["name"],
            format_value(row),
            "" if before is None else format_value(before),
            "" if by is None else f"{by:+.0%}",
            results[name]["date"][:10],
        ]
        for name, row, before, by in compared
    ]
    console.table(["benchmark", "what", "now", "kept", "better by", "measured"], table, left=2)
    if options.keep:
        write(options.kept, kept | results)
        console.answer(f"Later results are compared with these: {', '.join(results)}.")
        return 0
    history = options.results / "history"
    write(history / f"{now().replace(':', '')}.json", {"date": now(), "machine": environment(), "benchmarks": results})
    for name in missing(results, kept):
        console.answer(f"Not measured: {name}")
    fallen = [(name, row, before, by) for name, row, before, by in compared if by is not None and by < -FALL]
    for name, row, before, by in fallen:
        assert before is not None
        console.answer(f"Fell by {-by:.0%}: {name}, {row['name']}: {format_value(before)} -> {format_value(row)}")
    if not kept:
        console.answer("Nothing is kept to compare with: make bench-keep.")
    return 1 if fallen else 0


def write(path: Path, content: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    sys.exit(main())
