"""Splits of the rows: a test part that is used for nothing else, and nested samples of the pool."""

import numpy as np
from jaxtyping import Bool, Int

from kernelgap.errors import InputError
from kernelgap.seeds import stream

TEST = 0.2  # of all rows
FOLDS = 5  # of the pool: with seed s the fold s, counted round, is for choosing
MOST_TEST, MOST_VALIDATION = 10_000, 5_000
LEAST_GROUPS = 6  # one to test on, and one for each fold

Places = Int[np.ndarray, " _"]


def put_aside(
    count: int, classes: np.ndarray | None, *, seed: int, groups: Places | None = None, times: np.ndarray | None = None
) -> tuple[Places, Places]:
    """(pool, test): places of rows, classes spread evenly over both.

    Of ``groups``, the numbers of groups that belong together, whole ones are put aside; by ``times`` the
    latest rows are.
    """
    size = min(round(TEST * count), MOST_TEST)
    if times is not None:
        return _before_and_after(times, size)
    if groups is not None:
        apart = _whole_groups(groups, size, stream(seed, "test rows"))
        return np.flatnonzero(~apart), np.flatnonzero(apart)
    shuffled = spread_evenly(count, classes, stream(seed, "test rows"))
    return np.sort(shuffled[size:]), np.sort(shuffled[:size])


def _before_and_after(times: np.ndarray, size: int) -> tuple[Places, Places]:
    """All rows before a time, and those from then on: about ``size``, of which there may be more at one time."""
    start = np.sort(times)[len(times) - size]
    after = times >= start
    if after.all() or not after.any():
        raise InputError("The column of times has too few different values to put the latest rows aside.")
    return np.flatnonzero(~after), np.flatnonzero(after)


def _whole_groups(groups: Places, size: int, rng: np.random.Generator) -> Bool[np.ndarray, " _"]:
    """The rows of whole groups, in random order, as long as they are no more than ``size``; of one at least."""
    counts = np.bincount(groups)
    order = rng.permutation(np.flatnonzero(counts))
    if len(order) < LEAST_GROUPS:
        raise InputError(f"There are {len(order)} groups: at least {LEAST_GROUPS} are needed to learn and to test.")
    taken: list[int] = []
    for group in order:
        if counts[[*taken, group]].sum() <= size:
            taken.append(int(group))
    return np.isin(groups, taken or [order[np.argmin(counts[order])]])


def sample_rows(
    count: int,
    classes: np.ndarray | None,
    *,
    samples: int,
    seed: int,
    groups: Places | None = None,
    times: np.ndarray | None = None,
) -> tuple[Places, Places]:
    """(training, validation) of a sample of the pool's rows: a fifth of it is for choosing.

    A smaller sample with the same seed is a part of a larger one. Those for choosing come from another fold with each
    seed: in the largest sample, which is the pool, five seeds make five folds. Groups are whole in each fold; by
    ``times`` the latest fifth is for choosing, with every seed.
    """
    drawn = spread_evenly(count, classes, stream(seed, "sample"))
    if times is not None:
        choosing = np.zeros(count, dtype=bool)
        choosing[_before_and_after(times, max(1, count // FOLDS))[1]] = True
    else:
        fold = _folds(count, classes) if groups is None else _folds_of_groups(groups)
        choosing = fold == seed % FOLDS
    chosen_by, learned_from = drawn[choosing[drawn]], drawn[~choosing[drawn]]
    size = min(len(chosen_by), round(samples / FOLDS), MOST_VALIDATION)
    return np.sort(learned_from[: samples - size]), np.sort(chosen_by[:size])


def _folds_of_groups(groups: Places) -> Places:
    """The fold of each row, the same for all seeds: groups, the largest first, go to the fold with the fewest rows."""
    fold, filled = np.zeros(int(groups.max()) + 1, dtype=int), np.zeros(FOLDS)
    counts = np.bincount(groups)
    for group in np.argsort(-counts, kind="stable"):
        fold[group] = np.argmin(filled)
        filled[fold[group]] += counts[group]
    return fold[groups]


def _folds(count: int, classes: np.ndarray | None) -> Places:
    """The fold of each row, the same for all seeds: the rows of a class, however few, are dealt out in turn."""
    order = stream(0, "folds").permutation(count)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(count, dtype=int)
    fold[order] = np.arange(count) % FOLDS
    return fold


def spread_evenly(count: int, classes: np.ndarray | None, rng: np.random.Generator) -> Places:
    """A random order. With classes, each stretch of it has about as large a share of each class as the whole.

    The rows of a class, in random order, stand at even distances: the i-th of n at (i + 1/2) / n.
    """
    order = rng.permutation(count)
    if classes is None:
        return order
    places = np.empty(count)
    for name in np.unique(classes):
        rows = order[classes[order] == name]
        places[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return order[np.argsort(places[order], kind="stable")]
