"""Plan, execute, store: many fits, spread over processes, kept as they finish."""

from kernelgap.runs.kind import read_run
from kernelgap.runs.meter import RunProgress
from kernelgap.runs.result import Run
from kernelgap.runs.runner import Interrupted, run_chunks
from kernelgap.runs.start import run
from kernelgap.runs.status import Status, read_status
from kernelgap.runs.store import Failure
from kernelgap.runs.trials.chunk import Chunk, ChunkResult, TrialResult, plan_chunks
from kernelgap.runs.trials.execute import run_chunk
from kernelgap.runs.trials.store import TrialStore
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
    "RidgeTrial",
    "Run",
    "RunProgress",
    "Status",
    "Trial",
    "TrialResult",
    "TrialStore",
    "make_built_trial",
    "make_ridge_trial",
    "make_trial",
    "make_trials",
    "plan_chunks",
    "read_run",
    "read_status",
    "run",
    "run_chunk",
    "run_chunks",
]
