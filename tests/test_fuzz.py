"""The fuzz sees what it is there to see: errors, hangs, memory, false answers; and the same input comes again."""

import json
import sqlite3
import sys
import time
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from fuzz import mutate, values  # noqa: E402
from fuzz.case import Case, drawn  # noqa: E402
from fuzz.command import EndedBadlyError, call  # noqa: E402
from fuzz.judged import Judged, judge  # noqa: E402
from fuzz.kills.contents import contents, differences, lasting  # noqa: E402
from fuzz.pool import Input, tried  # noqa: E402
from fuzz.summary import Summary  # noqa: E402

from kernelgap.errors import InputError  # noqa: E402


def refuse():
    raise InputError("No.")


def test_an_error_is_a_finding_and_a_refusal_is_none():
    refused, good, bad = (judge(Case("x", do)) for do in (refuse, lambda: 1, lambda: 1 / 0))
    assert (refused.refused, refused.finding) == (True, None)
    assert (good.refused, good.finding) == (False, None)
    assert bad.group.startswith("ZeroDivisionError")
    assert "1 / 0" in bad.finding


def test_an_error_within_the_package_is_named_by_its_place():
    from kernelgap.rows import check_rows

    class Hostile:
        def __array__(self, *arguments, **named):
            raise ZeroDivisionError

    assert "rows.py" in judge(Case("x", lambda: check_rows(Hostile()))).group


def test_commands_are_judged_by_how_they_end(monkeypatch):
    assert call(["certify", "any-kernel", "--n", "-1"]).code == 2
    assert json.loads(call(["certify", "any-kernel", "--n", "10", "--problem", "sec8", "--json"]).out)["n"] == 10

    def ended(code, words):
        def main():
            print(words, file=sys.stderr)
            raise SystemExit(code)

        monkeypatch.setattr("fuzz.command.main", main)
        call(["list"])

    ended(1, "no")
    for code, words, what in (
        (3, "odd", "exit 3"),
        (2, "", "without a word"),
        (1, "Traceback (most recent call last):", "traceback"),
    ):
        with pytest.raises(EndedBadlyError, match=what):
            ended(code, words)


def test_an_input_follows_from_target_seed_and_index():
    from fuzz.targets.texts import make

    def texts(seed):
        return [make(drawn("texts", seed, i), None).text for i in range(30)]

    assert texts(1) == texts(1)
    assert texts(1) != texts(2)


def test_command_lines_give_options_as_options_and_flags_without_values():
    from fuzz.targets.command_lines import COMMANDS, _told

    rng = Random(0)
    named = {parameter.name: parameter for parameter in COMMANDS["certify", "kernel"].params}
    assert {"name", "problem", "n", "seed", "rigorous"} <= set(named)
    drawn_often = {
        name: [_told(named[name], ("certify", "kernel"), rng, 0.0, None) for _ in range(30)] for name in named
    }
    assert all(told[0] == "--n" for told in drawn_often["n"] if told)
    assert ["--rigorous"] in drawn_often["rigorous"]
    assert all(len(told) == 1 for told in drawn_often["name"] if told)


def test_mutations_change_something():
    rng = Random(0)
    tree = {"a": [1, {"b": 2.5}], "c": "text"}
    assert sum(mutate.json_value(tree, rng) != tree for _ in range(50)) > 40
    assert tree == {"a": [1, {"b": 2.5}], "c": "text"}
    assert sum(mutate.octets(bytes(100), rng) != bytes(100) for _ in range(50)) > 40
    assert any(isinstance(values.anything(rng), str) for _ in range(50))


def test_the_summary_groups_findings_and_says_how_to_repeat_them():
    summary = Summary()
    for i, group in enumerate(("", "ValueError a.py", "ValueError a.py")):
        summary.add(Input("texts", 7, i), Judged("input", 1.0, 1.0, group=group, finding=group or None))
    assert summary.findings == 2
    assert "python -m fuzz texts --seed 7 --index 1" in summary.text()
    assert "3 inputs, 2 findings of 1 kinds" in summary.text()


def test_a_process_that_hangs_grows_or_dies_is_ended_and_the_next_goes_on(monkeypatch, tmp_path):
    """Real processes, with a target that does what its index says."""
    monkeypatch.setattr("fuzz.pool._serve", serve)
    inputs = [Input("made up", 0, i) for i in range(5)]
    found = {g.index: j for g, j in tried(inputs, materials=tmp_path, workers=1, limit=1.0, memory=400 * 2**20)}
    assert [found[i].finding is None for i in range(5)] == [True, False, False, False, True]
    assert "no answer within" in found[1].group
    assert "GiB" in found[2].group
    assert found[3].group == "ended with exit code 9"
    assert found[1].text == "input 1"


def serve(theirs, materials, scratch):
    """As ``fuzz.pool._serve``, without kernelgap."""
    while True:
        given = theirs.recv()
        theirs.send(f"input {given.index}")
        if given.index == 1:
            while True:
                pass
        if given.index == 2:
            held = bytearray(600 * 2**20)
            held[:: 2**10] = bytes(len(held[:: 2**10]))
            time.sleep(60)
        if given.index == 3:
            sys.exit(9)
        theirs.send(Judged("good", 0.1, 0.1))


def test_a_run_that_differs_in_one_bit_is_seen(tmp_path):
    def run(name, value, seconds):
        (tmp_path / name).mkdir()
        with sqlite3.connect(tmp_path / name / "run.sqlite") as connection:
            connection.execute("CREATE TABLE results (id TEXT, error REAL, seconds REAL, content TEXT)")
            content = json.dumps({"x": 1, "seconds": seconds})
            connection.execute("INSERT INTO results VALUES ('a', ?, ?, ?)", (value, seconds, content))
        return contents(tmp_path / name)

    one, same, other = run("1", 0.1, 3.0), run("2", 0.1, 4.0), run("3", 0.1 + 2**-56, 3.0)
    assert differences(one, same) == []
    assert len(differences(one, other)) == 1
    assert lasting({"a": [{"b": 2}, {"b": 1, "seconds": 3}]}) == {"a": [{"b": 1}, {"b": 2}]}
