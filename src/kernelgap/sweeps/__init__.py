"""Plan, execute, store: many fits, spread over processes, kept as they finish."""

from kernelgap.sweeps.chunk import Chunk, ChunkResult, TrialResult, plan_chunks
from kernelgap.sweeps.execute import run_chunk
from kernelgap.sweeps.meter import Progress
from kernelgap.sweeps.run_file import Failure
from kernelgap.sweeps.runner import Interrupted, run_chunks
from kernelgap.sweeps.status import Status, read_status
from kernelgap.sweeps.store import Store
from kernelgap.sweeps.trial import (
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
