"""Plan, execute, store: many fits, spread over processes, kept as they finish."""

from kernelgap.runs.trials.chunk import Chunk, ChunkResult, TrialResult, plan_chunks
from kernelgap.runs.trials.execute import run_chunk
from kernelgap.runs.meter import Progress
from kernelgap.runs.run_file import Failure
from kernelgap.runs.runner import Interrupted, run_chunks
from kernelgap.runs.status import Status, read_status
from kernelgap.runs.trials.store import Store
from kernelgap.runs.trials.trial import (
    AnyTrial,
    BuiltTrial,
    RidgeTrial,
    Trial,
    make_built_trial,
    make_ridge_trial,
    make_trial,
    make_trials,
)

__all__ = [
    "AnyTrial",
    "BuiltTrial",
    "Chunk",
    "ChunkResult",
    "Failure",
    "Interrupted",
    "Progress",
    "RidgeTrial",
    "Status",
    "Store",
    "Trial",
    "TrialResult",
    "make_built_trial",
    "make_ridge_trial",
    "make_trial",
    "make_trials",
    "plan_chunks",
    "read_status",
    "run_chunk",
    "run_chunks",
]
