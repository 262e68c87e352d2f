"""Krawtchouk polynomials, in whole numbers: K_k(i) = sum over the sets S of size k of chi_S(x) chi_S(z).

x and z are points of {-1,1}^d that differ in i coordinates.
"""

from collections.abc import Iterator
from math import comb


def krawtchouk_rows(d: int) -> Iterator[list[int]]:
    """For k = 0, 1, ... d the values K_k(0), ... K_k(d), exactly, by (k+1) K_k+1 = (d - 2i) K_k - (d - k + 1) K_k-1."""
    before, row = [0] * (d + 1), [1] * (d + 1)
    for k in range(d + 1):
        yield row
        before, row = row, [((d - 2 * i) * row[i] - (d - k + 1) * before[i]) // (k + 1) for i in range(d + 1)]


def points_at(d: int) -> list[int]:
    """How many points of the cube differ from a given one in 0, ... d coordinates."""
    return [comb(d, i) for i in range(d + 1)]
