"""What the machine has to give."""

import subprocess
import sys
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from kernelgap import machine
from kernelgap.errors import InputError


def test_threads_follow_the_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert machine.threads() == 1
    for text in ("", "many", "0", "4,2"):
        monkeypatch.setenv("OMP_NUM_THREADS", text)
        assert machine.threads() == machine.cores()
    monkeypatch.setenv("OMP_NUM_THREADS", "100000")
    assert machine.threads() == machine.cores()


def test_memory():
    free = machine.available_memory()
    assert 2**20 < free < 2**50
    machine.require_memory(1, "A byte", "")
    with pytest.raises(InputError, match=r"A pile needs 1.05e\+06 GiB, and .* GiB are free. Take less."):
        machine.require_memory(2**50, "A pile", "Take less.")


def test_blas_threads_are_restored_after_calls_that_overlap():
    def limits() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = limits()
        first, second = machine.one_blas_thread(), machine.one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert limits() == [1] * len(before)  # the second is still inside
        second.__exit__(None, None, None)
        assert limits() == before


FAULTS = """
import resource
from pathlib import Path
import numpy as np
from kernelgap import machine

SIZE = 64 * 2**20

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        np.ones(SIZE, dtype=np.uint8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def resident():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024

with machine.memory_kept(), machine.memory_kept():
    np.ones(SIZE, dtype=np.uint8)
    kept, held = faults(), resident()
print(kept, faults(), (held - resident()) / SIZE)
"""


def test_memory_is_kept_while_inside_and_given_back_after():
    """In a process of its own, by the faults that the system counts: each page that is new costs one."""
    if machine._glibc() is None or not Path("/proc/self/status").exists():
        pytest.skip("this is no Linux with glibc")
    answer = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True).stdout
    inside, outside, given_back = map(float, answer.split())
    assert inside < outside / 5
    assert given_back > 0.5
