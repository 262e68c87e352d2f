"""Theorem 1's choices against the formulas written out, and Table 1 against a search over sigma_w and sigma_v."""

import math

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.errors import InputError
from kernelgap.networks.network import TheoremStart
from kernelgap.paper.theory.complexity import PLAIN, C_s
from kernelgap.paper.theory.theorem1 import Hidden, Quantities, Theorem1, quantities

SMALL = Quantities(k=2, p_F=1, p_G=1, C_F=1.5, C_G=2.0, alpha=0.05, opt=0.01, B_F=1.2)


def written_out(q, log10_m, polylog=1.0, proof=False):
    """Whether some sigma_w, sigma_v on a fine grid meet every line of Table 1."""
    m = 10.0**log10_m
    tau_w, tau_v = q.k * q.p_F * q.C_F, q.alpha * q.k * q.p_G * q.C_G
    w = np.logspace(-log10_m, 0.5, 40_001)
    v = np.logspace(-3, log10_m, 40_001)
    fits_w = (m ** (-0.5 + 0.01) <= w) & (w <= m**-0.01) & (m ** (1 / 8 + 0.001) * w <= tau_w)
    fits_w &= tau_w <= m ** (1 / 8 - 0.001) * w**0.25
    fits_v = (polylog <= v) & (v <= m ** (3 / 8 - 0.01)) & (v * (q.k / m) ** (3 / 8) <= tau_v) & (tau_v <= v / polylog)
    if proof:
        fits_v &= v >= tau_v**-2
    return bool(fits_w.any() and fits_v.any() and tau_w >= 1 and tau_v <= 1 / polylog)


@pytest.mark.parametrize("log10_m", [0.5, 2, 3.5, 3.8, 4.0, 5, 8, 12])
@pytest.mark.parametrize("proof", [False, True])
def test_table1_against_a_search(log10_m, proof):
    table = Theorem1(SMALL, proof=proof).table1(log10_m=log10_m)
    assert table.satisfiable == written_out(SMALL, log10_m, proof=proof)


def test_the_smallest_width():
    theorem = Theorem1(SMALL)
    ((low, high),) = theorem.widths
    assert math.isinf(high)
    assert theorem.table1(log10_m=low + 1e-6).satisfiable
    assert not theorem.table1(log10_m=low - 1e-6).satisfiable
    assert written_out(SMALL, low + 1e-2)
    assert not written_out(SMALL, low - 1e-2)
    # tau_w^3 <= m^(3/8-0.005) and tau_w <= m^(1/8-0.0035)
    expected = max(3 / 0.37, 1 / 0.1215) * math.log10(3.0)
    assert low == pytest.approx(expected, abs=1e-9)
    assert "from m =" in str(theorem)


def test_a_condition_met_with_equality_hides_no_other():
    q = Quantities(k=1, p_F=1, p_G=1, C_F=1.0, C_G=1.0, alpha=0.5)  # tau_w = 1 exactly
    ((low, _),) = Theorem1(q).widths
    # sigma_v >= 1 and tau_v >= sigma_v m^(-3/8)
    assert low == pytest.approx(8 / 3 * math.log10(2), abs=1e-9)
    assert written_out(q, low + 1e-2)
    assert not written_out(q, low - 1e-2)


def test_a_start_within_the_ranges():
    theorem = Theorem1(SMALL)
    start = theorem.table1(1e7).start()
    assert isinstance(start, TheoremStart)
    assert start.std("first", 10**7) == start.sigma_w
    with pytest.raises(InputError, match="no sigma_w meets both"):
        theorem.table1(100).start()
    assert "cannot be met" in str(theorem.table1(100))


def test_polylog_bounds_m_from_above_at_a_fixed_alpha():
    theorem = Theorem1(SMALL, Hidden(polylog=1.0))
    assert all(high < math.inf for _, high in theorem.widths)
    # tau_v = 0.2 <= 1 / ln m ends at m = e^5, long before sigma_w's range opens
    assert theorem.widths == ()
    smaller = Quantities(**{**SMALL.__dict__, "alpha": 1e-4})
    ((low, high),) = Theorem1(smaller, Hidden(polylog=1.0)).widths
    assert high == pytest.approx(1 / 4e-4 / math.log(10), rel=1e-6)
    middle = 20.0
    assert low < middle
    assert written_out(smaller, middle, polylog=middle * math.log(10))
    assert Theorem1(smaller, Hidden(polylog=1.0)).table1(log10_m=middle).satisfiable


def test_rates_and_steps():
    theorem = Theorem1(SMALL, Hidden(T=3.0, eta_v=0.5))
    delta = 0.01 + 0.05**4 * 4.0**4 * 2.2**2
    assert theorem.least_delta == pytest.approx(delta)
    assert theorem.eta_w() == pytest.approx(delta)
    assert theorem.eta_v(0.5) == pytest.approx(0.5 * 0.5 * (0.05 * 2 / 1.5) ** 2)
    assert theorem.T(4.0) == pytest.approx(3.0 * 9)
    assert theorem.T(0.1) == pytest.approx(3.0 * 9 / 0.01)
    assert theorem.largest_alpha == pytest.approx(1 / 4)
    assert theorem.log10_M is None
    with pytest.raises(InputError, match="no risk below"):
        theorem.T(delta / 2)


def test_quantities_of_problems():
    problem = kg.problems.concept1(d=5, k=2, alpha=0.1, pF=2, F="sin(z)", G="z^2", noise=0.2, size="none")
    found = quantities(problem, PLAIN)
    assert (found.k, found.p_F, found.p_G) == (2, 2, 1)
    assert C_s("sin(z)", PLAIN) == found.C_F
    assert found.C_G == 3.0
    assert found.opt == pytest.approx(2 * 0.04 / 2)
    assert found.log_C_alpha is not None
    assert Theorem1(found).log10_M > math.log10(2 / 0.1)
    hard = quantities(kg.problems.hard(d=32, k=2, alpha=0.1), PLAIN)
    assert (hard.p_F, hard.p_G) == (1, 4)
    assert pytest.approx(2 * math.sqrt(32)) == hard.C_F
    assert quantities(kg.problems.concept1(d=5, k=2, alpha=0.1, F="tanh(z)"), 10.0).log_C_alpha is None
    with pytest.raises(InputError, match="no form of Concept 1"):
        quantities(kg.problems.sec8(), PLAIN)
    with pytest.raises(InputError, match="no B_F"):
        quantities(kg.problems.concept2(d=5, k=2, alpha=0.1, inputs="gaussian"), PLAIN)


def test_mistakes_get_a_sentence():
    with pytest.raises(InputError, match="alpha positive"):
        Quantities(k=1, p_F=1, p_G=1, C_F=1, C_G=1, alpha=0)
    with pytest.raises(InputError, match="needs a width"):
        Theorem1(SMALL).table1()
    with pytest.raises(InputError, match="at least 2"):
        Theorem1(SMALL).table1(1)
