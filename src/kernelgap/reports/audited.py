"""Audit a table, and leave everything about it in its folder."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import pandas as pd

from kernelgap import console
from kernelgap.audit.conduct import run_audit
from kernelgap.audit.result import Audit
from kernelgap.reports.audit_command import keep_asked
from kernelgap.reports.audit_page import write_audit_page
from kernelgap.reports.environment import keep_environment


def audit(
    source: str | Path | pd.DataFrame,
    target: str | Sequence[str] = (),
    out: str | Path | None = None,
    *,
    task: str | None = None,
    leave_out: Sequence[str] = (),
    budget: str | float = "5m",
    rows: int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    workers: int | None = None,
    seed: int = 0,
    on_progress: Callable[[float, str], None] | None = None,
) -> Audit:
    """``run_audit``, and then the page and the tables in the folder: what ``kernelgap.audit(...)`` does."""
    left_out = [leave_out] if isinstance(leave_out, str) else list(leave_out)
    asked = {"task": task, "leave_out": left_out, "rows": rows, "delimiter": delimiter, "header": header}
    with nullcontext() if on_progress is None else console.silence():
        found = run_audit(
            source,
            target,
            out,
            task=task,
            leave_out=left_out,
            budget=budget,
            rows=rows,
            delimiter=delimiter,
            header=header,
            workers=workers,
            seed=seed,
            on_progress=on_progress,
        )
        keep_environment(found.folder)
        keep_asked(found.folder, asked)
        write_audit_page(found)
    return found
