"""What a run is made of: pieces of work that a worker does and the coordinator stores."""

from collections.abc import Callable
from typing import Any, Protocol


class Work(Protocol):
    """A piece of work, such as a chunk of trials. What comes of it depends on it alone, and so does its identity."""

    @property
    def id(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def cost(self) -> float:
        """For the order of work and progress, in any unit that all pieces of a run share."""


class Done(Protocol):
    """What came of it."""

    @property
    def seconds(self) -> float: ...


Do = Callable[[Any, Callable[[float], None]], Any]  # (work, tell the share that is done) -> what came of it; importable
