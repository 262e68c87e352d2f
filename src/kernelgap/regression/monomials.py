"""Lasso over all monomials of signs up to a degree, without ever holding them: millions of features.

Minimise |Phi w - y|^2 / (2n) + penalty |w|_1 over the monomials chi_S(x), |S| <= degree. A solution has few weights
that are not 0. All other monomials satisfy |<chi_S, r>| / n <= penalty with the residual r. So a few monomials are
kept, the problem is solved on them, and monomials that violate this condition are added, until none does: then the
solution is that on all monomials.

Correlations of all monomials come from products of matrices: a monomial of more than HALF coordinates is one of its
first HALF coordinates times one of the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.machine import require_memory
from kernelgap.regression.features import lasso_path

HALF = 4
MOST_DEGREE = 2 * HALF
MOST_ADDED = 200  # monomials at once, those that violate most
SLACK = 1e-3  # of the penalty, by which a correlation may exceed it
SPACING, STEPS = 0.7, 14  # of the path of penalties, from the largest correlation down

Signs = Float[np.ndarray, "n d"]
Monomial = tuple[int, ...]


@dataclass(frozen=True)
class MonomialFit:
    """A solution for one output.

    Attributes
    ----------
    penalty
        Of the l1 norm.
    monomials
        The coordinates of each that was kept.
    weights
        Theirs; of all other monomials they are 0.
    """

    penalty: float
    monomials: tuple[Monomial, ...]
    weights: Float[np.ndarray, " kept"]

    def predict(self, signs: Signs) -> Float[np.ndarray, " n"]:
        if not self.monomials:
            return np.zeros(len(signs))
        return evaluate_monomials(signs, self.monomials) @ self.weights


def count_monomials(d: int, degree: int) -> int:
    """How many products of at most so many different coordinates there are."""
    return sum(comb(d, size) for size in range(degree + 1))


def evaluate_monomials(signs: Signs, monomials: Sequence[Monomial]) -> Float[np.ndarray, "n kept"]:
    """chi_S(x) for each row and monomial."""
    return np.stack([signs[:, list(S)].prod(axis=1) for S in monomials], axis=1)


def monomial_lasso(signs: Signs, y: Float[np.ndarray, " n"], degree: int) -> Iterator[MonomialFit]:
    """Solutions along a path of penalties, from the largest with which anything is learned downwards.

    Parameters
    ----------
    signs
        Inputs of 1 and -1.
    y
        One output.
    degree
        Of the monomials, at most 8.

    Yields
    ------
    MonomialFit
        For each penalty; the caller may stop at any of them.
    """
    if not 1 <= degree <= min(MOST_DEGREE, signs.shape[1]):
        raise InputError(f"The degree of monomials must be from 1 to {MOST_DEGREE} and at most d, not {degree}.")
    if not np.all(np.abs(signs) == 1):
        raise InputError("Monomials are products of signs: every input must be 1 or -1.")
    table = _Monomials(signs, degree)
    largest = table.exceeding(y, 0.0, most=1)
    penalty = largest[0][0] if largest else 0.0
    kept: tuple[Monomial, ...] = ()
    for _ in range(STEPS if largest else 0):
        penalty *= SPACING
        fit = _solve(signs, y, penalty, kept)
        while new := table.violating(fit, signs, y):
            fit = _solve(signs, y, penalty, fit.monomials + new)
        used = fit.weights != 0
        kept = tuple(S for S, each in zip(fit.monomials, used, strict=True) if each)
        yield MonomialFit(penalty, kept, fit.weights[used])


def _solve(signs: Signs, y: Float[np.ndarray, " n"], penalty: float, kept: tuple[Monomial, ...]) -> MonomialFit:
    if not kept:
        return MonomialFit(penalty, (), np.empty(0))
    return MonomialFit(
        penalty, kept, lasso_path(evaluate_monomials(signs, kept), y[:, None], [penalty]).weights[0, :, 0]
    )


class _Monomials:
    """All monomials of up to a degree at the samples, as products of halves."""

    def __init__(self, signs: Signs, degree: int) -> None:
        self.signs, self.degree, self.d = signs.astype(np.float32), degree, signs.shape[1]
        largest = max(comb(self.d, size) for size in range(min(degree, HALF) + 1))
        require_memory(4 * 4 * len(signs) * largest, f"Monomials of {len(signs):,} samples", "Take fewer samples.")

    @cached_property
    def _parts(self) -> list[tuple[list[Monomial], Float[np.ndarray, "n sets"]]]:
        """For each size up to HALF the monomials, in the order of their first coordinates."""
        parts = []
        for size in range(min(self.degree, HALF) + 1):
            sets = list(combinations(range(self.d), size))
            columns = np.ones((len(self.signs), len(sets)), np.float32)
            for place in range(size):
                columns *= self.signs[:, [S[place] for S in sets]]
            parts.append((sets, columns))
        return parts

    def exceeding(self, residual: Float[np.ndarray, " n"], level: float, most: int) -> list[tuple[float, Monomial]]:
        """The monomials whose |<chi, residual>| / n is above a level, at most so many, the largest first."""
        found: list[tuple[float, Monomial]] = []
        for values, name in self._correlations(residual.astype(np.float32) / len(residual)):
            sizes = np.abs(values).ravel()
            above = np.flatnonzero(sizes > level)
            if len(above) > most:
                above = above[np.argpartition(-sizes[above], most)[:most]]
            found += [(float(sizes[place]), name(int(place))) for place in above]
            if len(found) > 4 * most:
                found = sorted(found, reverse=True)[:most]
        return sorted(found, reverse=True)[:most]

    def violating(self, fit: MonomialFit, signs: Signs, y: Float[np.ndarray, " n"]) -> tuple[Monomial, ...]:
        """Monomials that are not kept, and that a solution on all would keep."""
        kept = set(fit.monomials)
        level = fit.penalty * (1 + SLACK)
        found = self.exceeding(y - fit.predict(signs), level, most=MOST_ADDED + len(kept))
        return tuple(S for _, S in found if S not in kept)

    def _correlations(self, residual: Float[np.ndarray, " n"]) -> Iterator[tuple[np.ndarray, "_Name"]]:
        for sets, columns in self._parts:
            yield residual @ columns, _Name([()], sets)
        if self.degree <= HALF:
            return
        heads, of_heads = self._parts[HALF]
        weighted = of_heads * residual[:, None]
        last = np.array([S[-1] for S in heads])
        for end in range(HALF - 1, self.d - 1):
            chosen = np.flatnonzero(last == end)
            first = [heads[i] for i in chosen]
            left = np.ascontiguousarray(weighted[:, chosen].T)
            for size in range(1, self.degree - HALF + 1):
                tails, of_tails = self._parts[size]
                start = len(tails) - comb(self.d - 1 - end, size)  # those beyond ``end`` come last
                if start < len(tails):
                    yield left @ of_tails[:, start:], _Name(first, tails[start:])


@dataclass(frozen=True)
class _Name:
    """The monomials of a table of correlations, by their places in it."""

    heads: list[Monomial]
    tails: list[Monomial]

    def __call__(self, place: int) -> Monomial:
        head, tail = divmod(place, len(self.tails))
        return self.heads[head] + self.tails[tail]
