"""Numbers as a person reads them."""

import math

from kernelgap.audit.statistics.wording import between, less


def test_ratios_and_intervals():
    assert less(12.3) == "12.3 times less"
    assert less(1.25) == "20% less"
    assert between(1, 2000) == "95% interval 1 to 2,000"
    assert between(300, math.inf) == "95% interval from 300 on, without an upper end"
