"""Audit a table, and leave everything about it in its folder."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Unpack

import pandas as pd

from kernelgap import console
from kernelgap.audit.options import Options
from kernelgap.audit.result import Audit
from kernelgap.audit.run import run_audit
from kernelgap.reports.audit.command import keep_asked
from kernelgap.reports.audit.page import write_audit_page
from kernelgap.reports.common.environment import keep_environment

ASKED = ("task", "rows", "delimiter", "header")


def audit(
    source: str | Path | pd.DataFrame,
    target: str | Sequence[str] = (),
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> Audit:
    """``run_audit``, and then the page and the tables in the folder: what ``kernelgap.audit(...)`` does."""
    leave_out, keep = options.get("leave_out", ()), options.get("keep", ())
    options["leave_out"] = [leave_out] if isinstance(leave_out, str) else list(leave_out)
    options["keep"] = [keep] if isinstance(keep, str) else list(keep)
    began = options.setdefault("began", time.monotonic())
    assert began is not None
    with nullcontext() if options.get("on_progress") is None else console.silence():
        found = run_audit(source, target, out, **options)
        keep_environment(found.folder)
        columns = {"leave_out": options["leave_out"], "keep": options["keep"]}
        keep_asked(found.folder, {**columns, **{name: options.get(name) for name in ASKED}})
        write_audit_page(found, until=began + found.budget)
    return found
