"""Exact risks, samples of points, and limits of means."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from kernelgap.certificates.exact.fixed_point import FixedPointNetwork
from kernelgap.certificates.exact.fixed_point.network import Grid
from support.certificates.format3 import PARTS, add_claims, make_draft, risk_of, upper_limit, with_largest_sum
from support.certificates.standalone import EVERY_POINT, checker, load, verdict

NETWORKS = [
    ("hard(d=7, k=3, alpha=0.3)", "2layer", 5),
    ("hard(d=7, k=3, alpha=0.3)", "2layer-signs", 5),
    ("hard(d=8, k=2, alpha=0.37, beta=0.2)", "3layer", 4),
    ("hard(d=9, k=3, alpha=0.3, seed=4)", "3resnet", 6),
    ("hard(d=9, k=3, alpha=0.3, d1=5, background='zero')", "3resnet", 6),
    ("hard(d=9, k=3, alpha=0.3, d1=5)", "3resnet-full", 3),
    ("parity(d=12, k=5)", "3resnet", 3),
    ("parity(d=1, k=1)", "2layer", 2),
]


def parsed(draft, i=0):
    target = checker.build_target(draft.claim["problem"])
    arrays = checker.read_tensors(draft.parts()[PARTS[1]], "weights")
    return checker.build_network(draft.claim, target, arrays, i), target


@pytest.mark.parametrize(("problem", "name", "width"), NETWORKS)
def test_risks_are_exact(problem, name, width):
    """By whole numbers in lanes, by NumPy's float64, and by brute force."""
    shape = "2layer" if name == "2layer-signs" else name
    draft = make_draft(problem, network=shape, width=width, networks=1)
    draft.claim["network"]["name"] = name
    network, target = parsed(draft)
    own = {key[2:]: array for key, array in draft.weights.items()}
    exact = risk_of(shape, own, draft.claim["network"]["bits"], draft.claim["target"])
    assert checker.exact_risk(network, target, fast=False) == exact
    assert load(EVERY_POINT).risk(network, target, 20) == exact
    assert verdict(draft.sealed()) == (0, [])


@pytest.mark.parametrize("seed", range(12))
def test_both_ways_are_equal_to_the_last_bit(seed):
    """Large and small weights, few and many bits, blocks and lanes that are not full."""
    rng = np.random.default_rng(seed)
    name = ["2layer", "3layer", "3resnet", "3resnet-full"][seed % 4]
    bits = {"W": int(rng.integers(8, 15)), "A": int(rng.integers(12, 14)), "V": int(rng.integers(3, 8)), "out": 20}
    bits["V"] = 0 if name == "2layer" else bits["V"]
    scale = float(10 ** rng.uniform(-1, 0.5))
    draft = make_draft(
        f"hard(d={rng.integers(3, 14)}, k=3, alpha=0.3)", network=name, networks=1, bits=bits, seed=seed, scale=scale
    )
    network, target = parsed(draft)
    fast = load(EVERY_POINT).risk(network, target, 20)
    assert fast == checker.exact_risk(network, target, fast=False) == Fraction(draft.claim["networks"][0]["risk"])


def sums_of(network, d):
    """All sums of the evaluations at every point."""
    for point in range(2**d):
        signs = [1 - 2 * (point >> i & 1) for i in range(d)]
        for sums in network.run(signs, 1, lambda x: max(x, 0)):
            yield from map(abs, sums)


@pytest.mark.parametrize(("problem", "name", "width"), NETWORKS)
def test_the_bound_of_all_sums_is_one(problem, name, width):
    """No sum is larger, at any point; the bound is not far above; it is the number that kernelgap's reader takes."""
    draft = make_draft(problem, network="2layer" if name == "2layer-signs" else name, width=width, networks=1)
    network, target = parsed(draft)
    bits = draft.claim["network"]["bits"]
    own = FixedPointNetwork(
        "2layer" if name == "2layer-signs" else name,
        Grid(bits["W"], bits["A"], bits["V"]),
        {key[2:]: array for key, array in draft.weights.items()},
    )
    found = max(sums_of(network, target.d))
    assert found <= network.largest() == own.largest() <= 2**10 * found


@pytest.mark.parametrize("name", ["2layer", "3layer", "3resnet", "3resnet-full"])
@pytest.mark.parametrize("spare", [1, 0])
def test_sums_that_reach_2_to_the_53_are_refused(name, spare):
    """By the checker and by kernelgap's reader, from the same number on."""
    draft = with_largest_sum(make_draft("hard(d=4, k=2, alpha=0.5)", network=name, networks=1), 2**53 - spare)
    code, reasons = verdict(draft.sealed())
    holds = spare == 1
    assert code == (0 if holds else 2), reasons
    bits = draft.claim["network"]["bits"]
    arrays = {key[2:]: array for key, array in draft.weights.items()}
    assert FixedPointNetwork(name, Grid(bits["W"], bits["A"], bits["V"]), arrays).exact == holds


def test_outputs_that_are_too_large_are_refused():
    """The squares of all outputs are at most 2^51 units."""
    for alpha, code in ((11.0, 0), (12.0, 2)):  # 4 (2 alpha 2^20)^2 = 2^51 if alpha = 11.3
        draft = make_draft(f"hard(d=6, k=4, alpha={alpha}, beta={alpha})", networks=1)
        assert verdict(draft.sealed())[0] == code


def test_a_lane_that_overflows_is_noticed(monkeypatch):
    """The comparison with brute force sees it if lanes are too small for the sums."""
    draft = make_draft("hard(d=4, k=2, alpha=0.5)", width=3, networks=1)
    assert verdict(draft.sealed())[0] == 0
    monkeypatch.setattr(checker, "LANE", 3)
    try:
        code = verdict(draft.sealed())[0]
    except OverflowError:
        code = 1
    assert code == 1


def sampled(draft, monkeypatch, points=20_000, seed="a"):
    """The checks if only so many points of each network may be looked at."""
    network, _ = parsed(draft)
    weights = sum(len(M) * len(M[0]) for key, M in network.weights.items() if key in "WAVCD") + 3000 + 100 * 3
    monkeypatch.setattr(checker, "BUDGET", points * weights * len(draft.claim["networks"]))
    return [check for check in checker.check(draft.sealed(), seed) if check.confidence is not None]


def test_a_sample_supports_the_true_risk_and_refutes_others(monkeypatch):
    draft = make_draft("hard(d=16, k=3, alpha=0.3)", networks=1, width=3)
    (check,) = sampled(draft, monkeypatch)
    assert check.holds
    true = Fraction(draft.claim["networks"][0]["risk"])
    low, high = (float(word) for word in check.found.replace(",", " ").split()[1:4:2])
    assert low < true < high
    assert high - low < 0.1 * true
    for factor in (Fraction(9, 10), Fraction(11, 10), Fraction(0), Fraction(1, 1000)):
        draft.claim["networks"][0]["risk"] = str(true * factor)
        add_claims(draft)
        (check,) = sampled(draft, monkeypatch)
        assert not check.holds
    draft.claim["networks"][0]["risk"] = str(true * Fraction(10001, 10000))  # too near to be told by a sample
    assert sampled(add_claims(draft), monkeypatch)[0].holds
    assert verdict(draft.sealed(), every=True)[0] == 1


@pytest.mark.parametrize("power", [300, 308, 309, 310, 323, 324, 400, 1990])
def test_risks_that_no_float_holds_are_refuted(power):
    """A loss over such a risk is more than any float: what comes of an infinity must not count as support."""
    stated = Fraction(1, 10**power)
    assert not checker.check_sample(stated, [1.35] * 100, 101.4, 1e-6)[0]
    assert not checker.check_sample(stated, [0.0] * 1000 + [1e-3] * 3, 101.4, 1e-6)[0]
    assert not checker.check_sample(Fraction(507, 5) - stated, [1.35] * 100, 101.4, 1e-6)[0]
    assert checker.check_sample(stated, [0.0] * 100, 101.4, 1e-6)[0]


def test_other_seeds_draw_other_points(monkeypatch):
    draft = make_draft("hard(d=16, k=3, alpha=0.3)", networks=2, width=3)
    found = [[check.found for check in sampled(draft, monkeypatch, 3000, seed)] for seed in ("a", "a", "b")]
    assert found[0] == found[1] != found[2]
    assert found[0][0] != found[0][1]
    other = make_draft("hard(d=16, k=3, alpha=0.3)", networks=2, width=3)
    other.claim["versions"]["python"] = "3.12"  # another seal draws others, too
    assert sampled(other, monkeypatch, 3000)[0].found != found[0][0]


@pytest.mark.parametrize("law", ["constant", "uniform", "rare", "two values", "zero"])
def test_intervals_of_samples_contain_the_mean(law):
    """With a doubt of 0.1 in at least 90% of 300 samples, for losses of all kinds, at any number of points."""
    rng = random.Random(5)
    draws = {
        "constant": (lambda: 0.25, 0.25),
        "uniform": (lambda: rng.random() * 4, 2.0),
        "rare": (lambda: 4.0 * (rng.random() < 0.02), 0.08),
        "two values": (lambda: 4.0 * (rng.random() < 0.5), 2.0),
        "zero": (lambda: 0.0, 0.0),
    }
    draw, mean = draws[law]
    missed = 0
    for _ in range(300):
        found = [draw() for _ in range(60)]
        holds, text = checker.check_sample(Fraction(mean), found, 4.0, 0.1)
        low, high = (float(word) for word in text.split()[1::2])
        assert (low <= mean <= high) or not holds
        missed += not holds
    assert missed <= 30


def test_intervals_of_samples_are_narrow():
    rng = random.Random(5)
    found = [rng.random() for _ in range(20_000)]
    holds, text = checker.check_sample(Fraction(1, 2), found, 100.0, 1e-6)
    low, high = (float(word) for word in text.split()[1::2])
    assert holds
    assert 0.47 < low < 0.5 < high < 0.65  # 100 x 14.5 / 20,000 is what losses that were not seen may add


def test_means_and_limits():
    draft = make_draft("hard(d=6, k=3, alpha=0.3)", networks=5)
    assert verdict(draft.sealed()) == (0, [])
    bound = Fraction(draft.claim["mean"]["loss_bound"])
    risks = [Fraction(network["risk"]) for network in draft.claim["networks"]]
    upper = upper_limit(risks, bound, Fraction(19, 20))
    exact = float(bound) - (0.05 * math.prod(float(bound - risk) for risk in risks)) ** 0.2
    assert upper == pytest.approx(exact, abs=1e-7)
    for change in (Fraction(1, 10**6), Fraction(1, 100)):
        lower = draft.copy()
        lower.claim["mean"]["upper"] = str(upper - change)
        code, failed = verdict(lower.sealed())
        assert code == 1
        assert "The upper limit of the mean over all starts" in failed


@pytest.mark.slow
def test_a_limit_holds_as_often_as_it_says():
    """Over 2,000 draws of five risks from a law with a rare large value, the mean lies above at most 5% of limits."""
    rng = random.Random(1)
    mean, above = 0.95 * 0.1 + 0.05 * 3, 0
    for _ in range(2000):
        risks = [Fraction(3) if rng.random() < 0.05 else Fraction(1, 10) for _ in range(5)]
        above += float(upper_limit(risks, Fraction(4), Fraction(19, 20))) < mean
    assert above <= 120
