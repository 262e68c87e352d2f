"""Lengths of time, read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelgap.durations import format_duration, format_estimate, parse_duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0, "0 s"), (0.2, "0.2 s"), (9.96, "10 s"), (59.6, "1 min"), (150, "2 min 30 s"), (3661, "1 h 1 min")),
        *(
            (7200.04, "2 h"),
            (86_400, "1 day"),
            (1e6, "11 days 13 h"),
            (-5, "0 s"),
            (float("inf"), "1,157,407 days 9 h"),
        ),
    ],
)
def test_durations(seconds, text):
    assert format_duration(seconds) == text


def test_estimates():
    texts = [format_estimate(seconds) for seconds in (20, 70, 300, 7200, 86_400 * 3, 1e9)]
    assert texts == ["under a minute", "1 minute", "5 minutes", "2 hours", "3 days", "32 years"]


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59))
def test_what_is_written_is_read(hours, minutes, seconds):
    assert parse_duration(f"{hours}h{minutes}m {seconds}s") == 3600 * hours + 60 * minutes + seconds
