"""The ranges of Lemma C.1 and Table 1, against numbers put in by hand and against Table 1 itself."""

import math

import pytest

from kernelgap.paper.theory.hypotheses import Condition, Parameters, Power, first_log10_m, of_m, unmet
from kernelgap.paper.theory.theorem1 import Quantities, Theorem1

PATH = Parameters(Power(1.0), of_m(-1 / 4), of_m(-1 / 8), of_m(1 / 8), 2)


def by_hand(tau_w: float, sigma_w: float, tau_v: float, sigma_v: float, k: int, m: float) -> bool:
    low, high = m ** (1 / 8 + 0.001) * sigma_w, m ** (1 / 8 - 0.001) * sigma_w**0.25
    return tau_w >= 1 and low <= tau_w <= high and sigma_v * (k / m) ** (3 / 8) <= tau_v <= sigma_v


@pytest.mark.parametrize("tau_w", [0.5, 1.0, 1.4, 3.0])
@pytest.mark.parametrize("tau_v", [0.01, 0.2, 5.0])
@pytest.mark.parametrize("m", [20, 300, 10_000, 10**8])
def test_lemma_c1s_ranges(tau_w: float, tau_v: float, m: int) -> None:
    at = Parameters(Power(tau_w), of_m(-1 / 4), Power(tau_v), of_m(1 / 8), 3)
    assert (not unmet(at.of_lemma_c1(), m)) == by_hand(tau_w, m**-0.25, tau_v, m**0.125, 3, m)


def test_the_path_of_the_lemmas_is_inside_from_8_on() -> None:
    assert not unmet(PATH.of_lemma_c1(), 8)
    assert [c.text for c in unmet(PATH.of_lemma_c1(), 7)] == ["tau_v >= sigma_v (k/m)^(3/8)"]
    assert first_log10_m(PATH.of_lemma_c1()) == pytest.approx(math.log10(8))


def test_the_width_from_which_on_all_is_met_by_trying_widths() -> None:
    at = Parameters(Power(2.5), of_m(-1 / 4), Power(0.3), of_m(1 / 8), 2)
    first = first_log10_m(at.of_claim_c6())
    for x in (first - 0.01, first + 0.01, first + 3):
        assert (not unmet(at.of_claim_c6(), 10**x)) == (x > first)
    assert first_log10_m(Parameters(Power(2.5), of_m(-1 / 4), Power(1.5), of_m(1 / 8), 2).of_claim_c7()) == math.inf


def test_a_start_within_table_1_meets_what_claim_c6_asks_and_others_do_not() -> None:
    theorem = Theorem1(Quantities(2, 1, 1, 2.0, 2.0, 0.1), proof=True)
    tau_w, tau_v = theorem.of.size_F, theorem.of.alpha * theorem.of.size_G
    for log10_m in (3.0, 5.0, 8.0, 12.0, 20.0):
        table = theorem.table1(log10_m=log10_m)
        sigma_w, sigma_v = table.sigma_w.middle, table.sigma_v.middle  # if a range is empty, outside of one end
        at = Parameters(Power(tau_w), Power(sigma_w), Power(tau_v), Power(sigma_v), 2)
        assert (not unmet(at.of_claim_c6(), 10**log10_m)) == table.satisfiable, log10_m


def test_powers() -> None:
    product = (Power(2.0, 0.5) * of_m(-1.0)) ** 2
    assert product.at(9.0) == pytest.approx((2.0 * 3.0 / 9.0) ** 2)
    condition = Condition("2 m^0.5 <= m", Power(2.0, 0.5), of_m(1.0))
    assert (condition.met(3.9), condition.met(4.0)) == (False, True)
    assert condition.from_log10_m == pytest.approx(math.log10(4))
