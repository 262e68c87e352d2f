"""Results as people read them: summaries, sentences, exports, charts."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily
from kernelgap.reports.summary import (
    as_record,
    best_of_methods,
    sentence,
    summarise,
    told,
    under_threshold,
    write_results,
)
from kernelgap.reports.words import rounded

if TYPE_CHECKING:
    from kernelgap.reports.charts import save_chart, spectrum_chart
    from kernelgap.reports.page import Report, write_report
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
    "Report": "page",
    "publish": "published",
    "run": "published",
    "save_chart": "charts",
    "spectrum_chart": "charts",
    "write_report": "page",
}

__getattr__ = lazily(__name__, _HOME)
