"""Results as people read them: summaries, sentences, exports, charts."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily
from kernelgap.reports.common.words import rounded
from kernelgap.reports.figure.summary import (
    as_record,
    best_of_methods,
    sentence,
    summarise,
    told,
    under_threshold,
    write_results,
)

if TYPE_CHECKING:
    from kernelgap.reports.common.charts import save_chart, spectrum_chart
    from kernelgap.reports.figure.page import Report, write_report
    from kernelgap.reports.published import publish, run

__all__ = [
    "Report",
    "as_record",
    "best_of_methods",
    "publish",
    "rounded",
    "run",
    "save_chart",
    "sentence",
    "spectrum_chart",
    "summarise",
    "told",
    "under_threshold",
    "write_report",
    "write_results",
]


# Where the names live that draw. Imported when first used: drawing libraries take a while to load.
_HOME = {
    "Report": "figure.page",
    "publish": "published",
    "run": "published",
    "save_chart": "common.charts",
    "spectrum_chart": "common.charts",
    "write_report": "figure.page",
}

__getattr__ = lazily(__name__, _HOME)
