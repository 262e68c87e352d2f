"""The page, the sentence and the JSON of runs on images with invented tables: nothing is trained."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from scipy.stats import t as student

from kernelgap.errors import InputError
from kernelgap.images.experiment import ImageRun
from kernelgap.images.experiment.comparison import Interval95, ahead_from, difference
from kernelgap.images.experiment.record import images_record, sentence_of, summary_rows
from kernelgap.images.experiment.scales import cost_of, pace_of, talk_costs
from kernelgap.networks.convolutional import conv_resnet, image_resnet
from kernelgap.reports.images.charts import accuracy_chart, accuracy_rows, all_learning_charts, learning_rows
from kernelgap.reports.images.page import write_images_page
from kernelgap.reports.images.text import describe_method, describe_setting, edge_of, method_looks
from kernelgap.runs.store import Failure

pytestmark = pytest.mark.usefixtures("no_bundle")

NETWORK, GATED, KERNEL = "conv-resnet-8", "conv-resnet-8-gated", "gaussian"
FAMILY = {
    NETWORK: "network",
    GATED: "gated network",
    f"{NETWORK}(NTK)": "network's kernel",
    f"{NETWORK}(last)": "network's kernel",
}


def trial(method, samples, accuracy, *, seed=0, tested=10_000, status="done", **more):
    """A row of a run's table; networks were shown 40 times their images."""
    right = round(accuracy * tested)
    interval = binomtest(right, tested).proportion_ci(method="wilson")
    family = FAMILY.get(method, "kernel")
    trained = "network" in family and not method.endswith("(last)")
    ridge = {"kernel": "gaussian(bandwidth=5.123456789)", "inputs": "unit", "ridge": 0.0123, "edge": None}
    epochs = [1.0, 5.0, 10.0]
    curves = {"epoch": epochs, "loss": [1.0, 0.5, 0.25], "accuracy test": [accuracy / 2, accuracy - 0.1, accuracy]}
    return {
        "trial": f"{method} {samples} {seed}",
        "method": method,
        "family": family,
        "samples": samples,
        "seed": seed,
        "accuracy": right / tested,
        "low": interval.low,
        "high": interval.high,
        "seconds": 100.0,
        "tested": tested,
        "status": status,
        "setting": {"steps": 1250, "weights": 77_000} if trained else ridge,
        "multiplications": 2e11,
        "shown": 40 * samples if trained else None,
        "epochs": 10 if trained else None,
        "curves": curves if trained else {},
        **more,
    }


def invented(rows, folder, *, planned=(), failures=(), classes=("0", "1")):
    planned = {row["trial"]: row["trial"] for row in rows} | {name: name for name in planned}
    about = {
        "title": "Accuracy on images",
        "set": "digits",
        "shape": [28, 28, 1],
        "classes": list(classes),
        "train": 60_000,
        "test": 10_000,
        "planned": planned,
        "network": {"depth": 8, "width": 64},
    }
    table = pd.DataFrame(rows)
    times = table[["seconds"]].assign(finished=pd.Timestamp("2030-01-01"))
    common = {"folder": folder, "name": "images", "scale": "quick", "seed": 0, "failures": tuple(failures)}
    return ImageRun(**common, times=times, table=table, about=about, digest="ab" * 32)


def over_sizes(method, accuracies, sizes=(300, 1000, 3000, 10_000), **more):
    return [trial(method, n, a, **more) for n, a in zip(sizes, accuracies, strict=False)]


def usual(folder, **more):
    """Kernels ahead at first, the network in the end; 8 methods."""
    rows = [
        *over_sizes(NETWORK, (0.74, 0.821, 0.87, 0.91)),
        *over_sizes(GATED, (0.735, 0.81, 0.858, 0.895)),
        *over_sizes(f"{NETWORK}(NTK)", (0.70, 0.77, 0.81, 0.83)),
        *over_sizes(f"{NETWORK}(last)", (0.66, 0.70, 0.72, 0.73)),
        *over_sizes(KERNEL, (0.76, 0.822, 0.855, 0.881)),
        *over_sizes("laplace", (0.758, 0.824, 0.853, 0.876)),
        *over_sizes("cntk", (0.77, 0.83), tested=1000),
        trial("cntk with pooling, 7 x 7", 300, 0.72, tested=1000),
    ]
    return invented(rows, folder, **more)


def test_the_network_is_ahead_from_some_number_of_images_on(tmp_path):
    told = sentence_of(usual(tmp_path))
    assert told == (
        "With 10,000 training images of digits, conv-resnet-8 gets 91.0% (90.4% to 91.5%), its twin with frozen gates "
        "89.5% (88.9% to 90.1%), 1.5 points less (0.7 to 2.3), and the best kernel, gaussian, 88.1% (87.5% to 88.7%) "
        "of the test images right (95% intervals). The network is ahead of every kernel from 3,000 images on."
    )


def test_a_kernel_is_ahead(tmp_path):
    rows = [*over_sizes(NETWORK, (0.7, 0.8)), *over_sizes(GATED, (0.7, 0.803)), *over_sizes(KERNEL, (0.75, 0.85))]
    told = sentence_of(invented(rows, tmp_path))
    assert "The best kernel is ahead of the network, by 5.0 points (3.9 to 6.1)." in told
    assert "its twin with frozen gates 80.3% (79.5% to 81.1%), 0.3 points apart, which may be chance, and" in told
    assert "0.5 points may be chance." in sentence_of(
        invented([trial(NETWORK, 300, 0.80), trial(KERNEL, 300, 0.795)], tmp_path)
    )


def test_a_lead_that_is_lost_again_does_not_count(tmp_path):
    rows = [*over_sizes(NETWORK, (0.8, 0.8, 0.9)), *over_sizes(KERNEL, (0.7, 0.8, 0.8))]
    run = invented(rows, tmp_path)
    assert ahead_from(run.comparisons) == 3000
    assert "The network is ahead of every kernel with 3,000 images, and with fewer not clearly." in sentence_of(run)
    rows = [*over_sizes(NETWORK, (0.8, 0.83)), *over_sizes(KERNEL, (0.7, 0.8)), trial("cntk", 1000, 0.799, tested=100)]
    run = invented(rows, tmp_path)
    assert ahead_from(run.comparisons) is None  # clear over the best kernel, not over the other
    assert "ahead of the best kernel" in sentence_of(run)
    rows = [*over_sizes(NETWORK, (0.8, 0.9)), *over_sizes(KERNEL, (0.7, 0.8))]
    assert "ahead of every kernel at each of 2 numbers of images." in sentence_of(invented(rows, tmp_path))


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ((KERNEL,), ["the best kernel, gaussian, gets 80.0%", "No ordinary network is finished.", "No network with"]),
        (
            (NETWORK,),
            ["conv-resnet-8 gets 80.0%", "No kernel is finished.", "No network with frozen gates is finished."],
        ),
        ((GATED, KERNEL), ["conv-resnet-8-gated gets 80.0% (79.2% to 80.8%), and the best kernel, gaussian, 80.0%"]),
        ((NETWORK, f"{NETWORK}(last)"), ["the best kernel, conv-resnet-8(last), 80.0%"]),
    ],
)
def test_a_side_that_is_not_there(tmp_path, no_pictures, methods, said):
    run = invented([trial(m, 300, 0.8) for m in methods], tmp_path, planned=("conv-resnet-8, 1,000 images",))
    told = sentence_of(run)
    for words in said:
        assert words in told
    assert f"1 of {len(methods) + 1} parts of the run are not finished." in told
    if methods == (KERNEL,):  # without learning curves
        assert "conv-resnet-8, 1,000 images" in write_images_page(run).read_text()


def test_networks_alone_have_more_images_than_kernels(tmp_path):
    """The network's own last layer is not the best kernel where no other was tried."""
    sizes = (1000, 5000, 50_000)
    rows = [
        *over_sizes(NETWORK, (0.6, 0.7, 0.85), sizes),
        *over_sizes(GATED, (0.58, 0.68, 0.83), sizes),
        *over_sizes(f"{NETWORK}(last)", (0.3, 0.4, 0.45), sizes),
        *over_sizes(KERNEL, (0.4, 0.5), sizes),
    ]
    told = sentence_of(invented(rows, tmp_path))
    assert told.startswith("With 5,000 training images")
    assert "With 50,000 images, which not all have, it is conv-resnet-8 85.0% (84.3% to 85.7%) and conv" in told


def test_a_training_that_diverged(tmp_path, no_pictures):
    rows = [trial(NETWORK, 300, 0.0, status="diverged", setting={}, curves={"epoch": [1.0], "loss": []})]
    run = invented([*rows, trial(GATED, 300, 0.7), trial(KERNEL, 300, 0.8)], tmp_path)
    assert "conv-resnet-8 diverged." in sentence_of(run)
    assert summary_rows(run)[1][0] == [NETWORK, "diverged"]
    assert NETWORK not in set(accuracy_rows(run).method)
    text = write_images_page(run).read_text()
    assert "conv-resnet-8, 300 images: 1 of 1" in text
    alone = invented(rows, tmp_path)
    assert "conv-resnet-8 diverged." in sentence_of(alone)
    assert write_images_page(alone).exists()
    json.dumps(images_record(alone), allow_nan=False)


def test_several_seeds(tmp_path):
    found = [trial(NETWORK, 300, a, seed=s) for s, a in enumerate((0.80, 0.82, 0.84))]
    run = invented([*found, trial(NETWORK, 300, 0.0, seed=3, status="diverged"), trial(KERNEL, 300, 0.7)], tmp_path)
    point = run.points[0]
    assert (point.seeds, point.diverged) == (4, 1)
    assert point.accuracy.value == pytest.approx(0.82)
    of_seeds = student.interval(0.95, 2, 0.82, np.std([0.80, 0.82, 0.84], ddof=1) / math.sqrt(3))
    wilson = binomtest(8200, 10_000).proportion_ci(method="wilson")
    expected = 0.82 - math.hypot(0.82 - of_seeds[0], 0.82 - wilson.low)
    assert point.accuracy.low == pytest.approx(expected, abs=1e-4)
    assert point.accuracy.low < of_seeds[0] < of_seeds[1] < point.accuracy.high
    assert "of digits, on average over 3 seeds, conv-resnet-8 gets 82.0%" in sentence_of(run)


def test_the_interval_of_a_difference_covers_the_truth():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        spans = []
        for p in (0.9, 0.8):
            right = int(rng.binomial(500, p))
            interval = binomtest(right, 500).proportion_ci(method="wilson")
            spans.append(Interval95(right / 500, interval.low, interval.high))
        less = difference(*spans)
        covered += less.low <= 0.1 <= less.high
    assert 0.92 <= covered / 300 <= 0.98


def test_the_page_has_the_numbers(tmp_path):
    whole = usual(tmp_path, failures=[Failure("x", "ntk, 300 images", 2, "MemoryError: <i>too large</i>")])
    run = replace(whole, table=whole.table[whole.table.samples.isin([300, 10_000])])
    text = write_images_page(run).read_text()
    for words in (
        sentence_of(run),
        "91.0 \u00b1 0.6",
        "+1.5 (+0.7 to +2.3)",
        "gaussian(bandwidth=5.123), images of length 1, ridge 0.0123",
        "400,000",  # images shown
        "94.55",
        "kernelgap run images --scale quick --data FILE",
        "cntk and cntk with pooling, 7 x 7 were tested on 1,000 test images",
        "MemoryError: &lt;i&gt;too large&lt;/i&gt;",
    ):
        assert words in text
    assert str(tmp_path) not in text
    names = {p.name for p in (tmp_path / "charts").iterdir()}
    assert names == {f"{name}.{kind}" for name in ("accuracy", "learning") for kind in ("svg", "png", "pdf")}
    for path in re.findall(r'href="([^":]+)" download', text):
        assert (tmp_path / path).exists()
    assert len(pd.read_csv(tmp_path / "trials.csv")) == len(run.table)
    assert json.loads((tmp_path / "summary.json").read_text())["sentence"] == sentence_of(run)


def test_nothing_of_a_set_is_markup(tmp_path, no_pictures):
    rows = [trial(NETWORK, 300, 0.8), trial(KERNEL, 300, 0.7)]
    run = invented(rows, tmp_path, classes=("<b>", "</script><script>alert(1)</script>"))
    run = replace(run, about={**run.about, "set": "<u>set</u>"})
    text = write_images_page(run).read_text()
    assert "<b>, " not in text
    assert "<u>" not in text
    assert "alert(1)</script>" not in text
    assert "&lt;b&gt;" in text


def test_json_has_numbers_or_null(tmp_path):
    run = usual(tmp_path)
    run.table.loc[0, "seconds"] = math.nan
    record = images_record(run)
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["rows"][0]["seconds"] is None
    assert record["rows"][0]["flops"] == 4e11
    assert record["headline"]["network"]["method"] == NETWORK
    assert record["headline"]["network_less_gated"]["value"] == pytest.approx(0.015)
    assert record["ahead_from"] == 3000


def test_the_terminals_table(tmp_path):
    columns, rows = summary_rows(usual(tmp_path))
    assert columns[1:] == ["300", "1,000", "3,000", "10,000"]
    assert rows[0] == [NETWORK, "74.0 \u00b1 0.9", "82.1 \u00b1 0.8", "87.0 \u00b1 0.7", "91.0 \u00b1 0.6"]
    assert rows[-1][2:] == ["\u2013"] * 3


def test_costs():
    net = image_resnet(conv_resnet(32, image=(32, 32, 3)))
    gated = image_resnet(conv_resnet(32, image=(32, 32, 3), gated=True))
    shown = 200 * (50_000 // 128) * 128
    talk = talk_costs(pace=1e9)
    once = net.multiplications(10, 512)
    assert talk["ordinary"].flops == pytest.approx(2 * once * (3 * shown + 10_000))
    twice = gated.multiplications(10, 512)
    assert talk["with frozen gates"].flops == pytest.approx(2 * twice * (2.5 * shown + 10_000))
    assert talk["ordinary"].gpu_seconds == pytest.approx(talk["ordinary"].flops / 1e13)
    assert talk["ordinary"].core_seconds == pytest.approx(talk["ordinary"].flops / 2e9)
    assert cost_of(5e12).core_seconds is None


def test_the_pace_is_that_of_trainings(tmp_path):
    rows = [trial(NETWORK, 300, 0.8, seconds=50.0), trial(KERNEL, 300, 0.8, seconds=1.0)]
    assert pace_of(invented(rows, tmp_path).points) == pytest.approx(2e11 / 50)
    assert pace_of(invented(rows[1:], tmp_path).points) is None


def test_learning_curves_are_over_images_shown(tmp_path):
    run = usual(tmp_path)
    rows = learning_rows(run)
    assert set(rows.method) == {NETWORK, GATED, f"{NETWORK}(NTK)"}
    first = rows[(rows.method == NETWORK) & (rows.samples == 300)]
    assert list(first.x) == [1200.0, 6000.0, 12_000.0]
    assert list(first.loss) == [1.0, 0.5, 0.25]
    kernels = invented([trial(KERNEL, 300, 0.8)], tmp_path)
    assert all_learning_charts(kernels) is None
    assert accuracy_chart(kernels, on_page=False) is not None


def test_every_method_has_words_and_a_look_of_its_own(tmp_path):
    points = usual(tmp_path).points
    assert all(describe_method(p.method) for p in points)
    drawn = method_looks(points)
    assert len(set(drawn.values())) == len(drawn) == 8


def test_a_ridge_at_the_edge_is_told(tmp_path, no_pictures):
    setting = {"kernel": "laplace(bandwidth=2.0)", "inputs": "scaled", "ridge": 1e-6, "edge": "smallest"}
    run = invented([trial("laplace", 300, 0.8, setting=setting)], tmp_path)
    (point,) = run.points
    assert edge_of(point) == "smallest"
    assert describe_setting(point) == "laplace(bandwidth=2.0), scaled pixels, ridge 1e-06"
    assert 'class="edge">smallest of its path' in write_images_page(run).read_text()
    inside = invented([trial("laplace", 300, 0.8)], tmp_path)
    assert 'class="edge"' not in write_images_page(inside).read_text()


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="could not be written"):
        write_images_page(usual(tmp_path / "file"))
