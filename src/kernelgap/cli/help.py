"""The help of the command line: commands under what one wants to do, each with a whole sentence."""

import re
from typing import Any

from typer.core import TyperGroup

GROUPS = ("Reproduce", "Prove", "Predict", "Decide", "Show")  # in this order; commands without a group come last
HELP = {"help_option_names": ["-h", "--help"]}


class GroupedHelp(TyperGroup):
    """Lists its commands in groups, with the first sentence of each."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in GROUPS}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                group = getattr(command, "rich_help_panel", None) or "Commands"
                groups.setdefault(group, []).append((name, first_sentence(command.help or "")))
        for group, commands in groups.items():
            if commands:
                with formatter.section(group):
                    formatter.write_dl(commands)


def first_sentence(text: str) -> str:
    """The first sentence of a text, on one line.

    >>> first_sentence("Write a run's report.html into its folder. Then stop.")
    "Write a run's report.html into its folder."
    """
    line = " ".join(text.split())
    found = re.match(r".*?[.?!](?= |$)", line)
    return found[0] if found else line
