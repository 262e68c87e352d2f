"""Results as people read them: summaries, sentences, exports, charts."""

from typing import TYPE_CHECKING

from kernelgap.reports.summary import (
    as_record,
    best_of_methods,
    sentence,
    summarise,
    under_threshold,
    write_results,
)

if TYPE_CHECKING:
    from kernelgap.reports.charts import save_chart, spectrum_chart
    from kernelgap.reports.page import Report, write_report

__all__ = [
    "Report",
    "as_record",
    "best_of_methods",
    "save_chart",
    "sentence",
    "spectrum_chart",
    "summarise",
    "under_threshold",
    "write_report",
    "write_results",
]


def __getattr__(name: str) -> object:
    """Charts are imported when first used: drawing libraries take a while to load."""
    if name not in __all__:
        raise AttributeError(f"module 'kernelgap.reports' has no attribute '{name}'")
    if name in ("Report", "write_report"):
        from kernelgap.reports import page

        return getattr(page, name)
    from kernelgap.reports import charts

    return getattr(charts, name)
