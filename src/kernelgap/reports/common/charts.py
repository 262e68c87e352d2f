"""Charts, described once: interactive as HTML that needs no network, or as SVG, PNG and PDF."""

import math
from pathlib import Path

import altair as alt
import pandas as pd
import vl_convert

from kernelgap.errors import InputError

FORMATS = (".html", ".svg", ".png", ".pdf")
PICTURES = (".svg", ".png", ".pdf")
VEGA_LITE = alt.SCHEMA_VERSION.removeprefix("v").rsplit(".", 1)[0]
LEAST = 1e-12  # what a logarithmic axis still shows
COLOUR = "#4c78a8"


def spectrum_chart(table: pd.DataFrame) -> alt.VConcatChart:
    """A kernel's eigenvalues by degree, above how much of each degree its samples hold (``certificates.retention``)."""
    attrs = table.attrs
    shown = table.assign(relative=table.eigenvalue.abs() / table.eigenvalue.abs().max())
    spectrum = f"{attrs['kernel']} on the cube of {attrs['problem']}: eigenvalues, relative to the largest"
    held = f"The share of each parity that {attrs['n']:,} samples can hold, on average"
    return alt.vconcat(_by_degree(shown, "relative", ".0e", spectrum), _by_degree(shown, "captured", ".0e", held))


def _by_degree(table: pd.DataFrame, column: str, numbers: str, title: str) -> alt.LayerChart:
    """Stems on a logarithmic scale; where the value is nothing, so is the stem."""
    shown = table[table[column] > LEAST]
    low = 10.0 ** math.floor(math.log10(shown[column].min()) - 0.5)
    base = alt.Chart(shown.assign(low=low)).encode(
        x=alt.X(
            "degree:Q",
            title="degree of the parity",
            scale=alt.Scale(domain=[-0.5, float(table.degree.max()) + 0.5], nice=False),
            axis=alt.Axis(tickMinStep=1, grid=False, format="d"),
        ),
        y=alt.Y(
            f"{column}:Q",
            title=None,
            scale=alt.Scale(type="log", domain=[low, 1.0]),
            axis=alt.Axis(format=numbers, tickCount=8),
        ),
        tooltip=[
            alt.Tooltip("degree:Q"),
            alt.Tooltip("parities:Q", format=",.0f"),
            alt.Tooltip("eigenvalue:Q", format=".4g"),
            alt.Tooltip("share:Q", format=".3%", title="share of K(x,x)"),
            alt.Tooltip("captured:Q", format=".3%", title="held of each parity"),
        ],
    )
    stems = base.mark_rule(strokeWidth=2, color=COLOUR).encode(y2="low:Q")
    return (stems + base.mark_point(filled=True, size=50, opacity=1, color=COLOUR)).properties(
        width=560, height=210, title=title
    )


def save_chart(chart: alt.TopLevelMixin, path: str | Path) -> Path:
    """Write a chart in the format of the file's name."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise InputError(f"A chart is written as {', '.join(FORMATS)}, not as '{target.suffix}': name the file so.")
    try:
        if target.suffix.lower() == ".html":
            chart.save(target, inline=True)
        else:
            chart.save(target, scale_factor=2) if target.suffix.lower() == ".png" else chart.save(target)
    except OSError as error:
        raise InputError(f"'{target}' could not be written: {error.strerror}.") from None
    return target


def save_pictures(chart: alt.TopLevelMixin, folder: Path, name: str) -> list[Path]:
    """Write a chart as SVG, PNG and PDF, drawn once."""
    svg = vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=VEGA_LITE)
    paths = [folder / f"{name}{suffix}" for suffix in PICTURES]
    paths[0].write_text(svg, encoding="utf-8")
    paths[1].write_bytes(vl_convert.svg_to_png(svg, scale=2))
    paths[2].write_bytes(vl_convert.svg_to_pdf(svg))
    return paths
