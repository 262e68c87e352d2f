"""Generated command lines and experiment files: each ends with one sentence and exit code 2, and soon."""

import json
import sys
import time

import pytest

from kernelgap.cli import main
from support import hostile_arguments as hostile

SOON = 30.0  # seconds, on a machine that has other work; each takes less than one


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Of command lines, those that did not end as they should."""
    monkeypatch.chdir(tmp_path)

    def refused(commands):
        wrong = []
        for arguments in commands:
            monkeypatch.setattr(sys, "argv", ["kernelgap", *arguments])
            began = time.monotonic()
            with pytest.raises(SystemExit) as exit_:
                main()
            seconds = time.monotonic() - began
            printed = capsys.readouterr()
            usage = printed.err.startswith("Usage: ")
            sentence = printed.err.count("\n") == 1 and len(printed.err) < 1600 and "\x1b" not in printed.err
            if exit_.value.code != 2 or printed.out or not (usage or sentence) or seconds > SOON:
                wrong.append(([text[:80] for text in arguments], exit_.value.code, seconds, printed.err[-300:]))
        return wrong

    return refused


def test_command_lines(refused):
    assert refused(hostile.COMMANDS) == []


def test_experiment_files(refused, tmp_path):
    for name, content in hostile.EXPERIMENTS.items():
        (tmp_path / name).write_bytes(content)
    assert refused(["run", name] for name in hostile.EXPERIMENTS) == []
    assert {path.name for path in tmp_path.iterdir()} == set(hostile.EXPERIMENTS)  # nothing was begun


def test_networks(refused, tmp_path):
    for i, name in enumerate(hostile.NETWORKS):
        grid = hostile.GRID.replace("3resnet", json.dumps(name))
        (tmp_path / f"{i}.yaml").write_text(hostile.WHOLE % grid)
    assert refused(["run", f"{i}.yaml"] for i in range(len(hostile.NETWORKS))) == []


def test_devices_and_pipes_are_no_experiments(refused, tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    (tmp_path / "folder.yaml").mkdir()
    assert refused(["run", f"{name}.yaml"] for name in ("pipe", "zero", "folder", "gone")) == []


def test_what_needs_more_memory_than_there_is_says_how_much(refused, tmp_path, capsys, monkeypatch):
    grid = hostile.GRID.replace("3resnet", "3layer").replace("[4]", "[1000000]")
    (tmp_path / "wide.yaml").write_text(hostile.WHOLE % grid)
    monkeypatch.setattr(sys, "argv", ["kernelgap", "run", "wide.yaml"])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 2
    assert "needs 1.1" in capsys.readouterr().err.replace("e+04", "")  # 3 x 4 bytes for 10^12 weights: 11,176 GiB
    assert not (tmp_path / "runs").exists()
