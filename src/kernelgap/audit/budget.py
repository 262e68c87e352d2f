"""How long an audit may take."""

from math import inf

from kernelgap.durations import parse_duration
from kernelgap.errors import InputError

LEAST = 10.0


def seconds_of(budget: str | float) -> float:
    """A budget in seconds."""
    seconds = parse_duration(budget)
    if seconds is None or not LEAST <= seconds < inf:
        advice = "give seconds, or such as 90s, 5m or 1h30m"
        raise InputError(f"The budget is a length of time of at least {LEAST:g} seconds, not {budget!r}: {advice}.")
    return seconds
