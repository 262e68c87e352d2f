"""Chunks: planned from descriptions alone, and run the same way twice."""

import dataclasses
import json
import random

from kernelgap.runs import plan_chunks, run_chunk
from kernelgap.runs.trials.identity import digest
from kernelgap.runs.trials.trial import read_trial
from support import tiny


def test_chunks_depend_on_descriptions_alone(chunks):
    trials = list(tiny.tiny.trials("quick", 0))
    random.Random(3).shuffle(trials)
    assert plan_chunks([*trials, trials[0]]) == chunks
    assert sum(len(c.trials) for c in chunks) == len(trials)
    for chunk in chunks:
        assert len({(t.network, t.mode, t.width, t.seed) for t in chunk.trials}) == 1
    assert [c.cost for c in chunks] == sorted((c.cost for c in chunks), reverse=True)


def test_planning_finds_the_same_identities(chunks):
    for chunk in chunks:
        for trial, identity in zip(chunk.trials, chunk.trial_ids, strict=True):
            assert identity == trial.id == digest(trial.model_dump(mode="json"))
            assert read_trial(trial.as_json) == trial
            common = trial.model_dump(mode="json", exclude=set(trial.searched))
            assert json.loads(trial.identities[1]) == common


def test_a_chunk_gives_the_same_answer_twice(chunks):
    first, second = run_chunk(chunks[-1]), run_chunk(chunks[-1])
    assert first.results == second.results
    other = dataclasses.replace(chunks[-1], trials=tuple(t.model_copy(update={"seed": 1}) for t in chunks[-1].trials))
    assert [r.test_error for r in first.results] != [r.test_error for r in run_chunk(other).results]
