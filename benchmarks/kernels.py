"""Speed of Gram matrices of tangent kernels beside neural-tangents, measured in one run.

Every contestant is one process with all cores. Each round starts a fresh process for each: its first call is cold
(compilation included, imports not), the median of the later ones is warm. Rounds alternate between contestants, and
medians over rounds are reported, since machines are noisy. The matrices are compared in the first round.
"""

import argparse
import json
import statistics
import sys
import tempfile
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
        OURS: ("kernelgap_gram.py", sys.executable, {}),
        THEIRS: ("neural_tangents_gram.py", peer_python, {"x64": False}),
        THEIRS64: ("neural_tangents_gram.py", peer_python, {"x64": True}),
    }
    told: dict[str, list[dict]] = {name: [] for name in contestants}
    for i in range(rounds):
        for name, (program, python, options) in contestants.items():
            save = str(folder / f"{name}.npy") if i == 0 else ""
            told[name].append(contest.run_one(program, python, task | options | {"save": save}, cores()))
    grams = {name: np.load(folder / f"{name}.npy") for name in contestants}
    return {
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
            for name, results in told.items()
        },
    }


def difference(theirs: np.ndarray, ours: np.ndarray) -> float:
    """The largest |difference| of entries K(x,z), relative to sqrt(K(x,x) K(z,z))."""
    lengths = np.sqrt(np.diagonal(ours))
    return float(np.max(np.abs(theirs - ours) / lengths / lengths[:, None]))


def check(result: dict) -> None:
    found = result["contestants"][THEIRS64]["difference"]
    if not found < AGREE:
        raise SystemExit(f"{result['kernel']}: the two matrices differ by {found:.1e} of their entries' size.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peer-python", required=True, help="the Python of an environment that has neural-tangents")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=contest.HERE / "results" / "kernels.json")
    options = parser.parse_args()
    jobs = [(kernel, samples) for samples in options.sizes for kernel in KERNELS]
    results = []
    with console.progress("benchmark") as show, tempfile.TemporaryDirectory() as folder:
        for i, (kernel, samples) in enumerate(jobs):
            show(i / len(jobs), f"{kernel} of {samples} samples")
            results.append(run_matrix(kernel, samples, options.peer_python, options.rounds, Path(folder)))
            check(results[-1])
        show(1.0, "done")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"cores": cores(), "results": results}, indent=2) + "\n")
    columns = ["kernel", "contestant", "warm ms", "ratio", "cold ms", "ratio", "start s", "memory MiB", "difference"]
    rows = []
    for r in results:
        ours = r["contestants"][OURS]
        for name, c in r["contestants"].items():
            rows.append(
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
    console.table(columns, rows, title=f"Gram matrices on {cores()} cores, median of {options.rounds} rounds", left=2)


if __name__ == "__main__":
    main()
