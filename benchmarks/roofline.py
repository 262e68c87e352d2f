"""What bounds training: the arithmetic and the memory traffic of a step beside the most that the machine can do.

Each core does the same. Arithmetic is bounded by multiplications with additions in registers, which no program exceeds
(NumPy's matrix product, the peak of ``training.py``, may be well below). Memory is bounded by passes over an array as
large as what a step touches. A step that overlaps both perfectly takes the longer of the two times.

``make bench-training`` measures the steps a second that are put beside them, in its own rounds. What the strongest
PyTorch takes of the limit says how many times as fast any program can be.
"""

import json
import statistics
import sys
from functools import partial
from pathlib import Path

import contest
from kernelgap import console
from kernelgap.machine import cores
from training import BATCH, OURS, flops_per_step

INPUTS, OUTPUTS = 30, 15  # of section 8.1
ROUNDS_OF_ARITHMETIC, BYTES_PASSED = 20_000_000, 2e10


def total(task: dict) -> float:
    """Operations or bytes a second of all cores together."""
    results = contest.run("limits.py", sys.executable, task, cores(), 1)
    return sum(one["done"] for one in results) / max(one["seconds"] for one in results)


def touched(width: int) -> int:
    """Bytes of a member that a step touches: weights with their momenta, turned copies, activations of a batch."""
    weights = width * (INPUTS + 1 + 2 * OUTPUTS + 1)
    return 4 * (2 * weights + 2 * width * OUTPUTS + 3 * BATCH * width)


def moved(width: int) -> int:
    """Bytes that a step reads and writes once they have left the registers.

    Weights are read forwards, backwards and in the update, and written there; momenta are read and written; turned
    copies are written, and read in both directions. Of the activations h, h2 and the gradient at h2 each is written
    once and read three times; the gradient at h stays in the nearest cache.
    """
    weights = width * (INPUTS + 1 + 2 * OUTPUTS + 1)
    return 4 * (4 * weights + 2 * weights + 4 * width * OUTPUTS + 3 * 4 * BATCH * width)


def measure(width: int, rounds: int, measured: float, strongest: float) -> dict:
    arithmetic, memory = [], []
    size = touched(width)
    for _ in range(rounds):
        arithmetic.append(total({"repeats": ROUNDS_OF_ARITHMETIC}))
        memory.append(total({"bytes": size, "repeats": max(1, int(BYTES_PASSED / (2 * size)))}))
    peak, bandwidth = statistics.median(arithmetic), statistics.median(memory)
    limits = {"arithmetic": peak / flops_per_step(width), "memory": bandwidth / moved(width)}
    bound = min(limits, key=limits.__getitem__)
    return {
        "width": width,
        "flops": flops_per_step(width),
        "bytes": moved(width),
        "touched": size,
        "peak_gigaflops": peak / 1e9,
        "gigabytes_per_second": bandwidth / 1e9,
        "limits": limits,
        "bound": bound,
        "steps_per_second": measured,
        "share": measured / limits[bound],
        "most_to_strongest": limits[bound] / strongest,
        "rounds": {"arithmetic": arithmetic, "memory": memory},
    }


def rows(results: list[dict]) -> list[dict]:
    return [contest.row(f"width {r['width']}, of the roofline", r["share"], "share") for r in results]


def main() -> None:
    parser = contest.arguments(__doc__, "roofline", rounds=3)
    parser.add_argument("--training", default=contest.HERE / "results" / "training.json", help="of make bench-training")
    options = parser.parse_args()
    training = json.loads(Path(options.training).read_text())["results"]
    speeds = {r["width"]: [r["steps_per_second"][name] for name in (OURS, r["strongest"])] for r in training}
    jobs = {f"width {w}": partial(measure, w, options.rounds, *speed) for w, speed in speeds.items()}
    results = contest.measure_all(jobs, options.out, rows=rows)
    table = [
        [
            str(r["width"]),
            f"{r['flops'] / 1e6:.2f}",
            f"{r['bytes'] / 2**10:,.0f}",
            f"{r['touched'] / 2**10:,.0f}",
            f"{r['peak_gigaflops']:.0f}",
            f"{r['gigabytes_per_second']:.0f}",
            *(f"{r['limits'][name]:,.0f}" for name in ("arithmetic", "memory")),
            f"{r['steps_per_second']:,.0f}",
            f"{r['share']:.0%}",
            f"{r['most_to_strongest']:.1f}x",
        ]
        for r in results
    ]
    columns = ["width", "MFLOP a step", "KiB moved", "KiB touched", "GFLOPS", "GB/s", "steps/s by arithmetic"]
    columns += ["by memory", "measured", "of the lower", "most to strongest PyTorch"]
    console.table(columns, table, title=f"Roofline of a step on {cores()} cores, median of {options.rounds} rounds")


if __name__ == "__main__":
    main()
