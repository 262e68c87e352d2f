"""The experiment on images, with a tiny set: every kind of trial, the run, its interruption, and what is refused."""

import json
import sys
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

import kernelgap as kg
from kernelgap.cli import main
from kernelgap.errors import InputError
from kernelgap.images.data import ImageData, Images, write_npz
from kernelgap.images.experiment import comparison, estimated, read_images_run, result, scales
from kernelgap.images.experiment.learners import ImageChunk, pixels, read_set, work
from kernelgap.images.experiment.result import ImageStore, conclude_images
from kernelgap.images.experiment.scales import NOMINAL, SCALES, ImageScale, SetSize
from kernelgap.images.experiment.trials import ImageOutcome, KernelTrial, TrainingTrial, read_image_trial
from kernelgap.images.training import ImageSchedule
from kernelgap.runs.start import run as execute

TINY = ImageScale(
    expected_time="seconds",
    set="tiny",
    sizes=(20, 40),
    depth=8,
    width=8,
    stride=2,
    shown=(40, 80),
    tangent=(40, 0),
    for_kernels=(40,),
    for_cntk=(20,),
    for_pooled_cntk=(20,),
    layers=2,
    schedule=ImageSchedule(batch=10, crop=1),
)


def made(n, seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    images = rng.integers(0, 150, (n, 8, 8, 1))
    images[labels == 0, :4] += 30  # so that none gets all of them right
    images[labels == 1, 4:] += 30
    return Images.of(images.astype(np.uint8), labels, ("upper", "lower"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("set") / "tiny.npz"
    write_npz(ImageData(made(60, 0), made(50, 1)), path)
    return path


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(scales.SCALES, "tiny", TINY)


def trials(data):
    found, digest = read_set(data)
    return TINY.trials(SetSize.of(found), digest, 0)


def test_plan(data):
    found = trials(data)
    assert len(found) == 2 + 2 + 1 + 2 + 3 + 1 + 1
    assert len({trial.id for trial in found}) == len(found)
    assert all(read_image_trial(trial.model_dump_json()) == trial for trial in found)
    fewer = TINY.trials(SetSize((8, 8, 1), 2, 30, 50))
    assert {trial.samples for trial in fewer} == {20}
    small = TINY.trials(SetSize((5, 6, 3), 2, 60, 50))  # too small to be shrunk
    assert small[-1].kernels == ("cntk(image=(5, 6, 3), depth=2, pooling=True)",)
    assert small[-1].shrink == 1
    with pytest.raises(InputError, match="20 or more"):
        TINY.trials(SetSize((8, 8, 1), 2, 10, 50))


def test_every_scale_can_be_planned_and_says_its_time():
    for name, scale in SCALES.items():
        found = scale.trials(NOMINAL[scale.set])
        assert all(trial.multiplications > 0 for trial in found)
        assert estimated(name) > 0
    assert estimated("quick") < estimated("long") < estimated("paper")


def test_the_cost_of_gates_is_asked_at_three_widths_with_three_seeds():
    for width in (64, 128, 256):
        found = SCALES[f"gates-{width}"].trials(NOMINAL["cifar10"], seed=5)
        trained = [t for t in found if isinstance(t, TrainingTrial)]
        assert {(t.network, t.seed) for t in trained} == {
            (name, seed) for name in ("conv-resnet-8", "conv-resnet-8-gated") for seed in (5, 6, 7)
        }
        assert {(t.width, t.samples, t.schedule.epochs, t.mode) for t in trained} == {(width, 5000, 60, "all")}
        assert not any(isinstance(t, KernelTrial) for t in found)
    assert estimated("gates-64") < estimated("gates-128") < estimated("gates-256") < estimated("paper")


def invent(data, folder):
    """A run of networks alone, over three seeds, with outcomes that nothing was trained for."""
    alone = replace(
        TINY, sizes=(20,), shown=(40,), tangent=(0,), for_kernels=(), for_cntk=(), for_pooled_cntk=(), seeds=3
    )
    rights = iter(range(30, 60))
    with ImageStore.open(folder) as ledger:
        ledger.describe({"experiment": "images"})
        ledger.note({"set": "made up", "shape": [8, 8, 1], "classes": ["a", "b"], "train": 40, "test": 50})
        for trial in alone.trials(SetSize.of(read_set(data).data)):
            ledger.save(ImageChunk(trial, data, folder), ImageOutcome(1.0, next(rights), 50))


def test_a_run_of_networks_alone_is_read_and_shown(data, tmp_path):
    invent(data, tmp_path)
    run = read_images_run(tmp_path)
    assert {(p.method, p.seeds) for p in run.points if p.family != "network's kernel"} == {
        ("conv-resnet-8", 3),
        ("conv-resnet-8-gated", 3),
    }
    assert "on average over 3 seeds, conv-resnet-8 gets" in run.sentence
    assert "its twin with" in run.sentence
    json.dumps(run.as_record(), allow_nan=False)


def concluded(folder, change=lambda conclusion: None):
    with ImageStore.open(folder) as store:
        conclusion = conclude_images(store)
        change(conclusion)
        store.conclude(conclusion)
    return conclusion


def test_a_conclusion_is_stored_and_read(data, tmp_path, monkeypatch):
    """Without one, as in runs of earlier versions, the same is computed; with one, nothing is."""
    invent(data, tmp_path)
    before = read_images_run(tmp_path)
    assert before.conclusion is None
    expected = (before.points, before.comparisons, before.as_record())
    stored = concluded(tmp_path)
    for name in ("_over_seeds", "leaders_of"):
        monkeypatch.setattr(comparison, name, None)
    monkeypatch.setattr(result, "_intervals", None)
    after = read_images_run(tmp_path)
    pd.testing.assert_frame_equal(after.table, before.table)
    assert (after.points, after.comparisons, after.as_record()) == expected
    assert set(stored["intervals"]) == set(after.table.trial)
    row, n = after.table.iloc[0], 50
    low, high = stored["intervals"][row.trial]
    for end in (low, high):  # Wilson's ends solve (p - end)^2 = z^2 end (1 - end) / n
        assert (row.accuracy - end) ** 2 == pytest.approx(NormalDist().inv_cdf(0.975) ** 2 * end * (1 - end) / n)
    assert low < row.accuracy < high


def test_a_conclusion_is_that_of_the_stored_trials_alone(data, tmp_path):
    invent(data, tmp_path)
    concluded(tmp_path, lambda c: c["accuracies"].pop("conv-resnet-8"))
    with pytest.raises(InputError, match="its conclusion is wrong: it is about other trials"):
        read_images_run(tmp_path)
    concluded(tmp_path, lambda c: c["leaders"][0].update(gated="another"))
    with pytest.raises(InputError, match="its conclusion is wrong: it is about other trials"):
        read_images_run(tmp_path)
    concluded(tmp_path, lambda c: c["accuracies"]["conv-resnet-8"][20].update(low=0.99))
    with pytest.raises(InputError, match="its conclusion is wrong: an interval is none"):
        read_images_run(tmp_path)
    with ImageStore.open(tmp_path) as store:
        store.conclude({"intervals": {}})
    with pytest.raises(InputError, match="its conclusion is wrong"):
        read_images_run(tmp_path)
    concluded(tmp_path)
    assert read_images_run(tmp_path).conclusion is not None


def done(wanted, data, folder):
    return [(trial, work(ImageChunk(trial, data, folder), lambda share: None)) for trial in wanted]


def test_the_gated_network_and_kernels(data, tmp_path):
    """Of each kind of trial one; the other networks are among the slow checks."""
    wanted = [t for t in trials(data) if t.method in ("conv-resnet-8-gated", "conv-resnet-8(last)", "ntk", "cntk")]
    for trial, outcome in done([t for t in wanted if t.samples == 20 or t.method == "ntk"], data, tmp_path):
        assert (outcome.status, outcome.tested) == ("done", 50)
        assert ImageOutcome.from_json(outcome.as_json()) == outcome
        assert outcome.right > (33 if trial.method == "ntk" else 0)


@pytest.fixture(scope="module")
def outcomes(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return done(trials(data), data, folder), folder


@pytest.mark.slow
def test_every_kind_of_trial(outcomes):
    found, folder = outcomes
    for _, outcome in found:
        assert outcome.status == "done"
        assert outcome.tested == 50
        assert ImageOutcome.from_json(outcome.as_json()) == outcome
    by = {(trial.method, trial.samples): outcome for trial, outcome in found}
    assert by["gaussian", 40].right > 33
    assert by["ntk", 40].right > 33
    assert by["conv-resnet-8", 40].curves["epoch"][-1] == 2
    assert by["conv-resnet-8(last)", 20].setting["features"] == 8
    assert {"conv-resnet-8-gated", "conv-resnet-8(NTK)", "cntk", "cntk with pooling, 2 x 2"} <= {m for m, _ in by}
    assert len(list((folder / "checkpoints").iterdir())) == 5
    assert len(list((folder / "grams").iterdir())) == 2


def test_a_kernel_against_scikit_learn(data, tmp_path):
    found = read_set(data).data
    train, test = found.train.subset(40, seed=0), found.test.subset(50, seed=0)
    trial = next(t for t in trials(data) if isinstance(t, KernelTrial) and t.method == "gaussian")
    chosen = trial.model_copy(update={"kernels": ("gaussian(factor=0.5)",), "inputs": ("unit",)})
    outcome = work(ImageChunk(chosen, data, tmp_path), lambda share: None)
    X, Z = (i.images.reshape(len(i), -1).astype(float) for i in (train, test))
    X, Z = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (X, Z))
    assert np.allclose(pixels(train, test, "unit"), Z)
    bandwidth = float(outcome.setting["kernel"].partition("bandwidth=")[2].rstrip(")"))
    distances = [np.linalg.norm(a - b) for i, a in enumerate(X) for b in X[:i]]
    assert bandwidth == pytest.approx(0.5 * np.median(distances), rel=1e-4)  # a median over float32 distances
    gamma = 1 / (2 * bandwidth**2)
    Y = np.eye(2)[train.labels] - 0.5
    ridge = KernelRidge(alpha=outcome.setting["ridge"], kernel="precomputed").fit(rbf_kernel(X, gamma=gamma), Y)
    right = np.argmax(ridge.predict(rbf_kernel(Z, X, gamma=gamma)), axis=1) == test.labels
    assert outcome.right == right.sum()


@pytest.mark.parametrize("method", ["gaussian", "laplace", "ntk", "cntk"])
def test_conjugate_gradients_classify_as_the_direct_solver(method, data, tmp_path, monkeypatch):
    """On 40 images, of which the ridge is chosen on all: the same ridges are tried, from where float32 serves."""
    trial = next(t for t in trials(data) if isinstance(t, KernelTrial) and t.method == method)
    shares = []
    monkeypatch.setattr("kernelgap.images.experiment.trials.DIRECT", 10)
    assert trial.iterative
    iterative = work(ImageChunk(trial, data, tmp_path / "iterative"), shares.append)
    assert all(a <= b + 1e-12 for a, b in pairwise(shares))
    assert iterative.setting["residual"] <= 1e-4
    assert iterative.setting["ridge chosen on"] == trial.samples
    found = read_set(data).data
    train, test = found.train.subset(trial.samples, seed=0), found.test.subset(trial.test, seed=0)
    inputs = iterative.setting["inputs"]
    kernel = kg.kernels.get(iterative.setting["kernel"])
    X, Z = (pixels(train, images, inputs, trial.shrink) for images in (train, test))
    K = kernel(X)
    Y = np.eye(2)[train.labels] - 0.5
    outputs = kernel(Z, X) @ np.linalg.solve(
        K + iterative.setting["ridge"] * np.mean(np.diagonal(K)) * np.eye(len(K)), Y
    )
    clear = np.abs(outputs[:, 1] - outputs[:, 0]) > 1e-3
    right = (np.argmax(outputs, axis=1) == test.labels).sum()
    assert abs(iterative.right - right) <= np.sum(~clear)


def test_a_ridge_of_some_images_serves_all(data, tmp_path, monkeypatch):
    trial = next(t for t in trials(data) if isinstance(t, KernelTrial) and t.method == "gaussian")
    monkeypatch.setattr("kernelgap.images.experiment.trials.DIRECT", 10)
    monkeypatch.setattr("kernelgap.images.experiment.regression.CHOSEN_ON", 20)
    outcome = work(ImageChunk(trial, data, tmp_path), lambda share: None)
    assert outcome.setting["ridge chosen on"] == 20
    assert outcome.right > 30


def test_memory_is_planned(data, tmp_path, monkeypatch):
    """All of Fashion-MNIST takes less than 12 GiB, and a machine with less says so before anything is computed."""
    largest = max((t for t in SCALES["kernels"].trials(NOMINAL["fashion-mnist"])), key=lambda t: t.memory)
    assert largest.samples == 60_000
    assert largest.iterative
    assert 7.2e9 < largest.memory < 12 * 2**30
    trial = next(t for t in trials(data) if isinstance(t, KernelTrial))
    monkeypatch.setattr("kernelgap.machine.available_memory", lambda: 10**4)
    with pytest.raises(InputError, match=r"on 40 images needs .* are free\. Take fewer images, or fewer workers"):
        work(ImageChunk(trial, data, tmp_path), lambda share: None)


def test_shrunk_images_are_means(data):
    train = read_set(data).data.train
    scaled = train.scaled(train.scaling())
    found = pixels(train, train, "scaled", 4).reshape(len(train), 2, 2)
    assert found[3, 1, 0] == pytest.approx(float(np.mean(scaled[3, 4:8, 0:4])), abs=1e-6)


@pytest.mark.slow
def test_a_run_goes_on_and_ends_as_another(data, tmp_path, monkeypatch, outcomes, capsys):
    """Interrupted after its first trials; then the whole command, its table, its page and its JSON."""
    few = replace(TINY, sizes=(20,), shown=(40,), tangent=(0,), for_kernels=(40,), for_pooled_cntk=())
    monkeypatch.setitem(SCALES, "tiny", few)
    expected = {trial.id: outcome.right for trial, outcome in outcomes[0]}

    def interrupt(progress):
        if progress.chunks_done >= 2:
            raise KeyboardInterrupt

    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        execute("images", "tiny", folder, data=data, workers=1, on_progress=interrupt)
    kept = read_images_run(folder)
    assert len(kept.table) + len(kept.unfinished) == 7
    assert kept.unfinished
    command(monkeypatch, "run", "images", "--scale", "tiny", "--data", data, "--out", folder, "--workers", 1)
    told = capsys.readouterr()
    assert "conv-resnet-8-gated" in told.out
    assert "on this machine when it is idle" in told.err
    run = kg.run("images", "tiny", folder, data=data, on_progress=lambda p: None)  # nothing is left to do
    assert len(run.table) == 7
    assert kept.conclusion is None
    assert run.conclusion is not None
    for row in run.table.itertuples():
        assert round(row.accuracy * row.tested) == expected[row.trial]
        assert row.low <= row.accuracy <= row.high
    assert run.about["set"] == "tiny"
    command(monkeypatch, "report", folder, "--json")
    record = json.loads(capsys.readouterr().out)
    assert "conv-resnet-8" in record["sentence"]
    assert (folder / "report.html").stat().st_size > 10_000


def test_from_the_command_line(data, tmp_path, monkeypatch, capsys):
    few = replace(TINY, sizes=(20,), shown=(20,), tangent=(0,), for_kernels=(20,), for_cntk=(), for_pooled_cntk=())
    kernels_only = [t for t in few.trials(SetSize.of(read_set(data).data)) if isinstance(t, KernelTrial)]
    assert len(kernels_only) == 3
    digest = read_set(data).digest
    monkeypatch.setitem(SCALES, "tiny", few)
    monkeypatch.setattr(
        ImageScale, "trials", lambda *_: [t.model_copy(update={"images": digest}) for t in kernels_only]
    )
    command(monkeypatch, "run", "images", "--scale", "tiny", "--data", data, "--out", tmp_path / "k", "--workers", 1)
    told = capsys.readouterr()
    assert "laplace" in told.out
    assert "on this machine when it is idle" in told.err
    command(monkeypatch, "report", tmp_path / "k", "--json")
    assert json.loads(capsys.readouterr().out)["sentence"]


def command(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["kernelgap", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        sys.exit(main())
    assert not ended.value.code


def test_refused(data, tmp_path, tiny, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"fetch_images\.py fashion-mnist"):
        execute("images", "quick", tmp_path / "c")
    with pytest.raises(InputError, match="no images at"):
        execute("images", "tiny", tmp_path / "c", data=tmp_path / "none.npz")
    with pytest.raises(InputError, match="Unknown scale of images 'huge'"):
        execute("images", "huge", data=data)
    with pytest.raises(InputError, match="'fig2a' takes no data"):
        kg.run("fig2a", data=data)
    with pytest.raises(InputError, match="'fig2a' takes no flips"):
        kg.run("fig2a", flips=False)
    with ImageStore.open(tmp_path / "d") as ledger:
        ledger.describe({"experiment": "images"})
    with pytest.raises(InputError, match="Nothing is finished"):
        read_images_run(tmp_path / "d")


def test_data_that_changed_is_noticed(data, tmp_path):
    path = tmp_path / "other.npz"
    write_npz(ImageData(made(60, 0), made(50, 1)), path)
    trial = trials(path)[0]
    assert trial.id == trials(data)[0].id  # the same images at another place
    write_npz(ImageData(made(60, 2), made(50, 1)), path)
    read_set.cache_clear()  # as a new process
    with pytest.raises(InputError, match="has changed since the run began"):
        work(ImageChunk(trial, path, tmp_path), lambda share: None)


def test_a_set_without_a_test_part(tmp_path):
    images = made(60, 0)
    np.savez(tmp_path / "own.npz", X=images.images, y=images.labels)
    found = read_set(tmp_path / "own.npz").data
    assert (len(found.train), len(found.test)) == (50, 10)


def test_a_training_that_diverges(data, tmp_path):
    trial = next(t for t in trials(data) if isinstance(t, TrainingTrial) and t.mode == "ntk")
    fast = trial.model_copy(update={"schedule": trial.schedule.model_copy(update={"rate": 1e30, "epochs": 8})})
    piece = ImageChunk(fast, data, tmp_path)
    outcome = work(piece, lambda share: None)
    assert outcome.status == "diverged"
    with ImageStore.open(tmp_path / "run") as ledger:
        ledger.describe({"experiment": "images"})
        ledger.note({"set": "made up", "shape": [8, 8, 1], "classes": ["a", "b"], "train": 40, "test": 20})
        ledger.save(piece, outcome)
    table = read_images_run(tmp_path / "run").table
    assert table.accuracy.isna().all()


def test_cost_of_training():
    """Three products of the size of the output's for each image shown: forward, to the inputs, to the weights."""
    quick = SCALES["quick"].trials(NOMINAL["fashion-mnist"])
    plain = next(
        t for t in quick if isinstance(t, TrainingTrial) and t.method == "conv-resnet-8" and t.samples == 10_000
    )
    assert plain.shown == 28 * 312 * 32
    assert plain.multiplications == pytest.approx(3 * plain.each * plain.shown, rel=0.05)
