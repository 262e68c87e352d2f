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
from kernelgap.errors import InputError  # noqa: E402
from kernelgap.paper.figures import certify_run  # noqa: E402
from kernelgap.paper.figures.certified import _trained_again  # noqa: E402
from kernelgap.paper.figures.searches import FIRST_SEED  # noqa: E402
from kernelgap.runs import TrialStore  # noqa: E402


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
    assert all(network.seed < FIRST_SEED for network in claim.networks)  # no trial of the search
    assert certificates.verify(tmp_path / "cert.zip").holds


def test_training_again_must_end_where_the_run_did(tiny):
    with TrialStore.reading(tiny) as store:
        table, trials = store.table(), store.trials()
    row = table[(table.kind == "sgd") & (table.status == "done")].iloc[0]
    assert _trained_again(trials[row.trial], row.test_error) is not None
    with pytest.raises(InputError, match="another machine"):
        _trained_again(trials[row.trial], 1.1 * row.test_error)
