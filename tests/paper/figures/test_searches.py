"""Searches within an experiment: what is trained when, the same after an interruption, and what the table says."""

import dataclasses
import math
import statistics
from itertools import product

import pytest
from pydantic import ValidationError

import kernelgap as kg
from kernelgap.errors import InputError
from kernelgap.paper.figures import Experiment, Grid, KernelLines, Scale, Search, read_experiment
from kernelgap.paper.figures.kind import plan_figure
from kernelgap.paper.figures.registry import EXPERIMENTS
from kernelgap.paper.figures.searches import FIRST_SEED, width_searches
from kernelgap.runs import Chunk, TrialStore, make_trial, run_chunk, run_chunks
from kernelgap.training import Schedule
from kernelgap.training.search import Space, advance, at, place_of

SPACE = Space(rates=(0.01, 0.1), decays=(1e-3,), seeds=2, least=(1e-3, 1e-4), most=(1.0, 1e-2))
SEARCH = Search("3resnet", "all", (5, 8), SPACE, also=(12,))


def experiment(*grids, seeds=3):
    scale = Scale(
        grids or (SEARCH, KernelLines(("ck2",), (0.01, 1.0))),
        seeds,
        "seconds",
        Schedule(epochs=10, batch=10),
        validation_samples=40,
        test_samples=50,
    )
    return Experiment("searched", "title", "tests", "hard(d=6, k=2, alpha=0.3)", 20, {"quick": scale})


@pytest.fixture
def searched(monkeypatch):
    made = experiment()
    monkeypatch.setitem(EXPERIMENTS, "searched", made)
    return made


def walk(chain, error):
    """All chunks that a chain asks for, in order, with errors made up."""
    errors, asked = {}, []
    while True:
        fresh = [chunk for chunk in chain.next(errors) if chunk.id not in {known.id for known in asked}]
        if not fresh:
            return asked, errors
        asked += fresh
        errors |= {trial.id: error(trial) for chunk in fresh for trial in chunk.trials}


def bowl(trial):
    return math.log(trial.rate / 0.05) ** 2 + math.log(trial.decay / 2e-3) ** 2 + 0.1


def test_widths_are_searched_one_after_another_and_judged_on_other_seeds():
    [chain] = width_searches(experiment(), experiment().scale("quick"), seed=0)
    asked, errors = walk(chain, bowl)
    widths = [chunk.trials[0].width for chunk in asked if chunk.trials[0].seed >= FIRST_SEED]
    assert widths == sorted(widths)
    assert set(widths) == {5, 8}
    judged = [chunk for chunk in asked if chunk.trials[0].seed < FIRST_SEED]
    assert sorted((c.trials[0].width, c.trials[0].seed) for c in judged) == [
        (w, s) for w in (5, 8, 12) for s in (0, 1, 2)
    ]
    assert {(t.rate, t.decay) for c in judged for t in c.trials} == {(0.05, 2e-3)}
    assert [state.best for _, state in chain.states(errors)] == [(0.05, 2e-3)] * 2
    assert all(chunk.keep_weights == (chunk.trials[0].seed < FIRST_SEED) for chunk in asked)


def test_whoever_asks_in_the_middle_of_a_step_is_asked_for_the_same():
    [chain] = width_searches(experiment(), experiment().scale("quick"), seed=0)
    first = list(chain.next({}))
    some = {first[0].trials[0].id: 0.5}
    assert [chunk.id for chunk in chain.next(some)] == [chunk.id for chunk in first]
    [again] = width_searches(experiment(), experiment().scale("quick"), seed=0)
    asked, errors = walk(chain, bowl)
    assert {c.id for c in again.next(errors)} <= {c.id for c in asked}  # resumed with all that is stored


def test_a_scale_may_have_a_first_seed_of_its_own(monkeypatch, tmp_path):
    made = experiment()
    scale = dataclasses.replace(made.scale("quick"), first_seed=700)
    monkeypatch.setitem(EXPERIMENTS, "searched", dataclasses.replace(made, scales={"quick": scale}))
    run = kg.run("searched", out=tmp_path, seed=2, page=False, workers=1)
    assert (run.seed, run.seeds) == (2, [702, 703, 704])
    assert run.search_seeds == [702 + FIRST_SEED, 703 + FIRST_SEED]
    for found in EXPERIMENTS.values():  # grids that were placed by hand are judged on seeds that nobody saw before
        if "quick" in found.scales and found.name != "searched":
            assert {trial.seed for trial in found.trials("quick", 0)} == {5000, 5001, 5002}


def test_judged_seeds_do_not_reach_those_of_the_search():
    assert experiment(SEARCH, seeds=FIRST_SEED).scale("quick").seeds == FIRST_SEED
    with pytest.raises(ValidationError, match="1,000 seeds at most, not 1,001"):
        experiment(SEARCH, seeds=FIRST_SEED + 1)
    assert experiment(KernelLines(("ck2",), (0.01,)), seeds=FIRST_SEED + 1).scale("quick").seeds == FIRST_SEED + 1


def test_where_all_diverges_nothing_is_judged():
    [chain] = width_searches(experiment(), experiment().scale("quick"), seed=0)
    asked, _ = walk(chain, lambda trial: math.inf)
    assert asked
    assert all(chunk.trials[0].seed >= FIRST_SEED for chunk in asked)


def test_costly_trainings_are_chunks_of_their_own():
    wide = Search("3resnet", "all", (20_000,), SPACE)
    longer = Scale((wide,), 3, schedule=Schedule(epochs=100_000, batch=10))
    [chain] = width_searches(experiment(wide), longer, seed=0)
    assert [len(chunk.trials) for chunk in chain.next({})] == [1, 1]


def test_a_run_interrupted_within_a_search_ends_as_an_uninterrupted_one(searched, tmp_path):
    whole = kg.run("searched", out=tmp_path / "whole", page=False, workers=2)
    plan = plan_figure("searched", "quick", 0, tmp_path / "parts")

    class Enough(KeyboardInterrupt):
        pass

    for stop in (1, 4, 9):

        def interrupt(progress, stop=stop):
            if progress.chunks_done >= stop:
                raise Enough

        with pytest.raises(KeyboardInterrupt):
            kg.run("searched", out=plan.folder, page=False, workers=1, on_progress=interrupt)
    parts = kg.run("searched", out=plan.folder, page=False, workers=2)
    assert parts.table.drop(columns="curves").equals(whole.table.drop(columns="curves"))
    assert set(whole.table.stage) == {"search", "judged"}
    assert (whole.table.seed >= FIRST_SEED).equals(whole.table.stage == "search")
    with TrialStore.open(plan.folder) as store:
        more = lambda: plan.more(store)  # noqa: E731
        assert run_chunks(plan.chunks, store, more=more) == []
        noted = store.about()
    with TrialStore.open(tmp_path / "whole") as store:
        assert store.about() == noted  # the steps of the search that were over when the run went on, too
    status = kg.runs.read_status(plan.folder)
    assert (status.done, status.failures) == (status.chunks, ())


def test_another_search_does_not_go_on_in_the_same_folder(searched, tmp_path, monkeypatch):
    kg.run("searched", out=tmp_path, page=False)
    other = Search("3resnet", "all", (5, 8), SPACE.model_copy(update={"seeds": 3}), also=(12,))
    monkeypatch.setitem(EXPERIMENTS, "searched", experiment(other, KernelLines(("ck2",), (0.01, 1.0))))
    with pytest.raises(InputError, match="with another grid"):
        kg.run("searched", out=tmp_path, page=False)


FILE = """
problem: hard(d=6, k=2, alpha=0.3)
samples: 100
scales:
  quick:
    grids:
      - {network: 3resnet, mode: all, widths: [5, 8], %s}
"""


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("also: [5], search: {rates: [0.1], decays: [0.001]}", "The width 5 is searched, and listed under 'also'"),
        ("search: {rates: [], decays: [0.001]}", "rates"),
        ("search: {rates: [0.11], decays: [0.001]}", "cannot try the rate 0.11: the nearest that it knows is 0.1"),
        ("search: {rates: [0.1], decays: [0.001], seeds: 0}", "seeds"),
        ("search: {rates: [0.1]}", "decays"),
        ("search: 3", "search"),
    ],
)
def test_a_search_in_a_file_that_makes_no_sense_is_refused_with_a_sentence(keys, message, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(FILE % keys)
    with pytest.raises(InputError, match=message):
        read_experiment(path)


def test_a_search_in_a_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(FILE % "also: [12], search: {rates: [0.01, 0.1], decays: [0.001], seeds: 2}")
    [grid] = read_experiment(path).scale("quick").grids
    assert isinstance(grid, Search)
    assert (grid.search.rates, grid.also) == ((0.01, 0.1), (12,))


@pytest.mark.slow
def test_on_figure_2s_grid_giving_settings_up_changes_nothing(tmp_path):
    """All settings between the ends of the hand-made grid, with every seed, beside a search that gives some up."""
    fig2a = EXPERIMENTS["fig2a"]
    scale = fig2a.scale("quick")
    (hand_made,) = (g for g in scale.grids if isinstance(g, Grid) and g.network == "3resnet" and 50 in g.widths)
    ends = [(min(values), max(values)) for values in (hand_made.rates, hand_made.decays)]
    axes = [[at(place) for place in range(place_of(low), place_of(high) + 1)] for low, high in ends]
    full = {setting: [] for setting in product(*axes)}
    for seed in range(FIRST_SEED, FIRST_SEED + 3):
        common = fig2a.common(scale, fig2a.problem, seed)
        what = {"network": "3resnet", "mode": "all", "width": 50, "schedule": scale.schedule, **common}
        trials = tuple(make_trial(rate=rate, decay=decay, **what) for rate, decay in full)
        chunk = Chunk(trials, keep_weights=False)
        with TrialStore.open(tmp_path / str(seed)) as store:
            store.save(chunk, run_chunk(chunk))
            errors = store.validation_errors()
        for setting, trial in zip(full, trials, strict=True):
            full[setting].append(errors[trial.id])
    means = {setting: statistics.fmean(errors) for setting, errors in full.items()}
    space = Space(rates=axes[0], decays=axes[1], least=(ends[0][0], ends[1][0]), most=(ends[0][1], ends[1][1]))
    known = {}
    while (state := advance(space, known)).next_settings:
        for setting in state.next_settings:
            known.setdefault(setting, []).append(full[setting][state.seed_index])
    assert state.best == min(means, key=lambda setting: means[setting])
    assert sum(map(len, known.values())) < sum(map(len, full.values()))
