"""What a run is made of: pieces of work that a worker does and the coordinator stores."""

from collections.abc import Callable
from typing import Any, Protocol


class Work(Protocol):
    """A piece of work, such as a chunk of trials. What comes of it depends on it alone, and so does its identity.

    One that takes much memory says how many bytes as ``memory``; local workers then do not begin it beside others that
    leave too little.
    """

    @property
    def id(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def cost(self) -> float:
        """For the order of work and progress, in any unit that all pieces of a run share."""


def memory_of(work: Work) -> int:
    """The bytes that a piece says it takes, or 0."""
    return int(getattr(work, "memory", 0))


class WorkResult(Protocol):
    """What came of it."""

    @property
    def seconds(self) -> float: ...


# (work, on_progress) -> result. On progress takes the share that is done; the function can be imported by workers.
WorkFunction = Callable[[Any, Callable[[float], None]], Any]
