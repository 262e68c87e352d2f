"""The command that asks an audit's question again."""

import shlex

from kernelgap.audit.result import Audit
from kernelgap.reports.audit.text import source_name


def command_of(audit: Audit) -> str:
    """For a shell; the file by its name alone."""
    asked = audit.asked
    words = ["kernelgap", "audit", source_name(audit)]
    for target in audit.data.targets:
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
