"""What a person reads first: the help, in groups, and what the Tab key offers."""

import os
import re
import subprocess
import sys

import pytest

from kernelgap.cli import completion, main
from kernelgap.cli.help import GROUPS


@pytest.fixture
def shown(monkeypatch, capsys):
    """What a command prints on standard output."""

    def output(*arguments):
        monkeypatch.setattr(sys, "argv", ["kernelgap", *arguments])
        with pytest.raises(SystemExit) as exit_:
            main()
        assert exit_.value.code == 0
        return capsys.readouterr().out

    return output


def listed(text):
    """The commands of each group, with their sentences."""
    groups, current = {}, {}
    for line in text.splitlines():
        if found := re.fullmatch(r"(\w+):", line):
            current = groups.setdefault(found[1], {})
        elif found := re.fullmatch(r"  ([a-z][a-z-]+) +(\S.*)", line):
            name = found[1]
            current[name] = found[2]
        elif current and re.match(r"   +\S", line):
            current[name] += " " + line.strip()
    return {group: commands for group, commands in groups.items() if group not in ("Usage", "Options")}


def test_commands_are_in_groups_with_whole_sentences(shown):
    text = shown("--help")
    groups = listed(text)
    assert tuple(groups) == GROUPS
    assert set(groups["Reproduce"]) == {"run", "claims", "status"}
    assert set(groups["Prove"]) == {"certify", "verify"}
    assert set(groups["Predict"]) == {"curve"}
    assert set(groups["Decide"]) == {"audit", "compare", "predict"}
    assert {"list", "report"} <= set(groups["Show"])
    for commands in (*groups.values(), *listed(shown("certify", "-h")).values()):
        for sentence in commands.values():
            assert re.fullmatch(r"[A-Z].*\.", sentence), sentence
            assert "..." not in sentence
    assert shown("-h") == text
    assert "certify run [OPTIONS]" in shown("certify", "run", "-h")


@pytest.mark.parametrize(
    ("what", "incomplete", "offered"),
    [
        ("experiments", "fig3", ["fig3a", "fig3b"]),
        ("experiments", "im", ["images"]),
        ("kernels", "ntk", ["ntk", "ntk2", "ntk3", "ntk3res"]),
        ("problems", "sec", ["sec8"]),
        ("claims", "thm2.k", ["thm2.kernels"]),
        ("claims", "nothing", []),
    ],
)
def test_names_that_begin_so_are_offered(what, incomplete, offered):
    assert getattr(completion, what)(incomplete) == offered


def test_the_tab_key_completes():
    """As bash asks for it."""
    environment = {"_KERNELGAP_COMPLETE": "complete_bash", "COMP_WORDS": "kernelgap curve ck", "COMP_CWORD": "2"}
    command = "import sys; sys.argv = ['kernelgap']; from kernelgap.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", command], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.stdout.split() == ["ck", "ck2", "ck3", "ck3res"], done.stderr
