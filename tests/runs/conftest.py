"""What several of the tests compare with."""

import pytest

from support import survival


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory):
    """The table of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    survival.finish(survival.start("tiny", folder, "--workers", 1))
    return survival.stored(folder)
