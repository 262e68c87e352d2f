"""What is fuzzed, by name: each a small file that draws one input at a time."""

from fuzz.targets import (
    certificates,
    command_lines,
    estimator_inputs,
    experiment_files,
    model_files,
    run_folders,
    tables,
    texts,
)

TARGETS = {
    "command-lines": command_lines,
    "tables": tables,
    "experiment-files": experiment_files,
    "model-files": model_files,
    "certificates": certificates,
    "texts": texts,
    "estimator-inputs": estimator_inputs,
    "run-folders": run_folders,
}

__all__ = ["TARGETS"]
