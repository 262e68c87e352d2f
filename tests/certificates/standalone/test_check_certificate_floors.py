"""Floors by the witnesses of a certificate: honest ones are proved, others are not."""

from fractions import Fraction

import numpy as np
import pytest

from kernelgap import problems
from kernelgap.certificates import oracle_risk
from support.certificates.format3 import add_floor, floor_witness, make_draft
from support.certificates.standalone import checker, verdict

PROBLEM = "hard(d=7, k=3, alpha=0.3, seed=2)"
KERNELS = (
    "ck2",
    "ck3(bias=True, hidden_bias=True)",
    "ntk2",
    "ntk3(bias=True, hidden_bias=True)",
    "ntk3res(bias=True)",
    "ck3res",
    "gaussian(bandwidth=1.3)",
    "gaussian(bandwidth=6.0)",  # its least eigenvalue is tiny: more digits
    "laplace(bandwidth=1.3, factor=2.0)",
    "arcsin(bias=True)",
    "recursive(depth=2)",
    "polynomial",
)


@pytest.fixture(scope="module")
def honest():
    return make_draft(PROBLEM, networks=1, samples=12, floors=KERNELS)


def test_every_kernel_of_the_format(honest):
    assert verdict(honest.sealed()) == (0, [])


def test_floors_are_those_of_kernelgap(honest):
    X, _ = problems.get(PROBLEM).sample(12, 0)
    for floor in honest.claim["floors"]:
        low, high = oracle_risk(problems.get(PROBLEM), floor["kernel"], X, rigorous=True).interval
        assert floor["low"] <= low <= high <= floor["high"]


@pytest.mark.parametrize("i", range(len(KERNELS)))
def test_a_little_more_or_less_is_not_proved(honest, i):
    for key, move in (("low", 1), ("high", -1), ("low", 0.5), ("high", 0.5), ("low", -1e3)):
        draft = honest.copy()
        floor = draft.claim["floors"][i]
        width = floor["high"] - floor["low"]
        floor[key] += move * width
        if move in (1, -1):
            floor["high" if key == "low" else "low"] += move * width
        if move == 0.5:
            assert floor["high"] >= floor["low"]
        code, failed = verdict(draft.sealed())
        if (key, move) == ("high", 0.5):
            assert code == 0  # a wider interval is a weaker statement
        elif (key, move) == ("low", 0.5):
            assert code == (0 if floor["low"] < np.mean([floor["high"], floor["low"]]) and code == 0 else 1)
        else:
            assert code == 1
            assert len(failed) == 1
            assert f"No weights get {floor['kernel']}" in failed[0]


def test_a_wide_interval_is_not_enough(honest):
    draft = honest.copy()
    draft.claim["floors"][0]["low"] -= 1e-6
    assert verdict(draft.sealed())[0] == 1
    draft.claim["floors"][0] |= {"low": 5.0, "high": 0.0}
    assert verdict(draft.sealed())[0] == 1


def changed(honest, i, **fields):
    draft = honest.copy()
    draft.witnesses[i] |= fields
    return verdict(draft.sealed())[0]


@pytest.mark.parametrize("i", range(len(KERNELS)))
def test_wrong_witnesses_prove_nothing(honest, i):
    own, other = honest.witnesses[i], honest.witnesses[(i + 1) % len(KERNELS)]
    top, bits = own["sigma"]
    assert changed(honest, i, sigma=[top, max(bits - 8, 0)]) == 1  # a larger eigenvalue than there is
    assert changed(honest, i, sigma=[top, bits + 400]) == 1  # then the error of L is larger than sigma0 / 2
    assert changed(honest, i, weights=other["weights"], weights_bits=other["weights_bits"]) == 1
    assert changed(honest, i, factor=other["factor"], factor_bits=other["factor_bits"]) == 1
    assert changed(honest, i, factor_bits=own["factor_bits"] - 1) == 1
    assert changed(honest, i, weights_bits=own["weights_bits"] + 1) == 1
    swapped = [own["weights"][1], own["weights"][0], *own["weights"][2:]]
    assert changed(honest, i, weights=swapped) == 1
    assert changed(honest, i, weights=["0 0 0"] * 12) == 1
    assert changed(honest, i, factor=[" ".join(["0"] * n) for n in range(1, 13)]) == 1


def test_a_smaller_eigenvalue_with_its_own_factor_is_as_good(honest):
    """sigma0 need not be the best one."""
    target = honest.claim["target"]
    signs = honest.inputs["0.signs"]
    low, high, witness = floor_witness(target, "ck2", signs, bits=2048)
    draft = honest.copy()
    draft.witnesses[0] = witness
    assert (low, high) == (draft.claim["floors"][0]["low"], draft.claim["floors"][0]["high"])
    assert verdict(draft.sealed())[0] == 0


def test_repeated_inputs_count_once():
    draft = make_draft(
        "hard(d=4, k=2, alpha=0.5)", networks=1, samples=14, floors=("ck2(bias=True)", "laplace(bandwidth=1.0)")
    )
    rows = draft.inputs["0.signs"]
    assert len(np.unique(rows, axis=0)) < 14
    assert verdict(draft.sealed()) == (0, [])


def test_functions_that_depend_on_each_other_have_no_witness():
    """The linear kernel spans d dimensions at most: no L witnesses that 9 inputs give a positive definite G."""
    with pytest.raises((ValueError, ZeroDivisionError)):
        make_draft("hard(d=7, k=2, alpha=0.5)", networks=1, samples=9, floors=("linear",))
    draft = make_draft("hard(d=7, k=2, alpha=0.5)", networks=1, samples=9, floors=("ck2",))
    draft.claim["floors"][0]["kernel"] = "linear"
    assert verdict(draft.sealed())[0] == 1


def test_a_few_inputs_are_enough_for_the_linear_kernel():
    draft = make_draft(
        "hard(d=7, k=2, alpha=0.5, seed=3)", networks=1, samples=4, floors=("linear", "polynomial(degree=2)")
    )
    assert verdict(draft.sealed()) == (0, [])


def test_base_and_composite_signals_are_both_in_the_floor():
    """Without base signal the floor is another: the target's terms matter."""
    draft = make_draft("hard(alpha=0.5, beta=0.25, d=6, k=2)", networks=1, samples=10, floors=("ck2",))
    assert verdict(draft.sealed()) == (0, [])
    other = make_draft("hard(alpha=0.5, beta=0.0, d=6, k=2)", networks=1, samples=10, floors=("ck2",))
    assert verdict(other.sealed()) == (0, [])
    draft.claim["floors"], draft.witnesses = other.claim["floors"], other.witnesses
    assert verdict(draft.sealed())[0] == 1


@pytest.mark.parametrize("samples", [5, 40])
def test_many_dimensions(samples, monkeypatch):
    monkeypatch.setattr(checker, "BUDGET", 0)
    draft = make_draft(
        "sec8", networks=1, samples=samples, risks=[Fraction(4)], floors=("ck2", "gaussian(bandwidth=9.0)")
    )
    code, failed = verdict(draft.sealed())
    assert code == 1
    assert failed == ["The risk of network 0, 4"]  # which was made up


def test_floors_of_other_inputs(honest):
    two = make_draft(PROBLEM, networks=2, samples=12)
    add_floor(two, "ck2", inputs=1)
    assert verdict(two.sealed()) == (0, [])
    two.claim["floors"][0]["inputs"] = 0
    assert verdict(two.sealed())[0] == 1
