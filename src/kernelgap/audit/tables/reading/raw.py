"""What a file gives before it is interpreted."""

from dataclasses import dataclass, field

import pandas as pd

from kernelgap.audit.tables.notices import Notice
from kernelgap.audit.tables.table import Task


@dataclass(frozen=True)
class Raw:
    """Rows under numbered columns, as texts or in whatever types the file has, and what the file says about them."""

    rows: pd.DataFrame
    names: list[str]
    notices: list[Notice] = field(default_factory=list)
    targets: tuple[str, ...] = ()
    task: Task | None = None
    comma_first: bool = False  # whether 1,234 is rather 1.234 than 1234
