"""A page of the site: every command with its arguments and options, from the parser itself."""

import click
import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGE = "reference/command-line.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, PAGE, content=page()))
    return files


def page() -> str:
    """The text of the page."""
    from kernelgap.cli.app import app

    root = typer.main.get_command(app)
    parts = ["# The command line", root.help or ""]
    parts += [
        "With `--json` the standard output is one JSON object and nothing else. Progress and messages go to standard "
        "error. Exit codes: 0 done, 1 the answer is negative, 2 bad usage or input, 70 an error in kernelgap itself, "
        "130 interrupted.",
        parameters(root, click.Context(root, info_name="kernelgap")),
    ]
    for path, command in commands(root, "kernelgap"):
        context = click.Context(command, info_name=path)
        usage = " ".join([path, *command.collect_usage_pieces(context)])
        parts += [f"## {path}", paragraphs(command.help), f"```\n{usage}\n```", parameters(command, context)]
    return "\n\n".join(part for part in parts if part) + "\n"


def commands(command: click.Command, path: str) -> list[tuple[str, click.Command]]:
    """The commands below this one that do something, with what is typed to reach them."""
    below = []
    for name, each in getattr(command, "commands", {}).items():
        if each.hidden:
            continue
        whole = f"{path} {name}"
        below += commands(each, whole) if getattr(each, "commands", None) else [(whole, each)]
    return sorted(below)


def parameters(command: click.Command, context: click.Context) -> str:
    """A table of the arguments and options."""
    lines = ["| option | what it does |", "|---|---|"]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            name, text = record
            lines.append(f"| `{cell(name)}` | {cell(escaped(text))} |")
    return "\n".join(lines)


def paragraphs(text: str | None) -> str:
    return escaped((text or "").replace("\b", "").strip())


def escaped(text: str) -> str:
    """A text of which Markdown makes no tags and no links."""
    return text.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[").replace("_", "\\_")


def cell(text: str) -> str:
    """A text that does not end the cell of a table."""
    return " ".join(text.replace("|", "\\|").split())
