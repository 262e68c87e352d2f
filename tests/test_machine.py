"""What the machine has to give."""

from pathlib import Path

import numpy as np
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


def test_memory_is_kept_while_inside_and_given_back_after(monkeypatch):
    """By the faults that the system counts: each page that is new costs one."""
    resource = pytest.importorskip("resource")
    if machine._glibc() is None:
        pytest.skip("this is no glibc")
    size = 64 * 2**20

    def faults() -> int:
        """Of 10 arrays, one after another."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(10):
            np.ones(size, dtype=np.uint8)
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

    def resident() -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024

    with machine.memory_kept(), machine.memory_kept():
        np.ones(size, dtype=np.uint8)
        kept, held = faults(), resident()
    assert held - resident() > size / 2
    assert kept < faults() / 5
