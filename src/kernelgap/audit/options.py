"""What an audit may be told beside its source, target and folder, for whoever passes it on."""

from collections.abc import Callable, Sequence
from typing import TypedDict


class Options(TypedDict, total=False):
    """The keywords of ``run_audit``, which says what they mean and what holds if they are not given."""

    task: str | None
    leave_out: Sequence[str]
    keep: Sequence[str]
    budget: str | float
    rows: int | None
    delimiter: str | None
    header: bool | None
    workers: int | None
    seed: int
    on_progress: Callable[[float, str], None] | None
    began: float | None
