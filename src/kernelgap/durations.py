"""Lengths of time: read as people write them (90, 90s, 5m, 1h30m), and written for people."""

import re

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
LONGEST = 1e11  # seconds; more are written as this many


def parse_duration(text: object) -> float | None:
    """Seconds, or None for what is no length of time.

    >>> parse_duration("1h30m"), parse_duration("45"), parse_duration(2.5e3), parse_duration("5 minutes")
    (5400.0, 45.0, 2500.0, None)
    """
    if isinstance(text, bool):
        return None
    if isinstance(text, int | float):
        return float(text)
    text = str(text).strip().lower()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    if not re.fullmatch(r"(\d+(\.\d+)?[hms]\s*)+", text):
        return None
    return sum(float(number) * UNITS[unit] for number, _, unit in re.findall(r"(\d+(\.\d+)?)([hms])", text))


def format_duration(seconds: float) -> str:
    """A measured duration, in its two largest units.

    >>> [format_duration(seconds) for seconds in (0.123, 42.4, 300, 682, 11_100, 1e6)]
    ['0.12 s', '42 s', '5 min', '11 min 22 s', '3 h 5 min', '11 days 13 h']
    """
    seconds = min(max(0.0, seconds), LONGEST)
    whole = round(seconds)
    days = "day" if whole < 2 * 86_400 else "days"
    for size, unit, smaller, small in ((86_400, days, 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size:,} {unit}" + (f" {rest} {small}" if rest else "")
    return f"{seconds:.2g} s" if seconds < 9.95 else f"{whole} s"


def format_estimate(seconds: float) -> str:
    """A rough duration, in the unit that suits it.

    >>> [format_estimate(seconds) for seconds in (20, 70, 300, 7200, 3e8)]
    ['under a minute', '1 minute', '5 minutes', '2 hours', '10 years']
    """
    for unit, size in (("year", 365.25 * 86_400.0), ("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 0.95 * size:
            count = max(1, round(seconds / size))
            return f"{count:,} {unit}{'s' if count != 1 else ''}"
    return "under a minute"
