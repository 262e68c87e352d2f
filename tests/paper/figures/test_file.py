"""One's own experiment from a file: read, run, and every kind of mistake named where it is."""

import json
import sys
from pathlib import Path

import pytest

from kernelgap.cli import main
from kernelgap.errors import InputError
from kernelgap.paper import figures as experiments
from kernelgap.runs import plan_chunks, read_run
from kernelgap.runs.start import run as start

EXAMPLE = Path(__file__).parents[3] / "examples" / "my_experiment.yaml"

GOOD = """\
problem: hard(d=6, k=2, alpha=0.3)
samples: 20
scales:
  quick:
    schedule: {epochs: 4, batch: 10}
    validation_samples: 50
    test_samples: 50
    grids:
      - network: 3resnet
        mode: all
        widths: [4, 5]
        rates: [1e-2, 0.02]
        decays: [0, 1e-3]
      - network: 2layer
        mode: ntk
        widths: [4]
        ridges: [0.01, 1]
      - kernels: [ck2, gaussian(factor=2.0)]
        ridges: [0.01]
"""

TOML = """\
problem = "hard(d=6, k=2, alpha=0.3)"
samples = 20
[scales.quick]
schedule = {epochs = 4, batch = 10}
validation_samples = 50
test_samples = 50
[[scales.quick.grids]]
network = "3resnet"
mode = "all"
widths = [4, 5]
rates = [1e-2, 0.02]
decays = [0, 1e-3]
[[scales.quick.grids]]
network = "2layer"
mode = "ntk"
widths = [4]
ridges = [0.01, 1]
[[scales.quick.grids]]
kernels = ["ck2", "gaussian(factor=2.0)"]
ridges = [0.01]
"""


def written(folder, text, name="mine.yaml"):
    path = folder / name
    path.write_text(text)
    return str(path)


def trials(experiment):
    return {t.id for t in experiment.trials("quick", 0)}


def test_yaml_and_toml_say_the_same(tmp_path):
    from_yaml = experiments.get(written(tmp_path, GOOD))
    assert (from_yaml.name, from_yaml.x, len(trials(from_yaml))) == ("mine", "width", 8 + 2 + 2)
    assert trials(from_yaml) == trials(experiments.get(written(tmp_path, TOML, "mine.toml")))


def test_the_expected_time_has_an_older_name(tmp_path):
    for key in ("expected_time", "effort"):
        text = GOOD.replace("    schedule:", f"    {key}: seconds\n    schedule:")
        assert experiments.get(written(tmp_path, text)).scale("quick").expected_time == "seconds"


def test_the_example_is_an_experiment():
    experiment = experiments.read_experiment(EXAMPLE)
    for scale in experiment.scales:
        assert plan_chunks(experiment.trials(scale, 0))
    assert experiment.x == "beta"


def test_a_file_runs_by_its_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, f"title: My own\n{GOOD}")
    monkeypatch.setattr(sys, "argv", ["kernelgap", "run", "mine.yaml", "--workers", "1", "--json"])
    with pytest.raises(SystemExit) as exit_:
        main()
    record = json.loads(capsys.readouterr().out)
    assert (exit_.value.code, record["experiment"], record["folder"]) == (0, "mine", "runs/mine-quick")
    (tmp_path / "mine.yaml").unlink()
    run = read_run("runs/mine-quick")  # the folder knows what the file said
    assert (run.title, run.x, run.samples) == ("My own", "width", 20)


@pytest.mark.parametrize(
    "name", ["images", *(pytest.param(name, marks=pytest.mark.slow) for name in ("claims", "audit", "figure"))]
)
def test_a_file_may_have_the_name_of_a_kind(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = start(written(tmp_path, KERNEL_ALONE, f"{name}.yaml"), workers=1)
    assert (run.name, run.kind, read_run(run.folder).kind) == (name, "figure", "figure")
    assert run.report().exists()


KERNEL_ALONE = """
problem: hard(d=6, k=2, alpha=0.3)
samples: 20
scales: {quick: {validation_samples: 20, test_samples: 20, grids: [{kernels: [ck2], ridges: [0.1]}]}}
"""
GRID = "scales.quick.grids[0]"
MISTAKES = [
    ("problem: hard", "problem: hrad", "line 1: problem: Unknown problem 'hrad'. Did you mean 'hard'?"),
    ("k=2, alpha=0.3)", "k=9, alpha=0.3)", "line 1: problem: The hard instance needs 2 <= k <= d1 <= d"),
    ("problem: hard(d=6, k=2, alpha=0.3)\n", "", "'problem' is missing"),
    ("samples: 20\nscales", "sample: 20\nscales", "line 2: sample: Unknown key 'sample'. Did you mean 'samples'?"),
    (
        "samples: 20\nscales",
        "samples: many\nscales",
        "line 2: samples: 'many' is not possible: input should be a valid",
    ),
    ("samples: 20\nscales", "samples: 0\nscales", "line 2: samples: 0 is not possible: input should be greater"),
    ("samples: 20\nscales", "samples: true\nscales", "line 2: samples: 'true' is not a number"),
    ("samples: 20\nscales", "samples: 20\nsamples: 30\nscales", "line 3: 'samples' is there twice"),
    ("samples: 20\nscales", "samples: 5\nscales", "5 training samples do not fill a batch of 10"),
    ("samples: 20\nscales", "samples: 20\nx: depth\nscales", "line 3: x: 'depth' is not possible"),
    ("samples: 20\nscales", "samples: 20\nx: beta\nscales", "x is beta, so every grid of scale 'quick' needs betas"),
    ("samples: 20\nscales", "samples: 20\nname: a/b\nscales", "line 3: name: 'a/b' is not possible"),
    ("samples: 20\nscales", "samples: 20\naliases: [b]\nscales", "line 3: aliases: "),
    ("samples: 20\n", 'samples: 20\ntitle: "ti\\etle"\n', "line 3: title: 'ti\\x1btle' holds the character \\x1b"),
    ("samples: 20\n", 'samples: 20\nsource: "a\\uD800b"\n', "line 3: source: "),
    ("  quick:", '  "qu\\eick":', "holds the character \\x1b"),
    ("epochs: 4", "epochs: 0", "line 5: scales.quick.schedule.epochs: 0 is not possible"),
    ("epochs: 4", "epoch: 4", "line 5: scales.quick.schedule.epoch: Unknown key 'epoch'. Did you mean 'epochs'?"),
    ("test_samples: 50", "tests: 50", "line 7: scales.quick.tests: Unknown key 'tests'."),
    (
        "network: 3resnet",
        "network: resnet",
        f"line 9: {GRID}.network: Unknown network 'resnet'. Did you mean '3resnet'",
    ),
    ("mode: all", "mode: al", f"line 9: {GRID}: Unknown mode 'al'. Did you mean 'all'?"),
    ("        mode: all\n", "", f"line 9: {GRID}: 'mode' is missing"),
    ("widths: [4, 5]", "widths: [4, -5]", f"line 11: {GRID}.widths[1]: -5 is not possible"),
    ("widths: [4, 5]", "widths: []", f"line 11: {GRID}.widths: [] is not possible"),
    ("widths: [4, 5]", "widths: [4, 4]", f"line 11: {GRID}.widths: 4 is listed twice"),
    ("widths: [4, 5]", "widths: 4", f"line 11: {GRID}.widths: 4 is not possible"),
    ("rates: [1e-2, 0.02]", "rates: [0, 0.02]", f"line 12: {GRID}.rates[0]: 0 is not possible"),
    ("rates: [1e-2, 0.02]", "rates: [.inf]", f"line 12: {GRID}.rates[0]: inf is not possible"),
    ("rates: [1e-2, 0.02]", "rate: [0.02]", f"line 12: {GRID}.rate: Unknown key 'rate'. Did you mean 'rates'?"),
    ("decays: [0, 1e-3]", "decays: [0, x]", f"line 13: {GRID}.decays[1]: 'x' is not possible"),
    ("mode: ntk", "mode: all", "line 15: scales.quick.grids[1].mode: Unknown mode for ridge regression 'all'"),
    ("[ck2, ", "[ck4, ", "line 18: scales.quick.grids[2].kernels: Unknown kernel 'ck4'"),
    ("scales:\n  quick:", "scales: {}\nquick:", "Unknown key 'quick'"),
    ("samples: 20\n", "samples: [20\n", "is not YAML"),
    ("samples: 20\n", "samples:\t- 20: 3\n  - 4\n", "is not YAML"),
]


@pytest.mark.parametrize(("old", "new", "words"), MISTAKES)
def test_mistakes_are_named_where_they_are(tmp_path, old, new, words):
    assert GOOD.count(old) == 1
    with pytest.raises(InputError) as error:
        experiments.get(written(tmp_path, GOOD.replace(old, new)))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("samples = 20", "samples = [20", "is not TOML"),
        ("samples = 20", "samples = 20\nsamples = 20", "is not TOML"),
        ("widths = [4, 5]", "widths = [4, -5]", f"{GRID}.widths[1]: -5 is not possible"),
    ],
)
def test_mistakes_in_toml_are_named_by_their_key(tmp_path, old, new, words):
    with pytest.raises(InputError) as error:
        experiments.get(written(tmp_path, TOML.replace(old, new), "mine.toml"))
    assert words in str(error.value)


@pytest.mark.parametrize("text", ["", "just words\n", "- 1\n- 2\n"])
def test_what_is_no_experiment_at_all(tmp_path, text):
    with pytest.raises(InputError, match="must be keys with values"):
        experiments.get(written(tmp_path, text))


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        experiments.get(str(tmp_path / "none.yaml"))
    (tmp_path / "odd.yaml").write_bytes(b"problem: \xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        experiments.get(str(tmp_path / "odd.yaml"))
