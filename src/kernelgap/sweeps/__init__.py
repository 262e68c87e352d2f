"""Plan, execute, store: many trainings, spread over processes, kept as they finish."""

from kernelgap.sweeps.chunk import Chunk, ChunkResult, TrialResult, plan_chunks, run_chunk
from kernelgap.sweeps.runner import Interrupted, Progress, run_chunks
from kernelgap.sweeps.store import Store
from kernelgap.sweeps.trial import Trial, make_trial

__all__ = [
    "Chunk",
    "ChunkResult",
    "Interrupted",
    "Progress",
    "Store",
    "Trial",
    "TrialResult",
    "make_trial",
    "plan_chunks",
    "run_chunk",
    "run_chunks",
]
