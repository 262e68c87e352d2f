"""Every kind of run, really ended at random moments, comes to the same as one that nothing happened to."""

import os
import sys
import time
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from fuzz.kills.killing import compare, disturbed, finished, undisturbed  # noqa: E402
from fuzz.kinds import KINDS, write_sources  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_run_that_is_killed_comes_to_the_same(kind, tmp_path):
    seed = int(os.environ.get("KERNELGAP_TEST_SEED", time.time_ns() % 2**32))
    print(f"KERNELGAP_TEST_SEED={seed}")
    write_sources(tmp_path)
    whole = undisturbed(kind, tmp_path, tmp_path / "whole")
    done = disturbed(kind, tmp_path, tmp_path / "cut", Random(seed), times=3, seconds=whole.seconds)
    print(done)
    assert compare(whole, finished(kind, tmp_path, tmp_path / "cut")) == []
