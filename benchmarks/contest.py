"""Contestants as processes: started together, let go together, and what they tell."""

import json
import os
import subprocess
import time
from pathlib import Path

from kernelgap.sweeps.local import SINGLE_THREADED

HERE = Path(__file__).parent


def run(program: str, python: str, task: dict, processes: int, threads: int) -> list[dict]:
    """What each copy of a contestant tells: seconds of work and of warming up, peak memory, seconds until it began."""
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    environment = os.environ | quiet | SINGLE_THREADED
    if threads > 1:
        environment = {k: v for k, v in (os.environ | quiet).items() if k not in SINGLE_THREADED}
    command = [python, str(HERE / "contestants" / program), json.dumps(task | {"threads": threads})]
    began = time.perf_counter()
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(processes)
    ]
    for process in running:
        if process.stdout.readline().strip() != "ready":
            raise SystemExit(f"{program} did not get ready: see its message above.")
    ready = time.perf_counter() - began
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [json.loads(process.communicate()[0]) for process in running]
    return [result | {"start": ready - result["warm_up"]} for result in told]


def run_one(program: str, python: str, task: dict, threads: int) -> dict:
    return run(program, python, task, 1, threads)[0]
