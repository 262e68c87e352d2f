"""The kernel's error less the network's, on the same rows and seeds: on which side of 0 it lies."""

import altair as alt
import pandas as pd

from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.verdict import NOTICED
from kernelgap.audit.statistics.wording import digits
from kernelgap.reports.audit.lines import row_of
from kernelgap.reports.audit.text import COLOURS
from kernelgap.reports.common.axes import MUTED, finished

ALL, ONE = "all seeds", "seed"
GREY = "#6b7785"


def difference_chart(audit: Audit, *, on_page: bool) -> alt.LayerChart:
    """The mean with its 95% interval, each seed by itself; grey ground is where nobody would notice it."""
    comparison = audit.answer.comparison
    rows = [row_of(ALL, comparison.difference, all=True)]
    for seed, value in enumerate(comparison.by_seed):
        own = {"method": f"{ONE} {seed}", "value": value, "low": value, "high": value, "told": digits(value)}
        rows.append({**own, "all": False})
    data = pd.DataFrame(rows)
    noticed = NOTICED * audit.answer.constant.value
    reach = 1.15 * max(*data.low.abs(), *data.high.abs(), 1.5 * noticed) or 1.0
    title = f"error of {comparison.kernel} less error of {comparison.network}"
    scale = alt.Scale(domain=[-reach, reach], nice=False)

    def x(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title=title, scale=scale, axis=alt.Axis(format="~g", tickCount=7))

    y = alt.Y("method:N", sort=list(data.method), title=None, axis=alt.Axis(ticks=False, grid=False))
    ahead = {"network ahead": COLOURS["network"], "kernel ahead": COLOURS["kernel"]}
    colour = ahead.get(audit.verdict, GREY)
    base = alt.Chart(data).encode(
        y=y, tooltip=[alt.Tooltip("method:N", title="of"), alt.Tooltip("told:N", title="difference")]
    )
    ground = alt.Chart(pd.DataFrame([{"low": -noticed, "high": noticed}])).mark_rect(color=MUTED, opacity=0.22)
    zero = alt.Chart(pd.DataFrame([{"zero": 0.0}])).mark_rule(color=GREY, strokeWidth=1.6)
    sides = pd.DataFrame(
        [
            {"at": reach, "words": "network better \u2192", "align": "right"},
            {"at": -reach, "words": "\u2190 kernel better", "align": "left"},
        ]
    )
    layers = [
        ground.encode(x=x("low"), x2="high:Q"),
        zero.encode(x=x("zero")),
        base.transform_filter("datum.all").mark_rule(strokeWidth=4, opacity=0.75, color=colour, strokeCap="round")
        .encode(x=x("low"), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, color=colour)
        .encode(x=x("value"), size=alt.condition("datum.all", alt.value(170), alt.value(70))),
    ]  # fmt: skip
    for side in ("left", "right"):
        words = alt.Chart(sides[sides["align"] == side], name=f"words_{side}")
        layers.append(
            words.mark_text(align=side, baseline="bottom", fontSize=12, color=MUTED, dy=-4).encode(
                x=x("at"), y=alt.value(0), text="words:N"
            )
        )
    named = f"{comparison.kernel} against {comparison.network} with {comparison.samples:,} samples"
    return finished(alt.layer(*layers), on_page=on_page, height=32 * len(data) + 12, title=named)
