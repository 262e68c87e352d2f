"""Streams of random numbers by their purpose."""

import itertools

import numpy as np

from kernelgap.seeds import stream

PURPOSES = [(), ("rows",), ("test split",), ("validation split",), ("bootstrap",), ("fold", 0), ("fold", 1), (0,), (1,)]


def test_no_two_purposes_share_a_stream():
    drawn = [stream(0, *purpose).integers(2**63, size=4) for purpose in PURPOSES]
    for one, other in itertools.combinations(drawn, 2):
        assert not set(one) & set(other)


def test_a_stream_is_that_of_its_seed():
    assert np.array_equal(stream(3, "rows").permutation(9), stream(3, "rows").permutation(9))
    assert not np.array_equal(stream(3, "rows").permutation(99), stream(4, "rows").permutation(99))
