"""kernelgap status, and what a run says of chunks that failed."""

import json
import sys
from concurrent.futures import Future

import pytest

from kernelgap.cli import main
from kernelgap.paper.figures import EXPERIMENTS
from kernelgap.runs import ChunkResult, TrialResult
from support import tiny
from support.workers import Workers


class Raising(Workers):
    """Workers that make results up, and at which chunks of one kind raise."""

    def __init__(self, raises):
        super().__init__()
        self.raises = raises

    def submit(self, chunk):
        future = Future()
        if chunk.label.startswith(self.raises):
            future.set_exception(MemoryError("too wide"))
        else:
            curves = {"epochs": [0, 8], **{name: [2.0, 1.0] for name in ("train", "validation", "test")}}
            made = [TrialResult(i, "done", 1.0, 1.0, 1.0, 0.1, None, curves) for i in chunk.trial_ids]
            future.set_result(ChunkResult.of(chunk, 0.1, made))
        return future


@pytest.fixture
def kernelgap(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(EXPERIMENTS, "tiny", tiny.tiny)

    def command(*arguments, raises="ck2"):
        monkeypatch.setattr("kernelgap.runs.runner.local_workers", lambda count, do: Raising(raises))
        monkeypatch.setattr(sys, "argv", ["kernelgap", *arguments])
        with pytest.raises(SystemExit) as exit_:
            main()
        printed = capsys.readouterr()
        return exit_.value.code, printed.out, printed.err

    return command


def test_failed_chunks_are_named_and_tried_again(kernelgap):
    code, out, err = kernelgap("run", "tiny")
    assert code == 1
    assert "3resnet(all)" in out
    last = err.strip().splitlines()[-1]
    assert last.startswith("kernelgap: 1 chunk failed and is missing above, first 'ck2 seed 0': MemoryError: too wide.")
    assert "The same command tries again" in last

    code, out, err = kernelgap("status", "runs/tiny-quick")
    assert (code, err) == (0, "")
    first, second, third, *more = out.splitlines()
    assert first == "tiny (quick, seed 0): not running: give the same 'kernelgap run' command to go on"
    assert second.startswith("9 of 10 chunks done, 0 running, 1 failed, 0 left: ")
    assert third.endswith("since it was last started")
    assert more == ["  failed   ck2 seed 0: MemoryError: too wide"]

    code, out, _ = kernelgap("status", "runs/tiny-quick", "--json", "--follow")
    record = json.loads(out)
    assert out.count("\n") == 1
    counts = {name: record[name] for name in ("chunks", "done", "running", "failed", "left", "held", "remaining")}
    expected = {"chunks": 10, "done": 9, "running": 0, "failed": 1, "left": 0, "held": False, "remaining": None}
    assert counts == expected
    assert record["failures"][0]["attempts"] == 1

    code, out, err = kernelgap("run", "tiny", raises="nothing")
    assert (code, "failed and" in err) == (0, False)
    code, out, _ = kernelgap("status", "runs/tiny-quick")
    assert (code, out.splitlines()[0]) == (0, "tiny (quick, seed 0): finished")
    assert "10 of 10 chunks done, 0 running, 0 failed, 0 left: 100%" in out


def test_status_of_nothing(kernelgap):
    code, out, err = kernelgap("status", "nowhere")
    assert (code, out) == (2, "")
    assert err == "kernelgap: There is no run in 'nowhere': give the folder that 'kernelgap run' wrote to.\n"
