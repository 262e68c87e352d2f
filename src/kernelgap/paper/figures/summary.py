"""From a table of trials to the best of each method and width, and one sentence."""

import math
import statistics
from typing import Any

import pandas as pd

from kernelgap.paper.figures.picks import BUILT, NETWORKS, OF_NETWORKS, OTHER_KERNELS, group_of, picks_of_seeds
from kernelgap.regression import at_edge

LEARNERS = {NETWORKS: "network", OF_NETWORKS: "kernel", OTHER_KERNELS: "kernel", BUILT: "built"}
SETTINGS = ("rate", "decay", "ridge", "kernel")  # what is searched
MEASURES = ("train_error", "norm")  # of a pick, where the table has them


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """The best trial of each method and width: picked on the test sample, as the paper does, and on validation.

    Parameters
    ----------
    table
        Trials, a row each.

    Returns
    -------
    DataFrame
        A row for each method and width (and for each ``problem`` with its ``beta``, where there are several).
        ``best_on_test`` and ``best_on_validation`` are both test errors: picking on test is optimistic, picking on
        validation is not. Over several seeds the pick is made for each seed and the errors are averaged.
        ``standard_error`` belongs to the pick on validation: from the test points with one seed, from the spread over
        seeds with several. ``train_error`` and ``norm`` (of W, Frobenius) are its means; ``rate``, ``decay``, ``ridge``
        and ``kernel`` are those of that pick, missing where seeds differ or the method has none. ``ridge_at_edge`` says
        whether, for some seed, that ridge is the last of its grid while the error still falls towards it: a smaller or
        larger one may be better. A kernel has no width. ``learner`` is network, kernel or built.
    """
    rows = []
    several = [name for name in ("problem", "beta") if name in table and table.problem.nunique() > 1]
    for (method, width, *problem), trials in table.groupby(["method", "width", *several], sort=False, dropna=False):
        picks = picks_of_seeds(trials, "validation")
        errors = [p.test_error for p in picks]
        rows.append(
            {
                "method": method,
                "learner": LEARNERS[group_of(trials.iloc[0])],
                "width": width,
                **dict(zip(several, problem, strict=True)),
                "best_on_test": _mean([p.test_error for p in picks_of_seeds(trials, "test")]),
                "best_on_validation": _mean(errors),
                "standard_error": _spread(errors) if len(errors) > 1 else picks[0].test_standard_error,
                **{n: _mean([p[n] for p in picks]) for n in MEASURES if n in table},
                **{name: _common([p[name] for p in picks]) for name in SETTINGS},
                "ridge_at_edge": any(_falls_at_edge(p, trials) for p in picks),
                "trials": len(trials),
                "diverged": int((trials.status == "diverged").sum()),
                "unsolved": int((trials.status == "unsolved").sum()),
                "seeds": int(trials.seed.nunique()),
            }
        )
    summary = pd.DataFrame(rows).astype({"width": "Int64", "rate": float, "decay": float, "ridge": float})
    return summary.sort_values(["learner", "method", *several[1:], "width"], key=_order, ignore_index=True)


FLAT = 1e-3  # a relative change of the error that says nothing


def _falls_at_edge(pick: pd.Series, trials: pd.DataFrame) -> bool:
    """Whether the pick's ridge is the last of its grid and the error still falls towards it."""
    path = trials[(trials.seed == pick.seed) & (trials.kernel.fillna("") == (pick.kernel or ""))]
    if at_edge(pick.ridge, trials.ridge.to_numpy()) is None:
        return False
    others = path[path.ridge != pick.ridge]
    if others.empty:
        return True
    nearest = others.loc[(others.ridge.map(math.log) - math.log(pick.ridge)).abs().idxmin()]
    return bool(nearest.validation_error > (1 + FLAT) * pick.validation_error)


def _order(column: pd.Series) -> pd.Series:
    """Networks before kernel methods and what was built, else by name and width."""
    return column.map({"network": 0, "kernel": 1, "built": 2}) if column.name == "learner" else column


def _common(values: list[object]) -> object:
    """The one value that all have, if there is one."""
    return values[0] if len(set(values)) == 1 else None


def _spread(errors: list[float]) -> float:
    """Standard error of a mean over seeds; infinite if a seed has no finite error."""
    return statistics.stdev(errors) / math.sqrt(len(errors)) if all(map(math.isfinite, errors)) else math.inf


def _mean(values: list[float]) -> float:
    return float(sum(values) / len(values))


def best_of_methods(summary: pd.DataFrame, by: str = "best_on_test") -> pd.DataFrame:
    """Each method at its best width.

    Parameters
    ----------
    summary
        Of ``summarise``.
    by
        The column of errors: "best_on_test" or "best_on_validation".
    """
    best = summary.loc[summary.groupby("method", sort=False)[by].idxmin()]
    return best.sort_values(["learner", by], key=_order, ignore_index=True)


def under_threshold(summary: pd.DataFrame, threshold: float, by: str = "best_on_test") -> list[str]:
    """The methods that got under the threshold at some width; solutions that were built do not count.

    Parameters
    ----------
    summary, by
        As in ``best_of_methods``.
    threshold
        The test error to get under.

    Returns
    -------
    list of str
        Their names, sorted.
    """
    return sorted(summary.loc[(summary[by] < threshold) & (summary.learner != "built"), "method"].unique())


def sentence(summary: pd.DataFrame, threshold: float, samples: int, *, base: bool = True) -> str:
    """Which methods learned more than the base signal, if there is one, and how far the others came."""
    best = best_of_methods(summary)
    under = [_named(row) for row in best[(best.best_on_test < threshold) & (best.learner != "built")].itertuples()]
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
        above = these[these.best_on_test >= threshold]
        if len(above):
            other = "other " if len(above) < len(these) else ""
            first += f" Of the {other}{plural} the best was {_named(next(above.itertuples()))}."
    if "beta" in summary:
        first += _over_beta(summary, threshold)
    built = best[best.learner == "built"]
    if len(built):
        first += f" Built, not found by training: {_join([_named(row) for row in built.itertuples()])}."
    return first


def _over_beta(summary: pd.DataFrame, threshold: float) -> str:
    """How strong the base signal had to be."""
    learned = summary[summary.learner == "network"].groupby("beta").best_on_test.min() < threshold
    yes, no = (", ".join(f"{beta:g}" for beta in learned.index[learned == which]) for which in (True, False))
    if not yes:
        return f" No network got under it at beta {no}."
    return f" Networks got under it at beta {yes}" + (f", not at {no}." if no else ".")


def _named(row: Any) -> str:
    place = "" if pd.isna(row.width) else f" at width {row.width}"
    place += f", beta {row.beta:g}" if hasattr(row, "beta") else ""
    return f"{row.method} (test error {row.best_on_test:.3g}{place})"


def _join(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
