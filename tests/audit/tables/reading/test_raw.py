"""Files larger than the memory: a uniform sample, the same for a seed."""

import numpy as np
import pandas as pd
import pytest

from kernelgap import InputError
from kernelgap.audit.tables.reading import raw
from kernelgap.audit.tables.reading.raw import Reservoir
from kernelgap.audit.tables.reading.read import read_table


def drawn(n: int, rows: int | None, seed: int, piece: int) -> list[int]:
    reservoir = Reservoir(seed=seed, rows=rows)
    for start in range(0, n, piece):
        reservoir.add(pd.DataFrame({"i": range(start, min(n, start + piece))}))
    sample = reservoir.sample()
    assert sample.index.tolist() == sample["i"].tolist()
    assert reservoir.sampled == (rows is not None and n > rows)
    return sample["i"].tolist()


def test_the_sample_depends_on_the_seed_and_not_on_the_pieces():
    once = drawn(1000, 50, 3, 1000)
    assert len(once) == 50
    assert once == sorted(once)
    assert once == drawn(1000, 50, 3, 7) == drawn(1000, 50, 3, 64)
    assert once != drawn(1000, 50, 4, 1000)


@pytest.mark.parametrize("rows", [None, 100, 101])
def test_what_fits_is_kept_whole(rows):
    assert drawn(100, rows, 0, 9) == list(range(100))


def test_each_row_is_as_likely_as_any_other():
    n, rows, draws = 40, 10, 500
    counts = np.zeros(n)
    for seed in range(draws):
        counts[drawn(n, rows, seed, 15)] += 1
    # chi-square with n - 1 = 39 degrees of freedom, corrected for drawing without replacement
    p = rows / n
    statistic = ((counts - draws * p) ** 2).sum() / (draws * p * (1 - p)) * (n - 1) / n
    assert 15 < statistic < 75


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "npz"])
def test_files_that_do_not_fit_are_sampled_with_a_notice(tmp_path, rng, ending, monkeypatch):
    monkeypatch.setattr("kernelgap.audit.tables.reading.binary.BATCH", 512)
    monkeypatch.setattr("kernelgap.audit.tables.reading.text.PIECE", 2**14)
    path = tmp_path / f"t.{ending}"
    frame = pd.DataFrame({"x0": np.arange(5000.0), "y": rng.normal(size=5000)})
    if ending == "npz":
        np.savez(path, X=frame[["x0"]], y=frame["y"])
    elif ending == "csv":
        frame.to_csv(path, index=False)
    else:
        (frame.to_parquet if ending == "parquet" else frame.to_feather)(path)
    whole = read_table(path, seed=0)
    assert len(whole.frame) == 5000
    assert whole.notices == ()
    monkeypatch.setattr(raw, "available_memory", lambda: 2**17)
    table = read_table(path, seed=0)
    # a cell takes 8 bytes as a number, less than 80 as a Python string; rounding to a power of two halves at most
    assert 2**17 / raw.SHARE / 160 / 2 < len(table.frame) <= 2**17 / raw.SHARE / 16
    assert np.log2(len(table.frame)) % 1 == 0
    assert table.file_rows == 5000
    assert table.notices[0].what == "sampled"
    assert "5,000 rows" in table.notices[0].sentence
    assert table.frame["x0"].tolist() == table.frame.index.tolist()
    pd.testing.assert_frame_equal(table.frame, whole.frame.loc[table.frame.index])
    pd.testing.assert_frame_equal(table.frame, read_table(path, seed=0).frame)
    assert table.frame.index.tolist() != read_table(path, seed=1).frame.index.tolist()


def test_impossible_sizes_and_seeds():
    with pytest.raises(InputError, match="rows must be at least 1"):
        Reservoir(seed=0, rows=0)
    with pytest.raises(InputError, match="seed must not be negative"):
        Reservoir(seed=-1)
