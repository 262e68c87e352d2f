"""What a run refuses before it begins, and what one has that ended early."""

import pytest

import kernelgap as kg
from kernelgap.errors import InputError
from kernelgap.paper.figures import EXPERIMENTS
from kernelgap.runs import start
from support import tiny


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("audit", {}, "'audit' is started by its own command: kernelgap audit"),
        ("fig2a", {"seed": -1}, "seed = -1 is no whole number"),
        ("fig2a", {"seed": True}, "seed = True is no whole number"),
        ("fig2a", {"flips": False}, "takes no flips"),
        ("fig2", {}, "Did you mean"),
    ],
)
def test_it_is_refused_and_nothing_is_made(name, options, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=sentence):
        kg.run(name, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_ended_after_its_last_chunk_says_how_it_was_made(tmp_path, monkeypatch):
    def ended(*arguments, **options):
        done(*arguments, **options)
        raise KeyboardInterrupt

    done = start.run_chunks
    monkeypatch.setitem(EXPERIMENTS, "tiny", tiny.experiment("tiny", (4,), epochs=2))
    monkeypatch.setattr(start, "run_chunks", ended)
    with pytest.raises(KeyboardInterrupt):
        kg.run("tiny", out=tmp_path, workers=1)
    monkeypatch.setattr(start, "run_chunks", done)
    assert kg.run("tiny", out=tmp_path, workers=1).environment["kernelgap"] == kg.__version__


def test_an_experiment_runs_without_a_name_of_its_own(tmp_path):
    mine = tiny.experiment("mine", (4,), epochs=2)
    first = kg.run(mine, out=tmp_path, workers=1, page=False)
    assert (first.name, first.title) == ("mine", mine.title)
    assert len(first.table) == sum(1 for _ in mine.trials("quick", 0))
    assert "mine" not in EXPERIMENTS
    again = kg.run(mine, out=tmp_path, workers=1, page=False)  # nothing is left to do
    assert again.table.test_error.tolist() == first.table.test_error.tolist()
    with pytest.raises(InputError, match="'mine' takes no colour"):
        kg.run(mine, out=tmp_path, colour=1)
    with pytest.raises(InputError, match="is a name, a file or an Experiment, not of the type int"):
        kg.run(3)
