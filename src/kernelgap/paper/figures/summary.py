"""From a table of trials to a point for each method and width: the median over seeds, with its range; one sentence."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

import pandas as pd

from kernelgap.paper.figures.edges import edges_of
from kernelgap.paper.figures.picks import (
    BUILT,
    NETWORKS,
    OF_NETWORKS,
    OTHER_KERNELS,
    SETTINGS,
    group_of,
    judged_trials,
    pick_over_seeds,
    search_trials,
)

LEARNERS = {NETWORKS: "network", OF_NETWORKS: "kernel", OTHER_KERNELS: "kernel", BUILT: "built"}
BY_SGD = ", SGD)"  # ends the name of a kernel method that was trained
MEASURES = ("train_error", "norm")  # of a pick, where the table has them


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """A point for each method and width: one setting, and the test errors of all seeds with it.

    Parameters
    ----------
    table
        Trials, a row each. Where it has a ``stage``, only those that are judged count; those of a search do not.

    Returns
    -------
    DataFrame
        A row for each method and width (and for each ``problem`` with its ``beta``, where there are several; solutions
        that were built have one for each decay, since that is another norm). The setting is the one with the least mean
        validation error over seeds: ``rate``, ``decay``, ``ridge`` and ``kernel``, missing where the method has none;
        ``validation_error`` is that mean. ``median``, ``mean``, ``least`` and ``greatest`` are of its test errors over
        ``seeds`` seeds, and ``standard_error`` is that of the mean: from the spread over seeds, from the test points
        with a single one. ``train_error`` and ``norm`` (of W, Frobenius) are medians. ``best_on_validation`` is the
        median once more; ``best_on_test`` is the median where the setting is picked by the mean test error, as the
        paper does, which is optimistic. ``edges`` names the numbers of the setting that are the last ones tried while
        the error falls towards them, such as "largest rate": one beyond may be better. A kernel has no width.
        ``learner`` is network, kernel or built.
    """
    counted, searching = judged_trials(table), search_trials(table)
    several = [name for name in ("problem", "beta") if name in table and table.problem.nunique() > 1]
    keys = ["method", "width", *several]
    apart = counted.assign(one_norm=counted.decay.where(counted.kind == "built"))
    paths = {_hashable(key): trials for key, trials in searching.groupby(keys, sort=False, dropna=False)}
    rows = []
    for key, trials in apart.groupby([*keys, "one_norm"], sort=False, dropna=False):
        values = dict(zip(keys, key, strict=False))
        path = paths.get(_hashable(key[:-1]), trials)
        rows.append({"method": key[0], "learner": LEARNERS[group_of(trials.iloc[0])], **values, **_point(trials, path)})
    summary = pd.DataFrame(rows).astype({"width": "Int64", "rate": float, "decay": float, "ridge": float})
    return summary.sort_values(["learner", "method", *several[1:], "width"], key=_order, ignore_index=True)


def _point(trials: pd.DataFrame, path: pd.DataFrame) -> dict[str, object]:
    """What a row of the summary says of the trials of one method at one place, whose settings were searched in path."""
    picked = pick_over_seeds(trials, "validation")
    errors = [float(error) for error in picked.test_error]
    median = statistics.median(errors)
    return {
        "best_on_test": statistics.median(map(float, pick_over_seeds(trials, "test").test_error)),
        "best_on_validation": median,
        "validation_error": statistics.fmean(map(float, picked.validation_error)),
        "mean": statistics.fmean(errors),
        "median": median,
        "least": min(errors),
        "greatest": max(errors),
        "standard_error": _spread(errors) if len(errors) > 1 else float(picked.test_standard_error.iloc[0]),
        "seeds": len(errors),
        **{name: float(picked[name].astype(float).median()) for name in MEASURES if name in trials},
        **{name: picked[name].iloc[0] for name in SETTINGS},
        "edges": ", ".join(edges_of(picked.iloc[0], path)),
        "trials": len(trials),
        "diverged": int((trials.status == "diverged").sum()),
        "unsolved": int((trials.status == "unsolved").sum()),
    }


def _hashable(key: Sequence[Any]) -> tuple[Any, ...]:
    """A key of a group; what is missing equals itself."""
    return tuple(None if pd.isna(value) else value for value in key)


def _order(column: pd.Series) -> pd.Series:
    """Networks before kernel methods and what was built, else by name and width."""
    return column.map({"network": 0, "kernel": 1, "built": 2}) if column.name == "learner" else column


def _spread(errors: list[float]) -> float:
    """Standard error of a mean over seeds; infinite if a seed has no finite error."""
    return statistics.stdev(errors) / math.sqrt(len(errors)) if all(map(math.isfinite, errors)) else math.inf


def best_of_methods(summary: pd.DataFrame, by: str = "best_on_validation") -> pd.DataFrame:
    """Each method at its best width.

    Parameters
    ----------
    summary
        Of ``summarise``.
    by
        "best_on_validation": the width has the least mean validation error; "best_on_test": the least median test
        error where settings are picked on the test sample as well. The methods are sorted by that column.
    """
    chosen_by = "validation_error" if by == "best_on_validation" else by
    best = summary.loc[summary.groupby("method", sort=False)[chosen_by].idxmin()]
    return best.sort_values(["learner", by], key=_order, ignore_index=True)


def under_threshold(summary: pd.DataFrame, threshold: float, by: str = "best_on_validation") -> list[str]:
    """The methods whose median got under the threshold at some width; solutions that were built do not count.

    Parameters
    ----------
    summary
        Of ``summarise``.
    threshold
        The test error to get under.
    by
        The column of medians: "best_on_validation" or "best_on_test".

    Returns
    -------
    list of str
        Their names, sorted.
    """
    return sorted(summary.loc[(summary[by] < threshold) & (summary.learner != "built"), "method"].unique())


def seeds_of(summary: pd.DataFrame) -> str:
    """How many seeds the points have: "one start", "medians over 5 seeds", "medians over 3 to 5 seeds"."""
    least, most = int(summary.seeds.min()), int(summary.seeds.max())
    if most == 1:
        return "one start"
    return f"medians over {least if least == most else f'{least} to {most}'} seeds"


def sentence(summary: pd.DataFrame, threshold: float, samples: int, *, base: bool = True) -> str:
    """Which methods learned more than the base signal, if there is one, and how far the others came."""
    best = best_of_methods(summary)
    under = [_format_method(row) for row in best[(best["median"] < threshold) & (best.learner != "built")].itertuples()]
    line = f"the threshold {threshold:.4g} with {samples} samples"
    first = (
        f"{_join(under)} got under {line}."
        if under
        else f"No method got under {line}: none learned anything of the composite signal alpha G(F)."
        if base
        else f"No method got under {line}, which is what learning nothing leaves."
    )
    for learner, plural in {"network": "networks", "kernel": "kernel methods"}.items():
        these = best[best.learner == learner]
        above = these[these["median"] >= threshold]
        if len(above):
            other = "other " if len(above) < len(these) else ""
            first += f" Of the {other}{plural} the best was {_format_method(next(above.itertuples()))}."
    if "beta" in summary:
        first += _over_beta(summary, threshold)
    built = best[best.learner == "built"]
    if len(built):
        first += f" Built, not found by training: {_join([_format_method(row) for row in built.itertuples()])}."
    return f"{first}{_beside_exact(summary)} Settings are picked on validation."


def _beside_exact(summary: pd.DataFrame) -> str:
    """How far (last) and (NTK) trained by SGD are from the exact solutions of the same networks."""
    names = ["method", *(name for name in ("width", "beta") if name in summary)]
    medians = {_hashable(key): median for *key, median in summary[[*names, "median"]].itertuples(index=False)}
    ratios = {
        key: median / exact
        for key, median in medians.items()
        if key[0].endswith(BY_SGD) and (exact := medians.get((key[0].replace(BY_SGD, ")"), *key[1:])))
    }
    if not ratios:
        return ""
    most = max(ratios, key=lambda key: ratios[key])
    where = ", ".join(f"{name} {value:g}" for name, value in zip(names[1:], most[1:], strict=True))
    return (
        f" Trained by SGD, (last) and (NTK) have {min(ratios.values()):.3g} to {ratios[most]:.3g} times the test error "
        f"of the exact solutions at {len(ratios)} points, the most at {most[0].replace(BY_SGD, ')')}, {where}."
    )


def _over_beta(summary: pd.DataFrame, threshold: float) -> str:
    """How strong the base signal had to be."""
    learned = summary[summary.learner == "network"].groupby("beta")["median"].min() < threshold
    yes, no = (", ".join(f"{beta:g}" for beta in learned.index[learned == which]) for which in (True, False))
    if not yes:
        return f" No network got under it at beta {no}."
    return f" Networks got under it at beta {yes}" + (f", not at {no}." if no else ".")


def _format_method(row: Any) -> str:
    where = [] if pd.isna(row.width) else [f"at width {row.width}"]
    where += [f"beta {row.beta:g}"] if hasattr(row, "beta") else []
    return f"{row.method} ({', '.join([*error_over_seeds(row), *where])})"


def error_over_seeds(row: Any) -> tuple[str, str]:
    """A point of the summary in words: its median with the range, or that it is a single start."""
    if row.seeds == 1:
        return f"test error {row.median:.3g}", "one start"
    return f"median test error {row.median:.3g}", f"{row.least:.3g} to {row.greatest:.3g} over {row.seeds} seeds"


def _join(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
