"""The command that asks an audit's question again."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelgap.audit.result import Audit
from kernelgap.reports.audit.text import source_name
from kernelgap.whole_file import whole

FILE = "asked.json"
OPTIONS = ("task", "leave_out", "keep", "rows", "delimiter", "header")


def keep_asked(folder: Path, options: Mapping[str, Any]) -> None:
    """Note how the question was put, beyond what the ledger knows."""
    with whole(folder / FILE) as partial:
        partial.write_text(json.dumps({name: options.get(name) for name in OPTIONS}) + "\n", encoding="utf-8")


def command_of(audit: Audit) -> str:
    """For a shell; the file by its name alone."""
    asked = _kept(audit.folder)
    words = ["kernelgap", "audit", source_name(audit)]
    for target in audit.table.targets:
        words += ["--target", target]
    for name in ("leave_out", "keep"):
        for column in asked.get(name) or ():
            words += [f"--{name.replace('_', '-')}", str(column)]
    for name in ("task", "rows", "delimiter"):
        if asked.get(name) is not None:
            words += [f"--{name}", str(asked[name])]
    if asked.get("header") is not None:
        words.append("--header" if asked["header"] else "--no-header")
    words += ["--budget", f"{audit.plan.budget:g}s"]
    words += ["--seed", str(audit.seed)] if audit.seed else []
    return shlex.join(words)


def _kept(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
