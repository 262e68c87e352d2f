"""Two models beside each other: the difference of their errors, and a table for notebooks."""

import html

import altair as alt
import pandas as pd

from kernelgap.audit.comparing import ModelComparison
from kernelgap.number_text import digits
from kernelgap.reports.audit.interval_charts import difference_layers
from kernelgap.reports.audit.lines import row_of
from kernelgap.reports.audit.text import COLOURS
from kernelgap.reports.common.axes import finished
from kernelgap.reports.common.charts import as_svg


def comparison_chart(comparison: ModelComparison) -> alt.LayerChart:
    """The second's error less the first's: mean, 95% interval and each seed; grey is too little to matter."""
    seeds = "all seeds" if comparison.seeds else "all rows"
    rows = [row_of(seeds, comparison.difference, all=True)]
    for seed, value in enumerate(comparison.by_seed):
        rows.append({"method": f"seed {seed}", "value": value, "low": value, "high": value, "all": False})
        rows[-1]["text"] = digits(value)
    sides = (f"\u2190 {comparison.second} better", f"{comparison.first} better \u2192")
    colour = {"first ahead": COLOURS["network"], "second ahead": COLOURS["kernel"]}.get(comparison.outcome)
    title = f"error of {comparison.second} minus error of {comparison.first}"
    layers = difference_layers(pd.DataFrame(rows), comparison.noticed, title, sides, colour)
    named = alt.Title(
        f"{comparison.first} against {comparison.second}: {comparison.metric}", subtitle=comparison.outcome
    )
    return finished(alt.layer(*layers), on_page=False, height=32 * len(rows) + 12, title=named)


def comparison_html(comparison: ModelComparison) -> str:
    """The sentence, the scores, the reasons and the chart, which loads nothing."""
    scores = [(comparison.first, comparison.first_score), (comparison.second, comparison.second_score)]
    cells = "".join(
        f"<tr><th scope='row'>{html.escape(name)}</th><td>{digits(score.value)}</td>"
        f"<td>{digits(score.low)} to {digits(score.high)}</td></tr>"
        for name, score in [*scores, ("constant guess", comparison.constant_score)]
    )
    head = f"<tr><th></th><th scope='col'>{html.escape(comparison.metric)}</th><th scope='col'>95% interval</th></tr>"
    reasons = "".join(f"<li>{html.escape(reason)}</li>" for reason in comparison.reasons)
    chart = as_svg(comparison_chart(comparison))
    sentence = f"<p><strong>{html.escape(comparison.sentence)}</strong></p>"
    return f"{sentence}<table>{head}{cells}</table><ul>{reasons}</ul>{chart}"
