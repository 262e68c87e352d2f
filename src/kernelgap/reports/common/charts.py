"""Charts, described once: interactive as HTML that needs no network, or as SVG, PNG and PDF."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair as alt
import pandas as pd
import vl_convert

from kernelgap.atomic_file import atomically
from kernelgap.errors import InputError, printable
from kernelgap.reports.common.axes import tooltips

if TYPE_CHECKING:
    from kernelgap.certificates import Retention

FORMATS = (".html", ".svg", ".png", ".pdf")
PICTURES = (".svg", ".png", ".pdf")
VEGA_LITE = alt.SCHEMA_VERSION.removeprefix("v").rsplit(".", 1)[0]
LEAST = 1e-12  # what a logarithmic axis still shows
COLOUR = "#4c78a8"


def spectrum_chart(retention: "Retention") -> alt.VConcatChart:
    """Draw a kernel's eigenvalues by degree, above how much of each degree its samples hold.

    Parameters
    ----------
    retention
        What ``kernelgap.certificates.retention`` gives.

    Returns
    -------
    The chart, for ``save_chart``.
    """
    table = retention.table
    shown = table.assign(relative=table.eigenvalue.abs() / table.eigenvalue.abs().max())
    spectrum = f"{retention.kernel} on the cube of {retention.problem}: eigenvalues, relative to the largest"
    held = f"The share of each parity that {retention.n:,} samples can hold, on average"
    return alt.vconcat(_by_degree(shown, "relative", spectrum), _by_degree(shown, "captured", held))


def _by_degree(table: pd.DataFrame, column: str, title: str) -> alt.LayerChart:
    """Stems on a logarithmic scale; none where the value is 0."""
    shown = table[table[column] > LEAST]
    if shown.empty:
        raise InputError(
            f"There is no chart: {title[:1].lower()}{title[1:]} is nowhere above {LEAST:g}. Ask for "
            "the numbers alone, or scale the kernel up."
        )
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
            axis=alt.Axis(format=".0e", tickCount=8),
        ),
        tooltip=tooltips(
            ("degree:Q", "degree"),
            ("parities:Q", "parities", ",.0f"),
            ("eigenvalue:Q", "eigenvalue", ".4g"),
            ("share:Q", "share of K(x,x)", ".3%"),
            ("captured:Q", "held of each parity", ".3%"),
        ),
    )
    stems = base.mark_rule(strokeWidth=2, color=COLOUR).encode(y2="low:Q")
    points = base.mark_point(filled=True, size=50, opacity=1, color=COLOUR)
    return (stems + points).properties(width=560, height=210, title=title)


def save_chart(chart: alt.TopLevelMixin, path: str | Path) -> Path:
    """Write a chart in the format of the file's name.

    Parameters
    ----------
    chart
        Any Altair chart.
    path
        The file: .html, .svg, .png or .pdf.

    Returns
    -------
    The path.

    Raises
    ------
    InputError
        If the ending is another one, or the file cannot be written.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in FORMATS:
        raise InputError(f"A chart is written as {', '.join(FORMATS)}, not as '{target.suffix}': name the file so.")
    try:
        if ending == ".html":
            alt.Chart.from_dict(_printable(chart.to_dict())).save(target, inline=True)
        else:
            target.write_bytes(_PAINTED[ending](as_svg(chart)))
    except OSError as error:
        raise InputError(f"'{target}' could not be written: {error.strerror}.") from None
    return target


def save_pictures(chart: alt.TopLevelMixin, folder: Path, name: str) -> list[Path]:
    """Write a chart as SVG, PNG and PDF, drawn once."""
    svg = as_svg(chart)
    paths = [folder / f"{name}{suffix}" for suffix in PICTURES]
    contents = [_PAINTED[path.suffix](svg) for path in paths]
    for path, content in zip(paths, contents, strict=True):
        with atomically(path) as partial:
            partial.write_bytes(content)
    return paths


def as_svg(chart: alt.TopLevelMixin) -> str:
    """A chart as SVG without control characters: at one of them the conversion may end the process."""
    svg = vl_convert.vegalite_to_svg(_printable(chart.to_dict()), vl_version=VEGA_LITE)
    return str(_printable(svg))  # Vega reads \\x1b in a text as Python does


_PAINTED: dict[str, Callable[[str], bytes]] = {
    ".svg": str.encode,
    ".png": lambda svg: vl_convert.svg_to_png(svg, scale=2),
    ".pdf": vl_convert.svg_to_pdf,
}


def _printable(value: Any) -> Any:
    """A chart's description with every text printable; line breaks stay."""
    if isinstance(value, str):
        return "\n".join(map(printable, value.split("\n")))
    if isinstance(value, dict):
        return {_printable(key): _printable(each) for key, each in value.items()}
    return [_printable(each) for each in value] if isinstance(value, list | tuple) else value
