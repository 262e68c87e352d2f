r"""The sharp optimum of F functions for targets whose coordinates are renamed at random, base signals not for free.

Output o has h_o = beta chi_B + alpha s chi_S with |B| = b, |S| = k, b different from k, and a sign s; one uniform
permutation of the coordinates renames all sets. All outputs use one space T of F functions, as with one scalar kernel.
Then sum_o E dist(h_o, T)^2 is the trace of Q = sum_o E[h_o h_o'] less what Q has on T. The least is the trace less the
F greatest eigenvalues of Q, and the span of their eigenvectors attains it.

Q commutes with every permutation. Functions of degree b, and those of degree k, split into the irreducible parts
j = 0, 1, ... of the symmetric group, each of dimension C(d,j) - C(d,j-1) and at most once in either degree. So Q is a
2 x 2 matrix on a part that both have, and a number on any other. With r outputs and i_o = |B and S of output o|

.. math:: \begin{pmatrix} r \beta^2/C(d,b) & x_j \\ x_j & r \alpha^2/C(d,k) \end{pmatrix}, \qquad
   x_j = \alpha \beta \sqrt{\frac{C(d-2j,k-j)}{C(d-2j,b-j)}} \sum_o \frac{s_o h_j(i_o)}{C(d,k) C(k,i_o) C(d-k,b-i_o)}.

The whole number h_j(i) says how the matrix that marks the pairs of b-sets and k-sets with i common coordinates acts on
part j (Hahn's polynomials). It takes (x_1 - x_2) ... (x_2j-1 - x_2j) times all monomials of degree b - j in the other
coordinates to h_j(i) times the same with k in place of b:

.. math:: h_j(i) = \sum_r (-1)^r C(j,r)\, C(k-j,i-j+r)\, C(d-k-j,b-i-r).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, isqrt

ROOT_BITS = 400  # of a square root; a risk is rounded down
MOST_PARTS = 1000  # of a degree: more would take minutes


@dataclass(frozen=True)
class Overlap:
    """The sign of an output's composite signal, and how many coordinates it shares with the base signal."""

    sign: int
    shared: int


@dataclass(frozen=True)
class Signals:
    """The degrees of all outputs' base and composite signals; ``base`` is None where there are no base signals."""

    base: int | None
    composite: int
    overlaps: tuple[Overlap, ...]

    @property
    def outputs(self) -> int:
        return len(self.overlaps)


def least_risk(d: int, signals: Signals, alpha: Fraction, beta: Fraction, functions: int) -> Fraction:
    """The least mean risk of so many functions, summed over outputs; rounded down by less than 2^-300."""
    left, captured = functions, Fraction(0)
    for value, count in eigenvalues(d, signals, alpha, beta):
        taken = min(left, count)
        captured += taken * value
        left -= taken
    whole = signals.outputs * (alpha**2 + (beta**2 if signals.base is not None else 0))
    return max(Fraction(0), whole - captured)


def eigenvalues(d: int, signals: Signals, alpha: Fraction, beta: Fraction) -> list[tuple[Fraction, int]]:
    """Those of Q with their multiplicities, the greatest first; roots that are not rational are rounded up."""
    k, b = signals.composite, signals.base
    q = signals.outputs * alpha**2 / comb(d, k)
    if b is None or not beta:
        return [(q, comb(d, k))]
    p, found = signals.outputs * beta**2 / comb(d, b), []
    of_base, of_composite = (min(degree, d - degree) for degree in (b, k))  # the last part of each
    for j in range(max(of_base, of_composite) + 1):
        count = comb(d, j) - (comb(d, j - 1) if j else 0)
        if j > of_base or j > of_composite:
            found.append((p if j <= of_base else q, count))
            continue
        low, high = _root((p - q) ** 2 + 4 * squared_coupling(d, b, signals, alpha * beta, j))
        found += [((p + q + high) / 2, count), ((p + q - low) / 2, count)]
    return sorted(found, reverse=True)


def squared_coupling(d: int, b: int, signals: Signals, product: Fraction, j: int) -> Fraction:
    """x_j^2."""
    k, total = signals.composite, Fraction(0)
    for overlap in set(signals.overlaps):
        i = overlap.shared
        pairs = comb(d, k) * comb(k, i) * comb(d - k, b - i)
        total += signals.overlaps.count(overlap) * overlap.sign * Fraction(hahn(d, b, k, i, j), pairs)
    return (product * total) ** 2 * Fraction(comb(d - 2 * j, k - j), comb(d - 2 * j, b - j))


def hahn(d: int, b: int, k: int, shared: int, j: int) -> int:
    """h_j(i)."""
    return sum(
        (-1) ** r * comb(j, r) * _comb(k - j, shared - j + r) * _comb(d - k - j, b - shared - r) for r in range(j + 1)
    )


def _comb(n: int, k: int) -> int:
    return comb(n, k) if 0 <= k <= n else 0


def _root(value: Fraction) -> tuple[Fraction, Fraction]:
    """Between which numbers a square root lies: twice the same if it is rational."""
    scaled = value.numerator * value.denominator
    whole = isqrt(scaled)
    if whole * whole == scaled:
        return Fraction(whole, value.denominator), Fraction(whole, value.denominator)
    fine, unit = isqrt(scaled << (2 * ROOT_BITS)), value.denominator << ROOT_BITS
    return Fraction(fine, unit), Fraction(fine + 1, unit)
