"""Lengths of time as people write them."""

import numpy as np
import pytest

from kernelgap.audit.resources import seconds_of
from kernelgap.errors import InputError


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("5m", 300), ("90", 90), ("90s", 90), ("1h30m", 5400), ("1h 30m", 5400), ("0.5h", 1800), (45, 45), (12.5, 12.5)],
)
def test_lengths(given, seconds):
    assert seconds_of(given) == seconds


@pytest.mark.parametrize("given", ["", "m", "5 minutes", "-5m", "0", 0, 9.9, "5x", True, float("nan"), np.inf, None])
def test_others_get_a_sentence(given):
    with pytest.raises(InputError, match="at least 10 seconds"):
        seconds_of(given)
