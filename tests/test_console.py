"""What is said about progress, and when."""

import itertools

from kernelgap import console


def test_progress_waits_a_moment_and_says_each_word_once(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    with console.progress("work") as show:
        show(0.1, "first")
        now[0] = 3.0
        for _ in range(2):
            show(0.5, "second")
    assert capsys.readouterr().err == "work: 50%, 3 s, second\n"


def test_at_most_a_line_every_ten_seconds(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    for start in (0, 60):  # a run shows its progress in several parts
        with console.progress("many") as show:
            for second in range(start, start + 60):
                now[0] = float(second)
                show(second / 120, f"chunk {second}")
    lines = capsys.readouterr().err.splitlines()
    shown = [int(line.rsplit(" ", 1)[1]) for line in lines]
    assert 10 <= len(shown) <= 12
    assert all(later - earlier >= 10 for earlier, later in itertools.pairwise(shown))


def test_progress_within_progress_is_silent(capsys, monkeypatch):
    monkeypatch.setattr(console, "PATIENCE", -1.0)
    with console.progress("outer") as outer:
        with console.progress("inner") as inner:
            inner(0.5, "unheard")
        outer(1.0, "heard")
    with console.progress("next") as show:
        show(1.0, "heard too")
    assert capsys.readouterr().err == "outer: 100%, 0 s, heard\nnext: 100%, 0 s, heard too\n"


def test_a_cell_is_one_line_that_commands_no_terminal(capsys):
    console.table(["a\x1b[2J"], [["first\nsecond \x9b\ud800"]], title="t\re")
    assert [line.rstrip() for line in capsys.readouterr().out.split("\n")] == [
        "t e",
        "a\\x1b[2J",
        "first second \\x9b\\ud800",
        "",
    ]
