"""The numbers of the playground are those of the library, on the same data and from the same start."""

import json
from itertools import pairwise

import jax
import numpy as np
import pytest

import kernelgap as kg
from kernelgap import networks
from kernelgap.kernels.cube.spectrum import cube_spectrum
from kernelgap.play import write_playground
from kernelgap.problems.inputs import whole_cube
from kernelgap.regression import solve_ridge
from kernelgap.training import Schedule, get_model, train_grid
from support import browser as browsers

NETWORKS = ("3resnet", "2layer")
KERNELS = ("ntk2(bias=True)", "ntk3(bias=True, hidden_bias=True)", "ck2(bias=True)", "gaussian")
ASK = """([question, what]) => new Promise((resolve, reject) => {
    const typed = (value) => Array.isArray(value) && typeof value[0] === "number" ? Float64Array.from(value)
        : value && typeof value === "object" && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, typed(v)])) : value;
    const plain = (value) => ArrayBuffer.isView(value) ? Array.from(value) : value;
    const worker = new Worker(playground.program);
    worker.onerror = (error) => reject(new Error(error.message));
    worker.onmessage = ({ data }) => {
        if (!what.includes(data.what)) return;
        resolve(JSON.stringify(data, (_, value) => plain(value)));
        worker.terminate();
    };
    worker.postMessage(typed(question));
})"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = write_playground(tmp_path_factory.mktemp("play") / "play.html")
    with browsers.chromium() as browser:
        opened, said, _ = browsers.open_page(browser, path.as_uri(), 1200, "light")
        yield opened
        assert said == []


def ask(page, what, question):
    """The first answer of a worker to a question that is of this kind."""
    return json.loads(page.evaluate(ASK, [question, [what]]))


def setting(**changes):
    plain = {"d": 10, "k": 3, "block": 2, "alpha": 0.3, "beta": 1.0, "n": 60, "width": 20, "rate": 0.05, "seed": 0}
    return {**plain, "kernel": "gaussian", **changes}


def problem_of(settings):
    return kg.problems.products(
        settings["d"], settings["k"], settings["alpha"], settings["block"], beta=settings["beta"]
    )


def flat(array):
    return np.asarray(array, dtype=float).ravel().tolist()


def by_library(settings, start, schedule, epochs):
    """Data, starts and orders for the page, and what the library makes of them."""
    problem, n, width = problem_of(settings), settings["n"], settings["width"]
    train, test = problem.sample(n, seed=1), problem.sample(200, seed=2)
    decay = 0.0375 / width**0.5
    starts, grids = {}, {}
    for name in NETWORKS:
        network = networks.get(name)
        params = network.init(jax.random.key(3), inputs=problem.d, outputs=problem.outputs, width=width)
        starts[name] = {part: flat(w) for part, w in params.items()}
        grids[name] = train_grid(
            get_model(network, "all"), params, [settings["rate"]], [decay], train,
            schedule=schedule, seed=[4], evaluate={"test": test}, epochs=range(epochs + 1),
            base=(test[0], problem.base(test[0])) if name == "3resnet" else None,
        )  # fmt: skip
    orders = [np.random.default_rng([4, epoch]).permutation(n).tolist() for epoch in range(epochs)]
    given = {"inputs": {"train": flat(train[0]), "test": flat(test[0])}, "weights": starts, "epoch": start}
    return grids, {"do": "course", "settings": settings, "given": given, "orders": orders}


@pytest.mark.parametrize(
    ("settings", "start", "schedule", "epochs"),
    [
        (setting(n=50), 0, {"drop_at": 1.0}, 50),  # one step an epoch
        (
            setting(d=7, k=2, block=3, beta=0.6, n=130, width=33, rate=0.1),
            0,
            {"drop_at": 1.0},
            17,
        ),  # 3 steps, one small
        (setting(d=9, k=4, block=1, alpha=0.5, n=20), 375, {"drop_at": 0.5, "batch": 20}, 50),  # the rate drops midway
    ],
)
def test_the_course_of_both_networks(page, settings, start, schedule, epochs):
    grids, question = by_library(settings, start, Schedule(epochs=epochs, **schedule), epochs)
    answer = ask(page, "course", question)
    for name, grid in grids.items():
        errors = np.array([each[name]["error"] for each in answer["course"]])
        assert np.abs(errors - grid.curves["test"][0]).max() < 1e-4
        assert errors[-1] < 0.8 * errors[0]  # it has learned something
        for part, weights in answer["weights"][name].items():
            assert np.abs(np.array(weights) - grid.trained[part][0].ravel()).max() < 1e-4
    distances = np.array([each["3resnet"]["distance"] for each in answer["course"]])
    assert np.abs(distances - grids["3resnet"].curves["base"][0]).max() < 1e-4


def test_another_rate_is_another_course(page):
    settings = setting(n=50)
    grids, question = by_library(settings, 0, Schedule(epochs=50, drop_at=1.0), 50)
    question["settings"] = {**settings, "rate": 0.0505}
    answer = ask(page, "course", question)
    assert abs(answer["course"][-1]["3resnet"]["error"] - grids["3resnet"].final("test")[0]) > 1e-3


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_kernel_is_solved_exactly(page, kernel):
    """Beside the library's Gram matrix and solver, with every point of the cube as a test point."""
    settings = setting(d=8, k=2, n=60, kernel=kernel)
    problem, ridge = problem_of(settings), 0.01
    X, Y = problem.sample(60, seed=0)
    one = kg.kernels.get(kernel).fit(whole_cube(8) * 8**0.5)
    question = {"do": "kernel", "settings": settings, "samples": [60.0], "ridges": [ridge], "X": flat(X)}
    answer = ask(page, "solved", question)
    cube = whole_cube(8) * 8**0.5
    predicted = one(cube, X) @ solve_ridge(one(X, X), Y, ridge)
    risk = np.mean(np.sum((predicted - problem.target(cube)) ** 2, axis=1))
    assert answer["risk"] == pytest.approx(risk, rel=1e-6)
    for part, signal in (("base", problem.base(cube)), ("composite", problem.composite(cube))):
        assert answer[part] == pytest.approx(np.sum(predicted * signal) / np.sum(signal**2), abs=1e-6)
    assert answer["predicted"] == pytest.approx(kg.curves.predict(problem, kernel, 60, ridge).risk, rel=1e-9)


def test_the_best_of_the_ridges_is_taken(page):
    settings = setting(d=8, k=2, n=60)
    ridges = [1e-6, 0.1, 10.0]
    each = [ask(page, "solved", {"do": "kernel", "settings": settings, "samples": [], "ridges": [r]}) for r in ridges]
    best = ask(page, "solved", {"do": "kernel", "settings": settings, "samples": [], "ridges": ridges})
    assert best["risk"] == min(one["risk"] for one in each)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("changes", [{"d": 20}, {"d": 30, "k": 5, "alpha": 0.15}, {"d": 11, "block": 1, "beta": 0.2}])
def test_the_predicted_curve_and_the_need(page, kernel, changes):
    settings = setting(kernel=kernel, **changes)
    problem, samples = problem_of(settings), [10.0, 77.0, 1000.0, 3e4, 1e7]
    curve = kg.curves.predict(problem, kernel, samples, "best")
    answer = ask(page, "curve", {"do": "kernel", "settings": settings, "samples": samples})["curve"]
    np.testing.assert_allclose([point["risk"] for point in answer], curve.risk, rtol=1e-7, atol=1e-14)
    floors = [kg.certificates.any_kernel(problem, int(n)).mean_risk for n in samples]
    np.testing.assert_allclose([point["floor"] for point in answer], floors, rtol=1e-14)
    risk = 0.1 * problem.threshold
    need = ask(page, "need", {"do": "need", "settings": settings, "risk": risk})["samples"]
    assert need == pytest.approx(kg.curves.predict(problem, kernel, 1, "best").samples_for(risk), rel=1e-9, abs=0)


def test_eigenvalues_have_all_their_digits(page):
    """At d = 30 tens of digits cancel: the curve there rests on whole numbers, not on float64."""
    balls = cube_spectrum("gaussian(bandwidth=7.745966692414834)", 30).eigenvalues
    assert 0 < balls[30] < 1e-40


@pytest.mark.parametrize("seed", range(4))
def test_floors_are_the_same_whole_numbers(page, seed):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        k, block = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        alpha = round(0.05 * float(rng.integers(1, 21)), 2)
        settings = setting(d=int(rng.integers(max(6, k * block), 31)), k=k, block=block, alpha=alpha)
        risk = float(f"{rng.uniform(0, 1.1) * k * alpha**2:.2g}")
        n = int(rng.integers(1, 2000))
        answer = page.evaluate(
            "([s, r, n]) => { const f = playground.floorOf(s); return [String(f.samplesFor(r)), f.meanRisk(n)]; }",
            [settings, risk, n],
        )
        bound = kg.certificates.any_kernel(problem_of(settings), n)
        assert int(answer[0]) == bound.samples_for(risk), (settings, risk)
        assert answer[1] == pytest.approx(bound.mean_risk, rel=1e-14, abs=1e-300)


def test_targets_are_the_library_s(page):
    """The labels that the page gives to its own inputs, through the error of a network that says 0."""
    for settings in (setting(), setting(k=5, d=17, block=3, beta=0.3, alpha=0.9), setting(block=1, beta=0.0)):
        problem = problem_of(settings)
        X, _ = problem.sample(300, seed=0)
        width, k = settings["width"], settings["k"]
        shapes = {"W": width * problem.d, "b1": width, "V": width * k, "b2": width, "A": k * width}
        zeros = {part: [0.0] * count for part, count in shapes.items()}
        silent = {"3resnet": zeros, "2layer": {part: zeros[part] for part in ("W", "b1", "A")}}
        given = {"inputs": {"test": flat(X)}, "weights": silent}
        answer = ask(page, "course", {"do": "course", "settings": settings, "given": given, "orders": []})
        expected = float(np.mean(np.sum(problem.target(X) ** 2, axis=1)))
        assert answer["course"][0]["2layer"]["error"] == pytest.approx(expected, rel=1e-12)


def test_orders_of_epochs_are_those_of_the_schedule():
    """What the drop in the second course compares with."""
    factors = [float(Schedule(epochs=800).factor(epoch, np)) for epoch in (0, 399, 400, 799)]
    assert factors == [1.0, 1.0, 0.1, 0.1]
    assert all(later <= earlier for earlier, later in pairwise(factors))
