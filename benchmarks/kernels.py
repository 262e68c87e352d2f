"""Speed of Gram matrices of tangent kernels beside neural-tangents, measured in one run.

Every contestant is one process with all cores. Each round starts a fresh process for each: its first call is cold
(compilation included, imports not), the median of the later ones is warm. Rounds alternate between contestants, and
medians over rounds are reported, since machines are noisy. The matrices are compared in the first round.
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

KERNELS = ("ntk2", "ntk3")
SIZES = {1000: 30, 5000: 100}  # samples, and their dimension
REPEATS = {1000: 15, 5000: 5}
OURS, THEIRS, THEIRS64 = "kernelgap", "neural-tangents, float32", "neural-tangents, float64"
AGREE = 1e-6


def run_matrix(kernel: str, samples: int, peer_python: str, rounds: int, folder: Path) -> dict:
    task = {"kernel": kernel, "samples": samples, "d": SIZES[samples], "repeats": REPEATS[samples]}
    contestants = {
        OURS: ("kernelgap_gram.py", sys.executable, task),
        THEIRS: ("neural_tangents_gram.py", peer_python, task | {"x64": False}),
        THEIRS64: ("neural_tangents_gram.py", peer_python, task | {"x64": True}),
    }
    by_contestant = contest.alternate(contestants, rounds, folder, ".npy")
    grams = {name: np.load(folder / f"{name}.npy") for name in contestants}
    result = {
        "kernel": kernel,
        "samples": samples,
        "d": SIZES[samples],
        "contestants": {
            name: {
                "warm": statistics.median(r["seconds"] for r in results),
                "cold": statistics.median(r["warm_up"] for r in results),
                "start": statistics.median(r["start"] for r in results),
                "memory": max(r["memory"] for r in results),
                "difference": difference(grams[name], grams[OURS]),
                "rounds": results,
            }
            for name, results in by_contestant.items()
        },
    }
    check(result)
    return result


def difference(theirs: np.ndarray, ours: np.ndarray) -> float:
    """The largest |difference| of entries K(x,z), relative to sqrt(K(x,x) K(z,z))."""
    lengths = np.sqrt(np.diagonal(ours))
    return float(np.max(np.abs(theirs - ours) / lengths / lengths[:, None]))


def check(result: dict) -> None:
    found = result["contestants"][THEIRS64]["difference"]
    if not found < AGREE:
        raise SystemExit(f"{result['kernel']}: the two matrices differ by {found:.1e} of their entries' size.")


def rows(results: list[dict]) -> list[dict]:
    return [
        contest.row(
            f"{r['kernel']}, {r['samples']} x {r['d']}, {when}, to {peer}",
            r["contestants"][peer][when] / r["contestants"][OURS][when],
            "ratio",
        )
        for r in results
        for peer in (THEIRS, THEIRS64)
        for when in ("warm", "cold")
    ]


def main() -> None:
    parser = contest.arguments(__doc__, "kernels", rounds=5)
    parser.add_argument("--peer-python", required=True, help="the Python of an environment that has neural-tangents")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), choices=list(SIZES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        jobs = {
            f"{kernel} of {samples} samples": partial(
                run_matrix, kernel, samples, options.peer_python, options.rounds, Path(folder)
            )
            for samples in options.sizes
            for kernel in KERNELS
        }
        results = contest.measure_all(jobs, options.out, rows=rows)
    columns = ["kernel", "contestant", "warm ms", "ratio", "cold ms", "ratio", "start s", "memory MiB", "difference"]
    table = []
    for r in results:
        ours = r["contestants"][OURS]
        for name, c in r["contestants"].items():
            table.append(
                [
                    f"{r['kernel']}, {r['samples']} x {r['d']}" if name == OURS else "",
                    name,
                    f"{1e3 * c['warm']:,.0f}",
                    f"{c['warm'] / ours['warm']:.1f}x",
                    f"{1e3 * c['cold']:,.0f}",
                    f"{c['cold'] / ours['cold']:.1f}x",
                    f"{c['start']:.1f}",
                    f"{c['memory']:,.0f}",
                    f"{c['difference']:.0e}",
                ]
            )
    console.table(columns, table, title=f"Gram matrices on {cores()} cores, median of {options.rounds} rounds", left=2)


if __name__ == "__main__":
    main()
