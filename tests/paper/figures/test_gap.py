"""What a run says of its gap, and the certificate of its own network."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from safetensors.numpy import load, save

from kernelgap import certificates, problems
from kernelgap.certificates.gap import share_reached
from kernelgap.cli.show.figure import show_figure
from kernelgap.curves import predict
from kernelgap.curves.needed_samples import in_words, name_of, sentence_of_needs
from kernelgap.errors import InputError
from kernelgap.paper import figures as experiments
from kernelgap.paper.figures import summarise
from kernelgap.paper.figures.gap import best_network, best_over_seeds, candidates_of, gap_of_run, needs_of_run
from kernelgap.paper.figures.result import conclude_figure
from kernelgap.reports.figure.page import write_figure_page
from kernelgap.runs import TrialStore, plan_chunks, run_chunk
from support import tiny
from support.figure_runs import Invented

INF = float("inf")


def of_seeds(*errors, **changes):
    run = Invented()
    for seed, error in enumerate(errors):
        run.sgd(error, error, seed=seed, **changes).sgd(error + 1, error, seed=seed, rate=0.2, **changes)
        run.ridge(1.0, 1.1, seed=seed)
    return run


def test_the_gap_is_stated_from_the_mean_over_seeds(tmp_path):
    table = of_seeds(0.001, 0.05, 0.03).write(tmp_path).table
    gap = gap_of_run(table)
    assert gap.errors == (0.001, 0.05, 0.03)
    told = summarise(table).set_index("method")["mean"]["3resnet(all)"]
    assert gap.error == pytest.approx(0.027) == pytest.approx(told)
    assert "0.027 on average over 3 seeds (0.001 to 0.05)" in gap.sentence
    assert gap.candidates == gap.bound.candidates == 2  # rates
    assert gap.bound.share == share_reached(3, 2)


def test_the_needs_of_kernels_are_stored_with_the_gap_and_shown(tmp_path, capsys):
    """As predicted, never below the floor; a run that was stored without them is read and shown without them."""
    run = of_seeds(0.01, 0.05, 0.03).write(tmp_path)
    gap = gap_of_run(run.table)
    needs = needs_of_run(run.table, gap)
    assert needs
    for each in needs:
        own = predict(problems.get(run.table.problem.iloc[0]), each.kernel, 1, "best").samples_for(gap.error)
        assert each.samples == own
        assert each.samples is None or each.samples >= each.floor == gap.needed
    text = sentence_of_needs(needs, gap.method, gap.samples)
    assert all(f" {name_of(each.kernel)} {each.number}" in text for each in needs)
    assert f"fewer than {in_words(gap.needed)}." in text
    with TrialStore.reading(tmp_path) as store:
        assert conclude_figure(store)["gap"]["needs_sentence"] == text
    record = gap.as_record()
    for concluded, shown in (({**record, "needs_sentence": text}, True), (record, False)):
        stored = replace(run, gap=concluded, concluded=True)
        show_figure(stored)
        assert (text in capsys.readouterr().out.replace("\n", " ")) is shown
        page = write_figure_page(stored).read_text()
        assert ("would need" in page) is shown


def test_kernels_are_named_without_arguments_unless_they_are_several():
    assert name_of("gaussian(bandwidth=61.9)") == "gaussian"
    assert name_of("ck2") == "ck2"
    both = "ck3(bias=True) + 0.1 * laplace(bandwidth=5.0)"
    assert name_of(both) == both


def test_no_needs_no_sentence():
    assert sentence_of_needs([], "3resnet", 500) == ""


def test_one_setting_is_judged_with_all_seeds(tmp_path):
    """The best rate of each seed would reach 0.01 on average, and no single rate does."""
    run = Invented()
    for seed in (0, 1):
        run.sgd(0.01, 0.01, seed=seed, rate=0.1 * (seed + 1)).sgd(0.3, 0.3, seed=seed, rate=0.2 - 0.1 * seed)
    assert best_over_seeds(run.write(tmp_path).table).rate.nunique() == 1
    assert gap_of_run(run.write(tmp_path / "again").table).error == pytest.approx(0.155)


def test_the_search_is_no_part_of_the_gap(tmp_path):
    table = of_seeds(0.05, 0.03).sgd(1e-6, 1e-6, seed=100).write(tmp_path).table
    staged = table.assign(stage=["search" if seed == 100 else "judged" for seed in table.seed])
    assert gap_of_run(staged).errors == (0.05, 0.03)
    assert best_network(staged).test_error == 0.03
    assert best_network(table).test_error == 1e-6
    assert gap_of_run(staged[staged.stage == "search"]) is None


def test_one_lucky_seed_is_no_gap(tmp_path):
    assert gap_of_run(of_seeds(0.001, 0.5, 0.3).write(tmp_path).table) is None  # the threshold is 0.18


def test_a_seed_that_diverged_counts(tmp_path):
    assert gap_of_run(of_seeds(0.001, 0.002, INF).write(tmp_path).table) is None


def test_the_network_is_picked_by_its_mean_and_only_where_every_seed_is_there(tmp_path):
    run = of_seeds(0.01, 0.1).sgd(0.04, 0.04, width=8, seed=0).sgd(0.05, 0.05, width=8, seed=1)
    run.sgd(0.0001, 0.0001, width=16, seed=0)
    table = run.write(tmp_path).table
    assert best_over_seeds(table).width.tolist() == [8, 8]
    assert best_network(table).width == 16


def test_a_problem_without_a_bound_has_no_gap(tmp_path):
    table = of_seeds(0.001).write(tmp_path).table
    assert gap_of_run(table) is not None
    own = table.assign(problem="concept1(d=6, k=2, alpha=0.3)", test_error=1e-9)
    assert gap_of_run(own) is None


def test_one_seed_says_so(tmp_path):
    assert "(one start)" in gap_of_run(of_seeds(0.01).write(tmp_path).table).sentence


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A tiny run, with nothing but its networks and one kernel."""
    folder = tmp_path_factory.mktemp("run")
    with TrialStore.open(folder) as store:
        for chunk in plan_chunks(tiny.tiny.trials("quick", 0)):
            if chunk.trials[0].kind == "sgd" or chunk.trials[0].kernel == "ck2":
                store.save(chunk, run_chunk(chunk))
    return folder


def risk_of(weights, problem):
    X = np.array(list(product([-1.0, 1.0], repeat=6))) / np.sqrt(6)  # eq. 7.1 has points of length 1
    out1 = np.maximum(X @ weights["W"].T + weights["b1"], 0) @ weights["A"].T
    out = out1 + np.maximum(out1 @ weights["V"].T + weights["b2"], 0) @ weights["A"].T
    most = problem.alpha + problem.beta  # certified outputs are clipped
    return np.mean(np.sum((np.clip(out, -most, most) - problem.target(X)) ** 2, axis=1))


def test_a_certificate_holds_the_very_networks_of_the_run(finished, tmp_path):
    with TrialStore.reading(finished) as store:
        picks = best_over_seeds(store.table().query("method == '3resnet(all)'"))
        weights = [load(store.weights(trial)) for trial in picks.trial]
    claim = experiments.certify_run(finished, tmp_path / "cert.zip", method="3resnet(all)")
    problem = problems.get(picks.problem.iloc[0])
    risks = [risk_of(each, problem) for each in weights]
    assert [float(risk) for risk in claim.risks] == pytest.approx(risks, rel=1e-3)  # rounded to a fixed-point grid
    assert [each.seed for each in claim.networks] == picks.seed.tolist()
    assert claim.network.training["candidates"] == candidates_of(staged_table_of(finished))
    assert certificates.verify(tmp_path / "cert.zip").holds
    assert [path.name for path in tmp_path.iterdir()] == ["cert.zip"]


def staged_table_of(folder):
    with TrialStore.reading(folder) as store:
        return store.table()


def test_networks_whose_weights_were_not_kept_are_trained_again(finished, tmp_path):
    with TrialStore.open(tmp_path) as store, TrialStore.reading(finished) as old:
        old._connection.backup(store._connection)
        with store._connection:
            store._connection.execute("DELETE FROM weights")
    claim = experiments.certify_run(finished, tmp_path / "kept.zip", method="3resnet(all)")
    heard = []
    again = experiments.certify_run(
        tmp_path, tmp_path / "again.zip", method="3resnet(all)", on_progress=lambda *progress: heard.append(progress)
    )
    assert "again, whose weights were not kept" in heard[0][1]
    # float32 training for a few epochs, with other members beside it: relative errors of some 1e-5
    assert [float(risk) for risk in again.risks] == pytest.approx([float(risk) for risk in claim.risks], rel=1e-3)


def test_a_run_without_networks_is_not_certified(tmp_path):
    Invented().ridge(1.0, 1.1).store(tmp_path)
    with pytest.raises(InputError, match="no such network that was trained to its end"):
        experiments.certify_run(tmp_path, tmp_path / "cert.zip")


@pytest.mark.parametrize(
    ("file", "words"),
    [(b"nonsense", "are damaged"), (save({"W": np.zeros((3, 2), dtype=np.float32)}), "are not its network's")],
)
def test_damaged_weights_are_not_certified(finished, tmp_path, file, words):
    with TrialStore.open(tmp_path) as store, TrialStore.reading(finished) as old:
        old._connection.backup(store._connection)
        with store._connection:
            store._connection.execute("UPDATE weights SET file = ?", (file,))
    with pytest.raises(InputError, match=words):
        experiments.certify_run(tmp_path, tmp_path / "cert.zip")


def test_a_run_in_which_all_diverged_is_not_certified(tmp_path):
    Invented().sgd(INF, INF).ridge(1.0, 1.1).store(tmp_path)
    with pytest.raises(InputError, match="no such network that was trained to its end"):
        experiments.certify_run(tmp_path, tmp_path / "cert.zip")
