"""Targets of one family as index sets, in a form that many of them can be judged at once."""

from dataclasses import dataclass
from itertools import combinations, groupby
from math import comb

import numpy as np
from jaxtyping import Float, Int

from kernelgap.certificates.floors.family import family_of
from kernelgap.errors import InputError
from kernelgap.problems import FourierProblem, ParityProblem
from kernelgap.problems.fourier import symmetric_difference
from kernelgap.problems.problem import Seed

MOST_TARGETS = 2_000_000


@dataclass(frozen=True)
class Targets:
    """Output j of target t is beta chi_B + alpha sign_j chi_S: B is bases[base_of[t, j]], S composites[t, which[j]]."""

    bases: tuple[Int[np.ndarray, " _"], ...]
    base_of: Int[np.ndarray, "targets outputs"]
    composites: tuple[Int[np.ndarray, "targets _"], ...]  # rising; one array for each different composite signal
    which: Int[np.ndarray, " outputs"]
    signs: Int[np.ndarray, " outputs"]
    coincide: Float[np.ndarray, " outputs"]  # 1 where B = S
    alpha: float
    beta: float
    all: bool  # every target of the family, once

    def __len__(self) -> int:
        return len(self.base_of)

    @property
    def outputs(self) -> int:
        return len(self.which)

    @property
    def base_groups(self) -> tuple[Int[np.ndarray, "_ _"], ...]:
        """The bases, which are listed by size, one array for each size."""
        return tuple(np.array(list(group)) for _, group in groupby(self.bases, key=len))

    @property
    def sets(self) -> tuple[Int[np.ndarray, "_ _"], ...]:
        """All index sets."""
        return (*self.base_groups, *self.composites)

    def energies(self, above: int) -> Float[np.ndarray, " outputs"]:
        """|H_j|^2 of its parities of degree > above, for each output."""
        base = np.array([len(self.bases[i]) > above for i in self.base_of[0]], dtype=float)
        composite = np.array([self.composites[i].shape[1] > above for i in self.which], dtype=float)
        cross = 2 * self.alpha * self.beta * self.signs * self.coincide
        return self.beta**2 * base + self.alpha**2 * composite + cross * base

    @property
    def size(self) -> float:
        """What rounding of a risk is relative to."""
        return float(self.energies(-1).sum())


@dataclass(frozen=True)
class OneTarget:
    """A single target: output j is the sum of all parities, in the order of ``sets``, with column j of the weights."""

    sets: tuple[Int[np.ndarray, "_ _"], ...]  # one array for each size, rising
    weights: Float[np.ndarray, "sets outputs"]

    def __len__(self) -> int:
        return 1

    def energies(self, above: int) -> Float[np.ndarray, " outputs"]:
        """|H_j|^2 of its parities of degree > above, for each output."""
        degrees = np.concatenate([np.full(len(sets), sets.shape[1]) for sets in self.sets])
        return np.asarray((self.weights[degrees > above] ** 2).sum(axis=0))

    @property
    def size(self) -> float:
        """What rounding of a risk is relative to: the sums of many terms cancel."""
        return float((np.abs(self.weights).sum(axis=0) ** 2).sum())


def own_target(problem: FourierProblem) -> Targets | OneTarget:
    """The problem's own target."""
    if not isinstance(problem, ParityProblem):
        target = problem.target_fourier  # its sets are listed by size
        sets = (np.array(list(group), dtype=int) for _, group in groupby(target.index_sets, key=len))
        return OneTarget(tuple(sets), target.coefficients)
    return _renamed(problem, np.arange(problem.d1)[None, :], every=False)


def random_targets(problem: ParityProblem, count: int, seed: Seed) -> Targets:
    """Targets drawn from the family: the coordinates renamed at random."""
    family_of(problem)  # refuses what has no family
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"The number of targets must be a whole number of at least 1, not {count!r}.")
    rng = np.random.default_rng(seed)
    return _renamed(problem, np.array([rng.permutation(problem.d1) for _ in range(count)]), every=False)


def all_targets(problem: ParityProblem) -> Targets | None:
    """Every target of the family, or None where they are too many, or not told apart by the composite signal."""
    family_of(problem)
    sets = {tuple(sorted(symmetric_difference([problem.base_sets[i] for i in c]))) for c in problem.composite_sets}
    if len(sets) > 1 or comb(problem.d1, len(min(sets))) > MOST_TARGETS:
        return None
    composite = min(sets)
    if sorted(problem.base_sets) != sorted((i,) for i in composite) or len(set(problem.composite_signs)) > 1:
        return None
    others = [i for i in range(problem.d1) if i not in composite]
    order = [*composite, *others]
    # renaming composite[i] to the i-th member of each set; what the others are called does not matter
    chosen = np.array(list(combinations(range(problem.d1), len(composite))))
    names = np.zeros((len(chosen), problem.d1), dtype=int)
    names[:, order[: len(composite)]] = chosen
    return _renamed(problem, names, every=True)


def _unique_rows(
    rows: Int[np.ndarray, "rows size"], below: int
) -> tuple[Int[np.ndarray, "unique size"], Int[np.ndarray, " rows"]]:
    """The different rows of numbers under ``below``, in order, and which of them each row is."""
    size = rows.shape[1]
    if below**size >= 2**62:
        unique, inverse = np.unique(rows, axis=0, return_inverse=True)
        return unique, inverse.reshape(-1)
    # a row as one number in base ``below``: sorting numbers is much faster than sorting rows
    digits = below ** np.arange(size - 1, -1, -1, dtype=np.int64)
    numbers, inverse = np.unique(rows @ digits, return_inverse=True)
    return numbers[:, None] // digits % below, inverse


def _renamed(problem: ParityProblem, names: Int[np.ndarray, "targets d1"], every: bool) -> Targets:
    """The problem with coordinate i called names[t, i]."""
    sets = [symmetric_difference([problem.base_sets[i] for i in c]) for c in problem.composite_sets]
    different = sorted(set(sets))
    renamed = [np.sort(names[:, list(s)], axis=1) for s in problem.base_sets]
    bases: list[np.ndarray] = []
    base_of = np.empty((len(names), len(renamed)), dtype=int)
    for size in sorted({r.shape[1] for r in renamed}):
        outputs = [j for j, r in enumerate(renamed) if r.shape[1] == size]
        stacked = np.concatenate([renamed[j] for j in outputs])
        unique, inverse = _unique_rows(stacked, names.shape[1])
        base_of[:, outputs] = inverse.reshape(len(outputs), len(names)).T + len(bases)
        bases.extend(unique)
    return Targets(
        bases=tuple(bases),
        base_of=base_of,
        composites=tuple(np.sort(names[:, list(s)], axis=1) for s in different),
        which=np.array([different.index(s) for s in sets]),
        signs=np.array(problem.composite_signs),
        coincide=np.array([float(tuple(sorted(b)) == tuple(s)) for b, s in zip(problem.base_sets, sets, strict=True)]),
        alpha=float(problem.alpha),
        beta=float(problem.beta),
        all=every,
    )
