"""Speed of choosing a ridge beside scikit-learn, measured in one run.

30 ridges, 15 outputs, a Gaussian kernel in 30 dimensions, 5 folds: ``GridSearchCV`` of ``KernelRidge`` and
``KernelRegressor(selection="folds")`` see the same samples and the same folds, each as one process with all cores. Both
must choose the same ridge and predict the same. Rounds alternate, and medians are reported, since machines are noisy.
The other ways to choose the ridge are timed beside them. Then one given ridge, beside ``KernelRidge`` itself.
"""

import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import contest
from kernelgap import console
from kernelgap.machine import cores

SIZES = (1000, 4000)
AGREE = 1e-8
OURS, THEIRS = "kernelgap, folds", "GridSearchCV, folds"
CONTESTANTS = {
    OURS: ("kernelgap_ridge.py", {"selection": "folds"}),
    THEIRS: ("sklearn_ridge.py", {}),
    "kernelgap, holdout": ("kernelgap_ridge.py", {"selection": "holdout"}),
    "kernelgap, loo": ("kernelgap_ridge.py", {"selection": "loo"}),
    "kernelgap, gcv": ("kernelgap_ridge.py", {"selection": "gcv"}),
}

ONE = 0.1  # the given ridge
ONE_OURS, ONE_THEIRS = "kernelgap, one ridge", "KernelRidge, one ridge"
ONE_RIDGE = {ONE_OURS: ("kernelgap_ridge.py", {"ridge": ONE}), ONE_THEIRS: ("sklearn_ridge.py", {"ridge": ONE})}


def run_size(samples: int, rounds: int, folder: Path, entered: dict, ours: str, theirs: str) -> dict:
    contestants = {
        name: (program, sys.executable, {"samples": samples} | options) for name, (program, options) in entered.items()
    }
    by_contestant = contest.alternate(contestants, rounds, folder, ".npz")
    found = {name: np.load(folder / f"{name}.npz") for name in entered}
    predictions = found[theirs]["predictions"]
    result = {
        "samples": samples,
        "contestants": {
            name: {
                "seconds": statistics.median(r["seconds"] for r in results),
                "memory": max(r["memory"] for r in results),
                "ridge": float(found[name]["ridge"]),
                "difference": float(
                    np.max(np.abs(found[name]["predictions"] - predictions)) / np.max(np.abs(predictions))
                ),
                "rounds": results,
            }
            for name, results in by_contestant.items()
        },
    }
    check(result["contestants"][ours], result["contestants"][theirs])
    return result | {"theirs": theirs}


def check(ours: dict, theirs: dict) -> None:
    if ours["ridge"] != theirs["ridge"]:
        raise SystemExit(f"kernelgap chose the ridge {ours['ridge']:.3g}, scikit-learn {theirs['ridge']:.3g}.")
    if not ours["difference"] < AGREE:
        raise SystemExit(f"The predictions differ by {ours['difference']:.1e} of the largest.")


def rows(results: list[dict]) -> list[dict]:
    return [
        contest.row(
            f"{r['samples']} samples, {name}, to scikit-learn",
            r["contestants"][r["theirs"]]["seconds"] / c["seconds"],
            "ratio",
        )
        for r in results
        for name, c in r["contestants"].items()
        if name != r["theirs"]
    ]


def main() -> None:
    parser = contest.arguments(__doc__, "ridge", rounds=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--one-ridge", action="store_true", help="only the comparison of one given ridge")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = partial(run_size, rounds=options.rounds, folder=Path(folder))
        jobs = {f"{n} samples": partial(run, n, entered=CONTESTANTS, ours=OURS, theirs=THEIRS) for n in options.sizes}
        one = {"entered": ONE_RIDGE, "ours": ONE_OURS, "theirs": ONE_THEIRS}
        if options.one_ridge:
            jobs = {}
        jobs |= {f"{n} samples, one ridge": partial(run, n, **one) for n in options.sizes}
        results = contest.measure_all(jobs, options.out, rows=rows)
    columns = ["samples", "contestant", "seconds", "faster than scikit-learn", "memory MiB", "ridge", "difference"]
    table = [
        [
            f"{r['samples']}" if name in (OURS, ONE_OURS) else "",
            name,
            f"{c['seconds']:.2f}",
            f"{r['contestants'][r['theirs']]['seconds'] / c['seconds']:.1f}x",
            f"{c['memory']:,.0f}",
            f"{c['ridge']:.3g}",
            f"{c['difference']:.0e}",
        ]
        for r in results
        for name, c in r["contestants"].items()
    ]
    title = f"15 outputs on {cores()} cores, median of {options.rounds} rounds"
    console.table(columns, table, title=title, left=2)


if __name__ == "__main__":
    main()
