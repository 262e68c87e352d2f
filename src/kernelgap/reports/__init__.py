"""Results as people read them: summaries, sentences, exports."""

from kernelgap.reports.summary import as_record, best_of_methods, sentence, summarise, under_threshold, write_results

__all__ = ["as_record", "best_of_methods", "sentence", "summarise", "under_threshold", "write_results"]
