"""Runs as people read them: one folder a page, and what the pages share."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.reports.common.charts import save_chart, spectrum_chart

__all__ = ["save_chart", "spectrum_chart"]

# Imported when first used: drawing libraries take a while to load.
__getattr__ = lazily(__name__, dict.fromkeys(__all__, "common.charts"))
