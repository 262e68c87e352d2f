"""From a table of trials to the best of each method and width, and one sentence."""

import json
import math
import statistics
from pathlib import Path

import pandas as pd

from kernelgap.errors import InputError


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """The best trial of each method and width: picked on the test sample, as the paper does, and on validation.

    Both columns of errors are test errors. Picking on test is optimistic, picking on validation is not. Over several
    seeds the pick is made for each seed and the errors are averaged. ``standard_error`` belongs to the pick on
    validation: from the test points with one seed, from the spread over seeds with several. ``rate`` and ``decay`` are
    those of that pick, NaN where seeds differ.
    """
    rows = []
    for (method, width), trials in table.groupby(["method", "width"], sort=False):
        picks = {
            by: [group.loc[group[column].idxmin()] for _, group in trials.groupby("seed")]
            for by, column in {"test": "test_error", "validation": "validation_error"}.items()
        }
        errors = [p.test_error for p in picks["validation"]]
        rates, decays = ({float(p[name]) for p in picks["validation"]} for name in ("rate", "decay"))
        rows.append(
            {
                "method": method,
                "width": int(width),
                "best_on_test": _mean([p.test_error for p in picks["test"]]),
                "best_on_validation": _mean(errors),
                "standard_error": _spread(errors) if len(errors) > 1 else picks["validation"][0].test_standard_error,
                "rate": rates.pop() if len(rates) == 1 else math.nan,
                "decay": decays.pop() if len(decays) == 1 else math.nan,
                "trials": len(trials),
                "diverged": int((trials.status == "diverged").sum()),
                "seeds": int(trials.seed.nunique()),
            }
        )
    return pd.DataFrame(rows).sort_values(["method", "width"], ignore_index=True)


def _spread(errors: list[float]) -> float:
    """Standard error of a mean over seeds; infinite if a seed has no finite error."""
    return statistics.stdev(errors) / math.sqrt(len(errors)) if all(map(math.isfinite, errors)) else math.inf


def _mean(values: list[float]) -> float:
    return float(sum(values) / len(values))


def under_threshold(summary: pd.DataFrame, threshold: float, by: str = "best_on_test") -> list[str]:
    """The methods that got under the threshold at some width."""
    return sorted(summary.loc[summary[by] < threshold, "method"].unique())


def sentence(summary: pd.DataFrame, threshold: float, samples: int) -> str:
    """Which methods learned more than the base signal."""
    methods = sorted(summary.method.unique())
    under = under_threshold(summary, threshold)
    line = f"the threshold {threshold:.4g} with {samples} samples"
    if not under:
        return f"No method got under {line}: none learned anything of the composite signal alpha G(F)."
    best = [
        f"{m} (test error {b.best_on_test:.3g} at width {b.width})"
        for m in under
        for b in [summary.loc[summary[summary.method == m].best_on_test.idxmin()]]
    ]
    others = [m for m in methods if m not in under]
    rest = f"; {_join(others)} did not" if others else ""
    return f"{_join(best)} got under {line}{rest}."


def _join(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def as_record(table: pd.DataFrame) -> dict[str, object]:
    """The results as plain values for JSON; an infinite error (every trial diverged) becomes null."""
    summary = summarise(table)
    attrs = table.attrs
    keys = ("experiment", "scale", "seed", "problem", "samples", "threshold", "folder")
    return {
        **{key: attrs[key] for key in keys},
        "rows": [{k: _finite(v) for k, v in row.items()} for row in summary.to_dict("records")],
        "under_threshold": {
            "picked_on_test": under_threshold(summary, attrs["threshold"]),
            "picked_on_validation": under_threshold(summary, attrs["threshold"], by="best_on_validation"),
        },
        "sentence": sentence(summary, attrs["threshold"], attrs["samples"]),
    }


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_results(table: pd.DataFrame, folder: str | Path) -> list[Path]:
    """Exports beside the run's own file: every trial as CSV and Parquet, the summary as CSV and JSON."""
    folder = Path(folder)
    paths = [folder / name for name in ("trials.csv", "trials.parquet", "summary.csv", "summary.json")]
    plain = table.copy()
    plain.attrs = {}
    try:
        plain.drop(columns="curves").to_csv(paths[0], index=False)
        plain.to_parquet(paths[1], index=False)
        summarise(table).to_csv(paths[2], index=False)
        paths[3].write_text(json.dumps(as_record(table), indent=2, allow_nan=False) + "\n")
    except OSError as error:
        raise InputError(f"The tables could not be written to '{folder}': {error.strerror}.") from None
    return paths
