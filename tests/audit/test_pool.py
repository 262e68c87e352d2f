"""A whole table as a pool."""

import numpy as np
import pytest

from kernelgap.audit.pool import pool_of_table


def test_classes_are_columns_less_their_means():
    X, Y, notices = pool_of_table("sklearn:iris", rows=1000, seed=0)
    assert X.shape == (150, 4)
    assert Y.shape == (150, 3)
    assert np.allclose(Y.mean(axis=0), 0)
    assert set(Y.max(axis=0).round(6)) == {round(2 / 3, 6)}
    assert not notices


@pytest.mark.parametrize("task", [None, "regression"])
def test_numbers_have_variance_1_and_rows_are_drawn_by_seed(task):
    first = pool_of_table("sklearn:diabetes", rows=100, seed=0, task=task)
    assert first.X.shape == (100, 10)
    assert first.Y.std() == pytest.approx(1)
    assert any(notice.what == "sampled" for notice in first.notices)
    assert np.array_equal(first.Y, pool_of_table("sklearn:diabetes", rows=100, seed=0).Y)
    assert not np.array_equal(first.Y, pool_of_table("sklearn:diabetes", rows=100, seed=1).Y)
