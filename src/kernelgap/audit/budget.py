"""A length of time as people write it: 90, 90s, 5m, 1h30m."""

import re
from math import inf

from kernelgap.errors import InputError

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
LEAST = 10.0


def seconds_of(budget: str | float) -> float:
    """
    >>> seconds_of("1h30m"), seconds_of("45"), seconds_of(2.5e3)
    (5400.0, 45.0, 2500.0)
    """
    found = _read(budget)
    if found is None or not LEAST <= found < inf:
        advice = "give seconds, or such as 90s, 5m or 1h30m"
        raise InputError(f"The budget is a length of time of at least {LEAST:g} seconds, not {budget!r}: {advice}.")
    return found


def _read(budget: object) -> float | None:
    if isinstance(budget, bool):
        return None
    if isinstance(budget, int | float):
        return float(budget)
    text = str(budget).strip().lower()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    if not re.fullmatch(r"(\d+(\.\d+)?[hms]\s*)+", text):
        return None
    return sum(float(number) * UNITS[unit] for number, _, unit in re.findall(r"(\d+(\.\d+)?)([hms])", text))
