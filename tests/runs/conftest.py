"""What several of the tests compare with."""

import pytest

from kernelgap.runs import plan_chunks
from support import survival, tiny


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory):
    """The table of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    survival.finish(survival.start("tiny", folder, "--workers", 1))
    return survival.stored(folder)


@pytest.fixture
def chunks():
    return plan_chunks(tiny.tiny.trials("quick", 0))
