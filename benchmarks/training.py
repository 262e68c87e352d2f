"""Speed of grid training beside PyTorch and beside the machine's sgemm peak, measured in one run.

Every contestant gets the same work on every core: a grid of rates and decays of the three-layer ResNet on section
8.1's problem, batches of 50. PyTorch runs in both arrangements (a single-threaded process a core; one process with all
threads) and the faster one counts. Rounds alternate between contestants, and medians are reported, since machines are
noisy. Compilation and start-up are outside the clock and reported apart.
"""

import statistics
import sys
from functools import partial

import contest
from kernelgap import console
from kernelgap.machine import cores

GRID = [(rate, decay) for rate in (0.005, 0.01, 0.02, 0.05) for decay in (1e-4, 1e-3, 2e-3)]
SAMPLES, BATCH = 500, 50
EPOCHS = {20: 300, 100: 150, 500: 40, 2000: 16}
SGEMM_REPEATS = 30


def measure(program: str, python: str, task: dict, processes: int, threads: int) -> tuple[float, float]:
    """Run copies of a contestant at the same time; the slowest copy's seconds of work and of warming up."""
    results = contest.run(program, python, task, processes, threads)
    return max(r["seconds"] for r in results), max(r["warm_up"] for r in results)


def flops_per_step(width: int, d: int = 30, k: int = 15) -> float:
    """Of one batch: forward m (d + 3k) products a row; backward the same again for weights, and 3 m k for inputs."""
    return 2.0 * BATCH * width * (2 * (d + 3 * k) + 3 * k)


def run_width(width: int, torch_python: str, rounds: int) -> dict:
    count = cores()
    task = {"width": width, "epochs": EPOCHS[width], "batch": BATCH, "samples": SAMPLES, "grid": GRID}
    steps = len(GRID) * EPOCHS[width] * (SAMPLES // BATCH)
    rates: dict[str, list[float]] = {"kernelgap": [], "torch, a process a core": [], "torch, all threads": []}
    peaks, cold = [], []
    for _ in range(rounds):
        seconds, _ = measure("sgemm.py", sys.executable, {"repeats": SGEMM_REPEATS}, count, 1)
        peaks.append(count * SGEMM_REPEATS * 2 * 1024**3 / seconds)
        seconds, warm = measure("kernelgap_grid.py", sys.executable, task, count, 1)
        rates["kernelgap"].append(count * steps / seconds)
        cold.append(warm - seconds)
        seconds, _ = measure("torch_loop.py", torch_python, task, count, 1)
        rates["torch, a process a core"].append(count * steps / seconds)
        seconds, _ = measure("torch_loop.py", torch_python, task, 1, count)
        rates["torch, all threads"].append(steps / seconds)
    ours = statistics.median(rates["kernelgap"])
    peer, theirs = max(((n, statistics.median(r)) for n, r in rates.items() if n != "kernelgap"), key=lambda p: p[1])
    peak = statistics.median(peaks)
    return {
        "width": width,
        "kernelgap_steps_per_second": ours,
        "torch_steps_per_second": theirs,
        "torch_arrangement": peer,
        "ratio": ours / theirs,
        "share_of_peak": ours * flops_per_step(width) / peak,
        "peak_gigaflops": peak / 1e9,
        "compile_seconds": statistics.median(cold),
        "rounds": {"peaks": peaks, **rates},
    }


def main() -> None:
    parser = contest.arguments(__doc__, "training", rounds=3)
    parser.add_argument("--torch-python", required=True, help="the Python of an environment that has torch")
    parser.add_argument("--widths", type=int, nargs="+", default=list(EPOCHS), choices=list(EPOCHS))
    options = parser.parse_args()
    jobs = {f"width {w}": partial(run_width, w, options.torch_python, options.rounds) for w in options.widths}
    results = contest.measure_all(jobs, options.out, grid=len(GRID))
    columns = [
        "width",
        "kernelgap steps/s",
        "torch steps/s",
        "ratio",
        "of sgemm peak",
        "compile s",
        "torch runs best as",
    ]
    rows = [
        [
            str(r["width"]),
            f"{r['kernelgap_steps_per_second']:,.0f}",
            f"{r['torch_steps_per_second']:,.0f}",
            f"{r['ratio']:.1f}x",
            f"{r['share_of_peak']:.0%}",
            f"{r['compile_seconds']:.1f}",
            r["torch_arrangement"],
        ]
        for r in results
    ]
    console.table(columns, rows, title=f"Grid of {len(GRID)} on {cores()} cores, median of {options.rounds} rounds")


if __name__ == "__main__":
    main()
