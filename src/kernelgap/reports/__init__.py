"""Runs as people read them: one folder a page, and what the pages share."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.reports.common.charts import save_chart, spectrum_chart
    from kernelgap.reports.curve.chart import curve_chart, pool_chart
    from kernelgap.reports.displays import AuditDisplay, CurveDisplay, FigureDisplay, SpectrumDisplay

DISPLAYS = ("AuditDisplay", "CurveDisplay", "FigureDisplay", "SpectrumDisplay")

__all__ = [
    "AuditDisplay", "CurveDisplay", "FigureDisplay", "SpectrumDisplay", "curve_chart", "pool_chart", "save_chart",
    "spectrum_chart",
]  # fmt: skip

# Imported when first used: drawing libraries take a while to load.
__getattr__ = lazily(
    __name__,
    {
        **dict.fromkeys(__all__, "common.charts"),
        **dict.fromkeys(("curve_chart", "pool_chart"), "curve.chart"),
        **dict.fromkeys(DISPLAYS, "displays"),
    },
)
