"""Commands in the documentation print what is written below them."""

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest

from kernelgap.cli.app import run_app

DOCS = Path(__file__).parents[1] / "docs"
LONG = ("kernelgap run", "kernelgap audit", "kernelgap status")  # minutes, or of a run; tested elsewhere
BLOCK = re.compile(r"^```\n(\$ kernelgap .*?)^```$", re.M | re.S)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a page, each with what is written below it."""
    typed = [part for block in BLOCK.findall(text) for part in re.split(r"^\$ ", block, flags=re.M) if part]
    return [(command, printed) for command, _, printed in (part.partition("\n") for part in typed)]


SHOWN = [
    pytest.param(command, printed, id=f"{path.stem}: {command}")
    for path in sorted(DOCS.rglob("*.md"))
    for command, printed in commands(path.read_text())
    if not command.startswith(LONG)
]


@pytest.mark.parametrize(("command", "printed"), SHOWN)
def test_a_command_prints_what_is_written(command, printed, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    monkeypatch.setenv("COLUMNS", "200")
    assert run_app() == 0
    out = capsys.readouterr().out
    assert doctest.OutputChecker().check_output(printed, out, FLAGS), out


def test_commands_are_found():
    assert len(SHOWN) >= 3
    page = "```\n$ kernelgap list\nfirst\nsecond\n$ kernelgap status\n```\n\n```\nno command\n```\n"
    assert commands(page) == [("kernelgap list", "first\nsecond\n"), ("kernelgap status", "")]
    assert not doctest.OutputChecker().check_output("a ... c\n", "a b d\n", FLAGS)
