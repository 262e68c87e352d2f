"""Run one chunk. The result depends on the chunk alone, not on the process."""

import time
from collections.abc import Callable

from kernelgap.runs.trials.built import run_by_construction
from kernelgap.runs.trials.chunk import Chunk, ChunkResult
from kernelgap.runs.trials.ridge import run_by_ridge
from kernelgap.runs.trials.sgd import run_by_sgd
from kernelgap.runs.trials.trial import BuiltTrial, RidgeTrial, Trial


def run_chunk(chunk: Chunk, on_progress: Callable[[float], None] | None = None) -> ChunkResult:
    """Draw the samples, fit the chunk's trials, and report each.

    Parameters
    ----------
    chunk
        The trials to fit.
    on_progress
        Takes the share done.

    Returns
    -------
    ChunkResult
        What came of each trial, and how long it took.
    """
    began = time.perf_counter()
    by_sgd = [trial for trial in chunk.trials if isinstance(trial, Trial)]
    by_ridge = [trial for trial in chunk.trials if isinstance(trial, RidgeTrial)]
    by_construction = [trial for trial in chunk.trials if isinstance(trial, BuiltTrial)]
    results = run_by_sgd(by_sgd, on_progress, keep_weights=chunk.keep_weights) if by_sgd else []
    results += run_by_ridge(by_ridge, on_progress or (lambda share: None)) if by_ridge else []
    results += run_by_construction(by_construction) if by_construction else []
    return ChunkResult.of(chunk, time.perf_counter() - began, results)
