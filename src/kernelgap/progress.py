"""Progress of a long computation: a function that the caller passes. What is computed draws nothing itself."""

from collections.abc import Callable

Progress = Callable[[float, str], None]  # share done, what is being done


def silent(share: float, activity: str) -> None:
    """Show nothing."""


def part(on_progress: Progress, first: float, last: float) -> Progress:
    """Progress within a part of the work: 0 is ``first`` of the whole, 1 is ``last``."""
    return lambda share, activity: on_progress(first + (last - first) * share, activity)
