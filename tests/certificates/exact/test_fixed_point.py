"""Networks in whole numbers: their risk against plain integers of Python, and how far rounding moves it."""

from fractions import Fraction
from itertools import product

import jax
import numpy as np
import pytest

from kernelgap import native, networks, problems
from kernelgap.certificates import TrainedNetwork, exact_risk
from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.fixed_point import FixedPointNetwork, fixed_point_risk, round_networks, target_of
from kernelgap.certificates.exact.fixed_point.compiled import compiled_sums
from kernelgap.certificates.exact.fixed_point.network import EXACT, Grid
from kernelgap.certificates.exact.fixed_point.risk import row_sums
from kernelgap.errors import InputError

KINDS = ("2layer", "2layer-signs", "3layer", "3resnet", "3resnet-full")
PROBLEMS = (
    "hard(d=6, k=2, alpha=0.5)",
    "hard(d=7, k=3, alpha=0.3, beta=0.7, d1=5, background='zero')",
    "hard(d=6, k=2, alpha=0.4, d1=4, background='uniform')",
    "hard(d=5, k=2, alpha=0.4, beta=0.0)",
    "parity(d=5, k=3)",
)


def trained(name, problem, width=5, seed=0, scale=1.0, offset=0.0, biased=True):
    network = networks.get(name)
    params = dict(network.init(jax.random.key(seed), inputs=problem.d, outputs=problem.outputs, width=width))
    if not biased:
        params = {n: np.zeros_like(w) if n[0] == "b" else w for n, w in params.items()}
    return TrainedNetwork(network, params, scale, offset)


def integers(network: FixedPointNetwork, signs, limits):
    """The format's formulas, one whole number of Python after the other."""
    of = {name: array.tolist() for name, array in network.arrays.items()}
    a, b, c = network.grid.W, network.grid.A, network.grid.V

    def times(M, v):
        return [sum(m * x for m, x in zip(row, v, strict=True)) for row in M]

    def plus(v, bias):
        return [x + y for x, y in zip(v, of.get(bias, [0] * len(v)), strict=True)]

    h = [max(u, 0) for u in plus(times(of["W"], signs), "b1")]
    terms = []
    if "C" in of:
        terms.append((a + b, times(of["C"], h)))
    if "V" in of:
        y, unit = (times(of["A"], h), a + b) if "A" in of else (h, a)
        g = [max(z, 0) for z in plus(times(of["V"], y), "b2")]
        terms.append((unit + c + b, times(of["D"], g)))
    f = max(unit for unit, _ in terms)
    o = [sum(v[j] << (f - unit) for unit, v in terms) for j in range(len(limits))]
    o = plus(o, "offset")
    r = o if f == 20 else [(x + (1 << (f - 21))) >> (f - 20) for x in o]
    return [min(max(x, -limit), limit) for x, limit in zip(r, limits, strict=True)], f


def by_hand(problem, network):
    """The mean over every point of the squared distance from the problem's own target."""
    cube, alpha, beta = cube_of(problem), Fraction(str(problem.alpha)), Fraction(str(problem.beta))
    total = Fraction(0)
    for signs in product((1, -1), repeat=cube.d):
        x = np.concatenate([np.array(signs) * cube.scale, np.zeros(cube.width - cube.d)])[None]
        base = [
            Fraction(round(v)) * beta for v in (problem.base(x)[0] / problem.beta if beta else 0 * problem.base(x)[0])
        ]
        H = [b + alpha * round(v) for b, v in zip(base, problem.composite(x)[0] / problem.alpha, strict=True)]
        limits = [-int(-(abs(beta) + abs(alpha)) * 2**20 // 1)] * problem.outputs
        r, _ = integers(network, signs, limits)
        total += sum((Fraction(value, 2**20) - h) ** 2 for value, h in zip(r, H, strict=True))
    return total / 2**cube.d


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("spec", PROBLEMS)
def test_the_risk_is_that_of_plain_integers(name, spec):
    problem = problems.get(spec)
    target = target_of(problem)
    pair = [trained(name, problem, seed=s, scale=3.0, offset=0.25 * s, biased=s > 0) for s in range(2)]
    for network in round_networks(pair, cube_of(problem)):
        found = fixed_point_risk(target, network, compiled=False)
        assert found == by_hand(problem, network)
        assert found == fixed_point_risk(target, network)
        assert 0 <= found <= target.loss_bound


def test_zero_weights_have_the_risk_of_the_target_itself():
    problem = problems.get("hard(d=5, k=2, alpha=0.4)")
    network = trained("2layer", problem)
    (rounded,) = round_networks([TrainedNetwork(network.network, network.params, 0.0)], cube_of(problem))
    assert fixed_point_risk(target_of(problem), rounded) == target_of(problem).squared_norm == 2 * (1 + Fraction(4, 25))


@pytest.mark.parametrize("name", KINDS)
def test_compiled_loops_and_numpy_give_the_same_numbers(name, rng):
    problem = problems.get("hard(d=14, k=3, alpha=0.5)")
    target = target_of(problem)
    (network,) = round_networks([trained(name, problem, width=37, scale=2.0, offset=0.1)], cube_of(problem))
    compiled = compiled_sums(target, network, 11)
    if native.kind_of_processor() is None:
        pytest.skip("nothing is compiled here")
    assert compiled is not None
    upper = rng.choice([-1.0, 1.0], (5, 3))
    np.testing.assert_array_equal(compiled(upper), row_sums(target, network, 11)(upper))


@pytest.mark.parametrize("name", KINDS)
def test_rounding_moves_the_risk_by_little(name):
    problem = problems.get("hard(d=12, k=3, alpha=0.5)")
    network = trained(name, problem, width=30)
    (rounded,) = round_networks([network], cube_of(problem))
    found, before = float(fixed_point_risk(target_of(problem), rounded)), exact_risk(problem, network).risk
    X = cube_of(problem).points(0, 2**12)
    clipped = np.clip(network(X), -1.5, 1.5)
    of_clipped = float(((clipped - problem.target(X)) ** 2).sum(axis=1).mean())
    assert of_clipped <= before * (1 + 1e-12)  # what lies outside the range of the target is moved nearer to it
    assert abs(found - of_clipped) < 1e-3 * before


def test_every_partial_sum_stays_under_the_bound(rng):
    """The proved bound is one: no sum of magnitudes at any point exceeds it."""
    for name in KINDS:
        problem = problems.get("hard(d=6, k=2, alpha=0.5)")
        (network,) = round_networks([trained(name, problem, width=9, offset=0.3)], cube_of(problem))
        of = {n: a.astype(object) for n, a in network.arrays.items()}
        size = {n: abs(a) for n, a in of.items()}
        worst = 0
        for signs in product((1, -1), repeat=6):
            s = np.array(signs, dtype=object)
            h = np.maximum(of["W"] @ s + of.get("b1", 0), 0)
            worst = max(worst, *(size["W"].sum(axis=1) + size.get("b1", 0)))
            out = size.get("offset", 0) + (size["C"] @ h << network.first_shift if "C" in of else 0)
            if "V" in of:
                y = of["A"] @ h if "A" in of else h
                g = np.maximum(of["V"] @ y + of.get("b2", 0), 0)
                worst = max(worst, *(size["V"] @ abs(y) + size.get("b2", 0)))
                out = out + size["D"] @ g
            worst = max(worst, *out)
        assert worst <= network.largest() < EXACT
        finer = {n: a.astype(np.int64) * 64 for n, a in network.arrays.items()}
        assert not FixedPointNetwork(name, Grid(*(b + 6 for b in vars(network.grid).values())), finer).exact


def test_an_interrupted_evaluation_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("kernelgap.certificates.exact.fixed_point.risk.AT_ONCE", 2**11)
    problem = problems.get("hard(d=13, k=2, alpha=0.5)")
    target, path = target_of(problem), tmp_path / "points"
    first, second = round_networks([trained("3resnet", problem, seed=s) for s in range(2)], cube_of(problem))
    whole = fixed_point_risk(target, first)

    class StopError(Exception):
        pass

    def stop(share, activity):
        if share >= 0.5:
            raise StopError

    with pytest.raises(StopError):
        fixed_point_risk(target, first, resume=path, on_progress=stop)
    heard = []
    assert fixed_point_risk(target, first, resume=path, on_progress=lambda share, _: heard.append(share)) == whole
    assert heard == [0.25, 0.5, 0.75, 1.0]
    with pytest.raises(InputError, match="belongs to another evaluation"):
        fixed_point_risk(target, second, resume=path)
    path.write_text("{}")
    with pytest.raises(InputError, match="is not a record"):
        fixed_point_risk(target, first, resume=path)


def test_a_wide_network_is_evaluated_in_smaller_pieces(monkeypatch):
    problem = problems.get("hard(d=9, k=2, alpha=0.5)")
    (network,) = round_networks([trained("3layer", problem, width=40)], cube_of(problem))
    whole = fixed_point_risk(target_of(problem), network)
    monkeypatch.setattr("kernelgap.certificates.exact.fixed_point.risk.MOST_AT_ONCE", 100)
    heard = []
    assert fixed_point_risk(target_of(problem), network, on_progress=lambda share, _: heard.append(share)) == whole
    assert len(heard) == 4  # 2^9 points in rows of 2^6, two rows at a time


def test_what_has_no_fixed_point_form_is_refused():
    problem = problems.get("hard(d=6, k=2, alpha=0.5)")
    for name in ("3resnet-gated", "resnet-2", "3resnet-conv(patches=3)"):
        with pytest.raises(
            InputError, match=r"no form in fixed-point numbers, only 2layer, .* certificates.exact_risk"
        ):
            round_networks([trained(name, problem)], cube_of(problem))
    network = trained("2layer", problem)
    for scale in (1e30, float("inf"), float("nan")):
        with pytest.raises(InputError, match=r"weights are too large|infinite, or no number"):
            round_networks([TrainedNetwork(network.network, network.params, scale)], cube_of(problem))
    with pytest.raises(InputError, match="too large for fixed-point numbers"):
        target_of(problems.get("hard(d=6, k=2, alpha=100.0)"))
    with pytest.raises(InputError, match="no problem of parities on a cube"):
        target_of(problems.get("hard(d=6, k=2, alpha=0.5, d1=4, background='gaussian')"))
