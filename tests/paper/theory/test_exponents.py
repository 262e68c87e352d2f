import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.paper.theory.exponents import fit_exponent


def test_a_power_is_found_exactly() -> None:
    x = np.array([10.0, 20.0, 50.0, 100.0])
    fit = fit_exponent(x, 3 * x**-1.5)
    assert fit.value == pytest.approx(-1.5, abs=1e-12)
    assert fit.constant == pytest.approx(3)
    assert fit.high - fit.low < 1e-10


def test_the_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    x = 2.0 ** np.arange(5, 11)
    covered = 0
    for _ in range(400):
        fit = fit_exponent(x, x[:, None] ** 0.7 * np.exp(0.3 * rng.standard_normal((6, 3))))
        covered += fit.low <= 0.7 <= fit.high
    assert 0.91 <= covered / 400 <= 0.98


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2], [1, 2]), ([1, 2, 3], [1, 0, 2]), ([1, 2, 3], [1, np.inf, 2]), ([1, 2, 3], [1, 2])]
)
def test_what_has_no_exponent_is_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(InputError):
        fit_exponent(x, np.array(y, dtype=float))
