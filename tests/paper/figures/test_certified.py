"""Certificates of runs that search for their settings."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from fuzz.kinds import KINDS, start  # noqa: E402

from kernelgap import certificates  # noqa: E402
from kernelgap.paper.figures import certify_run  # noqa: E402
from kernelgap.paper.figures.searches import FIRST_SEED  # noqa: E402


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The figure that the fuzz damages."""
    folder = tmp_path_factory.mktemp("runs") / "figure"
    process = start(KINDS["figure"].command(folder, folder, "--workers", "1"), stdout=subprocess.PIPE)
    _, words = process.communicate()
    assert process.returncode == 0, words
    return folder


def test_a_run_that_searches_is_certified_by_a_judged_trial(tiny, tmp_path):
    claim = certify_run(tiny, tmp_path / "cert.zip")
    assert claim.seed < FIRST_SEED  # no trial of the search, whose weights are not kept
    assert certificates.verify(tmp_path / "cert.zip").holds
