"""Values read off the paper's figures, and points beside them."""

import pytest

from kernelgap.paper.figures.paper_values import beside


@pytest.mark.parametrize(
    ("median", "least", "greatest", "where"),
    [
        (0.02, 0.018, 0.022, "about"),
        (0.029, 0.028, 0.2, "about"),  # the median within a factor of 1.5
        (0.1, 0.019, 0.2, "about"),  # the value within the range
        (0.9, 0.025, 1.3, "above"),  # one lucky seed
        (0.1, 0.031, 0.2, "above"),
        (0.01, 0.001, 0.013, "below"),
        (float("inf"), 0.1, float("inf"), "above"),
    ],
)
def test_a_value_read_off_a_figure_is_right_to_a_factor(median, least, greatest, where):
    assert beside(0.02, median, least, greatest) == where
