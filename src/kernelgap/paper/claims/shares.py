"""Theorems 2 and 3 speak of shares of targets: rows of what was measured, judged alike."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from kernelgap.paper.claims.claim import Line, Numbers, Picture, Verdict

LEARNED = 1e-9  # a target within reach: it has no place on a logarithmic axis
KEPT = ("kernel", "n", "targets", "all_targets", "method", "mean", "least", "share_above_paper_floor", "theorem")


def rows_of(table: pd.DataFrame, problem: str) -> list[dict[str, Any]]:
    """What of ``theorem2``'s or ``theorem3``'s table is kept."""
    records = table[[*KEPT, "any_kernel_mean"]].to_dict("records")
    return [{"problem": problem, **{str(k): _plain(v) for k, v in row.items()}} for row in records]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def judge_rows(rows: Sequence[dict[str, Any]], what: str) -> Verdict:
    """It holds if it holds in every row; one row in which it fails is enough to fail."""
    verdicts = [row["theorem"] for row in rows]
    least = min(row["share_above_paper_floor"] for row in rows)
    sizes = sorted({row["n"] for row in rows})
    measured = f"{least:.4%} or more in {len(rows)} cases, N = {', '.join(map(str, sizes))}"
    worst = min(rows, key=lambda row: row["share_above_paper_floor"])
    if "fails" in verdicts:
        row = rows[verdicts.index("fails")]
        share = row["share_above_paper_floor"]
        return Verdict("fails", measured, f"Only {share:.2%} of the targets of {row['problem']} for {row['kernel']}.")
    if any(verdict != "holds" for verdict in verdicts):
        row = next(row for row in rows if row["theorem"] != "holds")
        return Verdict("undecided", measured, f"{row['kernel']} on {row['problem']}: {row['theorem']}.")
    exact = sum(row["all_targets"] and row["method"] != "estimate" for row in rows)
    return Verdict(
        "holds",
        measured,
        f"The best risk over all weights, {exact} of the cases over every target and every point of the cube. "
        f"The least share is that of {what} {worst['kernel']} on {worst['problem']}.",
    )


def floor_picture(numbers: Numbers) -> Picture:
    """Mean and least best risk by kernel, above the floors."""
    problem = numbers["rows"][0]["problem"]
    rows = [row for row in numbers["rows"] if row["problem"] == problem]
    easiest = {i: row["least"] for i, row in enumerate(rows) if row["least"] > LEARNED}
    lines = [Line("mean over targets", range(len(rows)), [row["mean"] for row in rows], points_only=True)]
    if len(easiest) == len(rows):
        lines.append(Line("the easiest target", list(easiest), list(easiest.values()), points_only=True))
    return Picture(
        x=problem,
        y="best risk over all weights",
        lines=lines,
        levels=(("any scalar kernel, on average", rows[0]["any_kernel_mean"]),),
        y_axis="log",
        categories=[row["kernel"] for row in rows],
    )
