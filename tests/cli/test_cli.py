"""The command as a user types it: exit codes, what goes to which stream, interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kernelgap.cli import main
from kernelgap.paper.figures import EXPERIMENTS
from support import tiny

TINY = Path(__file__).parents[1] / "support" / "tiny.py"


def kernelgap(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, str(TINY), *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=600
    )


def started(*arguments, cwd):
    """The command in a process group of its own, as a shell would start it."""
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_run_prints_a_table_and_a_sentence(tmp_path):
    done = kernelgap("run", "tiny", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "picked on validation" in done.stdout
    assert "3resnet(all)" in done.stdout
    assert "the threshold 0.18" in done.stdout
    assert "of 10 chunks" in done.stderr  # lines are ten seconds apart
    assert {"run.sqlite", "trials.csv", "summary.json"} <= {p.name for p in (tmp_path / "runs/tiny-quick").iterdir()}

    (tmp_path / "runs/tiny-quick").rename(tmp_path / "runs/:smile:[b]")  # nothing in a name is interpreted
    as_json = kernelgap("run", "tiny", "--json", "--workers", 1, "--out", "runs/:smile:[b]", cwd=tmp_path)
    record = json.loads(as_json.stdout)
    assert as_json.stdout.count("\n") == 1
    assert record["folder"] == "runs/:smile:[b]"
    assert record["threshold"] == pytest.approx(0.18)
    assert {r["method"] for r in record["rows"]} == {
        "3resnet(all)",
        "2layer(hidden)",
        "3resnet(last)",
        "2layer(NTK)",
        "ck2",
        "gaussian",
    }

    other = kernelgap("run", "tiny", "--seed", 1, "--out", "runs/:smile:[b]", cwd=tmp_path)
    assert other.returncode == 2
    assert "holds another run" in other.stderr


def test_list_names_everything():
    listed = kernelgap("list")
    assert listed.returncode == 0
    for name in ("fig2a", "fig4b", "slides_b", "sec8", "slides", "hard(", "3resnet-full", "ntk3res("):
        assert name in listed.stdout
    assert "Times are estimates" in listed.stdout
    assert set(json.loads(kernelgap("list", "--json").stdout)) == {"experiments", "problems", "networks", "kernels"}


@pytest.mark.parametrize(
    ("module", "heavy"), [("kernelgap.cli.app", "jax pandas scipy sklearn"), ("kernelgap.runs", "pandas sklearn")]
)
def test_nothing_heavy_is_imported_before_it_is_needed(module, heavy):
    code = f"import sys, {module}; print(*sorted(set(sys.argv[1:]) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code, *heavy.split()], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_as_a_module():
    done = subprocess.run([sys.executable, "-m", "kernelgap", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (0, "kernelgap")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "fig2c"], "Did you mean 'fig2"),
        (["run", "tiny", "--scale", "quik"], "Did you mean 'quick'"),
        (["run", "tiny", "--workers", "0"], "at least 1 worker"),
        (["run", "tiny", "--workers", "100000000"], "100,000,000 workers are too many for"),
        (["run", "tiny", "--workers", "two"], "'--workers'"),
        (
            ["run", "tiny", "--workers", "2", "--cluster", "tcp://127.0.0.1:9"],
            "either a number of workers or a cluster",
        ),
        (["status", "nowhere"], "There is no run in 'nowhere'"),
        (["run", "tiny", "--seed", "-1"], "seed = -1"),
        (["run", "tiny", "--seed", "99999999999999999999"], "seed = 99999999999999999999"),
        (["run", "tiny", "--out", "/dev/null/x"], "cannot be written"),
        (["run"], "Missing argument"),
        (["runn", "tiny"], "runn"),
        (["run", "tiny", "--speed", "3"], "--speed"),
    ],
)
def test_mistakes_exit_with_2_and_a_sentence(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(EXPERIMENTS, "tiny", tiny.tiny)
    monkeypatch.setattr(sys, "argv", ["kernelgap", *arguments])
    with pytest.raises(SystemExit) as exit_:
        main()
    printed = capsys.readouterr()
    assert exit_.value.code == 2
    assert words in printed.err
    assert printed.out == ""


def test_a_mistake_in_a_process_of_its_own(tmp_path):
    done = kernelgap("run", "tinny", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "kernelgap: Unknown experiment 'tinny'. Did you mean 'tiny'? Known: fig1, fig2a, fig2b,"
    )
    assert done.stderr.endswith("slides_a, slides_b, tiny.\n")


# The command, which says on standard output when Python has reached its first import within main().
ANNOUNCED = """
import sys
class Announce:
    def find_spec(self, name, path=None, target=None):
        if name == "kernelgap.cli.app":
            print("begun", flush=True)
sys.meta_path.insert(0, Announce())
sys.argv = ["kernelgap", "run", "fig2a"]
from kernelgap.cli import main
main()
"""


@pytest.mark.parametrize(
    "after", [0.0, 0.5, 2.0, *(pytest.param(after, marks=pytest.mark.slow) for after in (0.2, 1.0, 4.0))]
)
def test_an_early_interruption(tmp_path, after):
    process = started("-c", ANNOUNCED, cwd=tmp_path)
    assert process.stdout.readline() == "begun\n"
    time.sleep(after)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 130, stderr
    assert "kernelgap: interrupted" in stderr
    assert "Traceback" not in stderr
    assert _all_gone(process.pid, within=60)


def test_terminating_the_coordinator_ends_its_workers(tmp_path):
    process = started(TINY, "run", "long", "--workers", "1", "--out", "out", cwd=tmp_path)
    _wait_for(tmp_path / "out" / "run.sqlite")
    time.sleep(4)
    process.terminate()
    process.communicate(timeout=300)
    assert process.returncode == 130
    assert _all_gone(process.pid, within=60)


def test_an_interrupted_run_says_what_was_kept(tmp_path):
    process = started(TINY, "run", "long", "--workers", "1", "--out", "out", cwd=tmp_path)
    _wait_for(tmp_path / "out" / "run.sqlite")
    time.sleep(4)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does: the workers get it too
    stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 130, stderr
    assert "of 8 chunks were finished and are kept" in stderr
    assert "Traceback" not in stderr
    assert stdout == ""
    assert _all_gone(process.pid, within=60)


def _wait_for(path):
    deadline = time.monotonic() + 300
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.1)


def _all_gone(group, within):
    """Whether every process of the group has ended."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.2)
    return False
